// The language server: editors show errors, types and definitions in our IR.
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/IR/DialectRegistry.h"
#include "passes/Register.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  pocket::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
