#include "passes/Lowering/Emit.h"
#include "passes/Lowering/Patterns.h"

using namespace mlir;

void pocket::populateUpdateToLinalg(RewritePatternSet &patterns) {}
