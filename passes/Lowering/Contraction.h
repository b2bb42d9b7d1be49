// Matrix products as linalg, shared by matmul and the convolutions.
#ifndef POCKET_PASSES_LOWERING_CONTRACTION_H
#define POCKET_PASSES_LOWERING_CONTRACTION_H

#include "passes/Lowering/Emit.h"

namespace pocket {

/// [M, K] x [K, N] -> [M, N]; a transposed operand is read as it lies in memory.
mlir::Value matmul(Emit &e, mlir::Value lhs, mlir::Value rhs, bool transposeLhs = false, bool transposeRhs = false);

/// The contraction of any generic with plain multiply-add, into zeros of `type`.
mlir::Value contract(Emit &e, mlir::Value lhs, mlir::Value rhs, mlir::RankedTensorType type,
                     llvm::ArrayRef<mlir::AffineMap> maps, llvm::ArrayRef<bool> reductions);

} // namespace pocket

#endif // POCKET_PASSES_LOWERING_CONTRACTION_H
