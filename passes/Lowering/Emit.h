// Building linalg on tensors with few words.
#ifndef POCKET_PASSES_LOWERING_EMIT_H
#define POCKET_PASSES_LOWERING_EMIT_H

#include "Pocket/IR/Pocket.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace pocket {

/// One op's worth of linalg: a builder and a location.
class Emit {
public:
  Emit(mlir::OpBuilder &builder, mlir::Location location) : b(builder), loc(location) {}

  mlir::OpBuilder &b;
  mlir::Location loc;

  static mlir::RankedTensorType type(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()); }
  static llvm::ArrayRef<int64_t> shape(mlir::Value value) { return type(value).getShape(); }

  // Scalars.
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);

  // Tensors.
  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::Value empty(mlir::RankedTensorType type) { return empty(type.getShape(), type.getElementType()); }
  mlir::Value fill(mlir::RankedTensorType type, double value);
  mlir::Value splat(mlir::RankedTensorType type, double value);

  /// A linalg.generic with one output. `maps` holds the inputs' and then the
  /// output's indexing map; `reductions` says which loops reduce. `body` gets
  /// the elements of the inputs and the output.
  using Body = llvm::function_ref<mlir::Value(Emit &, mlir::ValueRange)>;
  mlir::Value generic(mlir::ValueRange inputs, mlir::Value init, llvm::ArrayRef<mlir::AffineMap> maps,
                      llvm::ArrayRef<bool> reductions, Body body, TilesAttr tiles = {});
  /// The same with several outputs.
  using MultiBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(Emit &, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> generic(mlir::ValueRange inputs, mlir::ValueRange inits,
                                         llvm::ArrayRef<mlir::AffineMap> maps, llvm::ArrayRef<bool> reductions,
                                         MultiBody body, TilesAttr tiles = {});
  /// Elementwise over `type`'s shape; inputs broadcast to it as in numpy.
  mlir::Value elementwise(mlir::RankedTensorType type, mlir::ValueRange inputs, Body body);

  /// The map that reads `shape` broadcast (as in numpy) to `rank` loops.
  mlir::AffineMap broadcastMap(llvm::ArrayRef<int64_t> shape, int64_t rank);
  /// The map (d0, ..) -> (d[dims[0]], d[dims[1]], ...) over `loops` loops.
  mlir::AffineMap dims(int64_t loops, llvm::ArrayRef<int64_t> dims);

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value collapse(mlir::Value value, llvm::ArrayRef<mlir::ReassociationIndices> groups);
  mlir::Value expand(mlir::Value value, llvm::ArrayRef<mlir::ReassociationIndices> groups, llvm::ArrayRef<int64_t> shape);
  mlir::Value pad(mlir::Value value, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high, double with);
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> strides);
  mlir::Value insert(mlir::Value value, mlir::Value into, llvm::ArrayRef<int64_t> offsets,
                     llvm::ArrayRef<int64_t> strides);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
};

} // namespace pocket

#endif // POCKET_PASSES_LOWERING_EMIT_H
