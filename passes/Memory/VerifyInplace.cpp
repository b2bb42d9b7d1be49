#include "Pocket/IR/Pocket.h"
#include "passes/Memory/Passes.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_VERIFYINPLACE
#include "passes/Memory/Passes.h.inc"

namespace {
struct VerifyInplace : impl::VerifyInplaceBase<VerifyInplace> {
  void runOnOperation() override {
    getOperation().emitError() << "not written yet";
    signalPassFailure();
  }
};
} // namespace
} // namespace pocket
