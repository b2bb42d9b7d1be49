// Constant folding of elementwise ops.
#ifndef POCKET_IR_FOLD_H
#define POCKET_IR_FOLD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace pocket {
/// `value` as what `op` folds to. Regions without dominance (a module's body)
/// can feed an op with its own result, which must not fold to itself.
mlir::OpFoldResult foldTo(mlir::Operation *op, mlir::Value value);

mlir::OpFoldResult foldUnary(mlir::Operation *op, mlir::Attribute input);
mlir::OpFoldResult foldBinary(mlir::Operation *op, mlir::Attribute lhs, mlir::Attribute rhs);

/// A constant of `type` whose element at `index` is that of `constant` at
/// `source(index)`. Nothing where `constant` is none or the result would be large.
mlir::OpFoldResult
foldMovement(mlir::Attribute constant, mlir::RankedTensorType type,
             llvm::function_ref<llvm::SmallVector<int64_t>(llvm::ArrayRef<int64_t> index)> source);
} // namespace pocket

#endif // POCKET_IR_FOLD_H
