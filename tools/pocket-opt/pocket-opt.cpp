// The pass driver: reads IR, runs passes, prints IR.
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/Register.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  pocket::registerDialects(registry);
  pocket::registerUpstreamPasses();
  pocket::registerPassesAndPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Pocket MLIR pass driver\n", registry));
}
