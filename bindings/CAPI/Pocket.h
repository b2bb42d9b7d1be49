#ifndef POCKET_BINDINGS_CAPI_POCKET_H
#define POCKET_BINDINGS_CAPI_POCKET_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif
MLIR_CAPI_EXPORTED void pocketRegisterDialects(MlirDialectRegistry registry);
MLIR_CAPI_EXPORTED void pocketRegisterPasses(void);
#ifdef __cplusplus
}
#endif

#endif // POCKET_BINDINGS_CAPI_POCKET_H
