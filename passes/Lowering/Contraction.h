// Matrix products as linalg, shared by matmul and the convolutions.
#ifndef POCKET_PASSES_LOWERING_CONTRACTION_H
#define POCKET_PASSES_LOWERING_CONTRACTION_H

#include "passes/Lowering/Emit.h"
#include "passes/Lowering/Tiles.h"

namespace pocket {

/// A product over the loops (batch..., row, column, inner). Each map says which
/// loops walk a value's dimensions, in any order: a transposed operand is one whose
/// map says so.
struct Product {
  Product(mlir::Value lhs, mlir::AffineMap lhsMap, mlir::Value rhs, mlir::AffineMap rhsMap,
          mlir::RankedTensorType type, mlir::AffineMap map);

  mlir::Value lhs, rhs;
  mlir::AffineMap lhsMap, rhsMap;
  /// The result's.
  mlir::RankedTensorType type;
  mlir::AffineMap map;

  /// How many batch loops; the others come after them.
  int64_t batch;
  int64_t row() const { return batch; }
  int64_t column() const { return batch + 1; }
  int64_t inner() const { return batch + 2; }
  /// Turns of each loop.
  llvm::SmallVector<int64_t> sizes;
};

mlir::Value contract(Emit &e, const Product &product, const Tiles &tiles);

/// [M, K] x [K, N] -> [M, N].
mlir::Value matmul(Emit &e, mlir::Value lhs, mlir::Value rhs, const Tiles &tiles, bool transposeLhs = false,
                   bool transposeRhs = false);

} // namespace pocket

#endif // POCKET_PASSES_LOWERING_CONTRACTION_H
