#include "Pocket/IR/Pocket.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "passes/Lowering/Passes.h"
#include "passes/Lowering/Patterns.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_TOLINALG
#include "passes/Lowering/Passes.h.inc"

namespace {
struct ToLinalg : impl::ToLinalgBase<ToLinalg> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateElementwiseToLinalg(patterns);
    populateTensorToLinalg(patterns);
    populateMatmulToLinalg(patterns);
    populateConvolutionToLinalg(patterns);
    populatePoolingToLinalg(patterns);
    populateNormalizationToLinalg(patterns);
    populateSoftmaxToLinalg(patterns);
    populateLossToLinalg(patterns);
    populateUpdateToLinalg(patterns);
    // Every pattern yields linalg and no pocket op, so one walk does.
    walkAndApplyPatterns(getOperation(), std::move(patterns));

    bool left = false;
    getOperation().walk([&](Operation *op) {
      if (!isa_and_present<PocketDialect>(op->getDialect()))
        return;
      op->emitOpError() << "has no lowering to linalg for these types";
      left = true;
    });
    if (left)
      signalPassFailure();
  }
};
} // namespace
} // namespace pocket
