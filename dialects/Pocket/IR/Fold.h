// Constant folding of elementwise ops.
#ifndef POCKET_IR_FOLD_H
#define POCKET_IR_FOLD_H

#include "mlir/IR/OpDefinition.h"

namespace pocket {
mlir::OpFoldResult foldUnary(mlir::Operation *op, mlir::Attribute input);
mlir::OpFoldResult foldBinary(mlir::Operation *op, mlir::Attribute lhs, mlir::Attribute rhs);
} // namespace pocket

#endif // POCKET_IR_FOLD_H
