#ifndef POCKET_PASSES_LOWERING
#define POCKET_PASSES_LOWERING
include "mlir/Pass/PassBase.td"

def ToLinalg : Pass<"pocket-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower pocket ops to linalg on tensors";
  let dependentDialects = ["::pocket::PocketDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect", "::mlir::func::FuncDialect"];
}
#endif
