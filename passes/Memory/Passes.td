#ifndef POCKET_PASSES_MEMORY
#define POCKET_PASSES_MEMORY
include "mlir/Pass/PassBase.td"

def VerifyInplace : Pass<"pocket-verify-inplace", "::mlir::ModuleOp"> {
  let summary = "Reject a program that reads a value after an update has overwritten it";
  let dependentDialects = ["::pocket::PocketDialect"];
}
#endif
