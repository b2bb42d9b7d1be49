#include "Pocket/IR/Pocket.h"
#include "passes/Layout/Passes.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_CONVERTLAYOUT
#include "passes/Layout/Passes.h.inc"

namespace {
struct ConvertLayout : impl::ConvertLayoutBase<ConvertLayout> {
  void runOnOperation() override {
    getOperation().emitError() << "not written yet";
    signalPassFailure();
  }
};
} // namespace
} // namespace pocket
