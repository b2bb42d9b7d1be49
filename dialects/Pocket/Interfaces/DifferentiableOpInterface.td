#ifndef POCKET_INTERFACES_DIFFERENTIABLEOPINTERFACE
#define POCKET_INTERFACES_DIFFERENTIABLEOPINTERFACE
include "mlir/IR/OpBase.td"

def Pocket_DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::pocket";
  let description = [{
    An op that builds its own vector-Jacobian product.

    The autodiff pass asks only for the operands that lead to something that is
    trained, and an op builds nothing for the others. Which values the product
    reads is declared beside it, so that pruning and memory planning know what
    stays alive until the backward pass without building it.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the gradient of every operand `i` with `needed[i]`.

        `cotangents` holds the gradient of each result; a null value stands for
        zero (not all of them are null). Appends one value per operand to
        `gradients`, null where the gradient is zero or was not asked for. A
        gradient has its operand's type.
      }],
      "::llvm::LogicalResult", "buildVjp",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$cotangents,
           "::llvm::ArrayRef<bool>":$needed,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$gradients)>,
    InterfaceMethod<[{
        Appends the operands and results that `buildVjp` reads when it is asked
        for the operands in `needed`. Reading only a value's type is no read.
      }],
      "void", "getBackwardReads",
      (ins "::llvm::ArrayRef<bool>":$needed,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$values)>,
    InterfaceMethod<[{
        Whether any gradient passes through the op. Where none does, nothing
        before the op is differentiated on its account.
      }],
      "bool", "passesGradient", (ins), "", "return true;">
  ];
}
#endif
