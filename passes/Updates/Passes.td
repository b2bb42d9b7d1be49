#ifndef POCKET_PASSES_UPDATES
#define POCKET_PASSES_UPDATES
include "mlir/Pass/PassBase.td"

def AttachOptimizer : Pass<"pocket-attach-optimizer", "::mlir::ModuleOp"> {
  let summary = "Replace the gradients that @train_step returns by updated parameters and optimizer state";
  let dependentDialects = ["::pocket::PocketDialect"];
}
#endif
