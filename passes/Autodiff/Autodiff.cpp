#include "Pocket/IR/Pocket.h"
#include "passes/Autodiff/Passes.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_AUTODIFF
#include "passes/Autodiff/Passes.h.inc"

namespace {
struct Autodiff : impl::AutodiffBase<Autodiff> {
  void runOnOperation() override {
    getOperation().emitError() << "not written yet";
    signalPassFailure();
  }
};
} // namespace
} // namespace pocket
