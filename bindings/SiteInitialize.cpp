// Runs when pocket_mlir._mlir is imported, before any context is made.
#include "bindings/CAPI/Pocket.h"
#include "mlir/Bindings/Python/Nanobind.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

NB_MODULE(_site_initialize_0, module) {
  pocketRegisterPasses();
  module.def("register_dialects", [](MlirDialectRegistry registry) { pocketRegisterDialects(registry); });
}
