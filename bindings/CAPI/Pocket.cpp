#include "bindings/CAPI/Pocket.h"
#include "mlir/CAPI/IR.h"
#include "passes/Register.h"

void pocketRegisterDialects(MlirDialectRegistry registry) { pocket::registerDialects(*unwrap(registry)); }

void pocketRegisterPasses() {
  pocket::registerUpstreamPasses();
  pocket::registerPassesAndPipelines();
}
