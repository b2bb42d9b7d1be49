#ifndef POCKET_PASSES_AUTODIFF
#define POCKET_PASSES_AUTODIFF
include "mlir/Pass/PassBase.td"

def VerifyDifferentiable : Pass<"pocket-verify-differentiable", "::mlir::ModuleOp"> {
  let summary = "Report every op between a trained parameter and the loss that has no gradient";
  let dependentDialects = ["::pocket::PocketDialect"];
}
def Autodiff : Pass<"pocket-autodiff", "::mlir::ModuleOp"> {
  let summary = "Turn @forward into @train_step, which returns the gradients that lead to an update";
  let dependentDialects = ["::pocket::PocketDialect"];
}
#endif
