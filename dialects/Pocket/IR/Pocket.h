#ifndef POCKET_IR_POCKET_H
#define POCKET_IR_POCKET_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Pocket/IR/DefaultAttributes.h"
#include "Pocket/IR/Inference.h"
#include "Pocket/IR/Shapes.h"

#include "Pocket/IR/PocketDialect.h.inc"
#include "Pocket/IR/PocketEnums.h.inc"
#include "Pocket/Interfaces/DifferentiableOpInterface.h.inc"
#include "Pocket/Interfaces/UpdateOpInterface.h.inc"
#define GET_ATTRDEF_CLASSES
#include "Pocket/IR/PocketAttrs.h.inc"

#define GET_OP_CLASSES
#include "Pocket/IR/ElementwiseOps.h.inc"
#define GET_OP_CLASSES
#include "Pocket/IR/TensorOps.h.inc"
#define GET_OP_CLASSES
#include "Pocket/IR/NeuralNetworkOps.h.inc"
#define GET_OP_CLASSES
#include "Pocket/IR/BackwardOps.h.inc"
#define GET_OP_CLASSES
#include "Pocket/IR/UpdateOps.h.inc"

namespace pocket {

/// Names of the attributes on function arguments and results.
namespace names {
inline constexpr llvm::StringLiteral param = "pocket.param";
inline constexpr llvm::StringLiteral needsGrad = "pocket.needs_grad";
inline constexpr llvm::StringLiteral buffer = "pocket.buffer";
inline constexpr llvm::StringLiteral state = "pocket.state";
inline constexpr llvm::StringLiteral role = "pocket.role";
inline constexpr llvm::StringLiteral name = "pocket.name";
inline constexpr llvm::StringLiteral layout = "pocket.layout";
/// On the module: what each layer costs (pocket-count-costs).
inline constexpr llvm::StringLiteral costs = "pocket.costs";
} // namespace names

} // namespace pocket

#endif // POCKET_IR_POCKET_H
