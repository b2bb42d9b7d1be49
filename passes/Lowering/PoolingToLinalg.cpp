#include "passes/Lowering/Emit.h"
#include "passes/Lowering/Patterns.h"

using namespace mlir;

void pocket::populatePoolingToLinalg(RewritePatternSet &patterns) {}
