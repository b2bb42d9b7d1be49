#ifndef POCKET_PASSES_LAYOUT
#define POCKET_PASSES_LAYOUT
include "mlir/Pass/PassBase.td"

def ConvertLayout : Pass<"pocket-convert-layout", "::mlir::ModuleOp"> {
  let summary = "Move convolutions and what surrounds them to channels-last";
  let dependentDialects = ["::pocket::PocketDialect"];
}
#endif
