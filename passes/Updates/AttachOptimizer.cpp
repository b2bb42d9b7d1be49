#include "Pocket/IR/Pocket.h"
#include "passes/Updates/Passes.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_ATTACHOPTIMIZER
#include "passes/Updates/Passes.h.inc"

namespace {
struct AttachOptimizer : impl::AttachOptimizerBase<AttachOptimizer> {
  void runOnOperation() override {
    getOperation().emitError() << "not written yet";
    signalPassFailure();
  }
};
} // namespace
} // namespace pocket
