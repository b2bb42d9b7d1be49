#include "Pocket/IR/Pocket.h"
#include "passes/Autodiff/Forward.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_VERIFYDIFFERENTIABLE
#include "passes/Autodiff/Passes.h.inc"

namespace {
struct VerifyDifferentiable : impl::VerifyDifferentiableBase<VerifyDifferentiable> {
  void runOnOperation() override {
    FailureOr<Forward> forward = findForward(getOperation());
    if (failed(forward))
      return signalPassFailure();
    Activity activity(forward->getBody(), forward->trained, forward->getLoss());
    if (failed(verifyDifferentiable(*forward, activity)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
} // namespace pocket
