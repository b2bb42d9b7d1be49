#include "Pocket/IR/Pocket.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "passes/Lowering/Emit.h"
#include "passes/Lowering/Passes.h"
#include "passes/Lowering/Patterns.h"
#include "passes/Lowering/Tiles.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_TOLINALG
#include "passes/Lowering/Passes.h.inc"

namespace {
struct ToLinalg : impl::ToLinalgBase<ToLinalg> {
  using ToLinalgBase::ToLinalgBase;

  void runOnOperation() override {
    if (vectorBits != 0 && (vectorBits < 64 || vectorBits > 2048 || !llvm::isPowerOf2_64(vectorBits))) {
      getOperation().emitError() << "vector-bits is " << vectorBits.getValue()
                                 << "; it must be a power of two from 64 to 2048, or 0 for a target that chooses "
                                    "its own tiles";
      return signalPassFailure();
    }
    replaceEmpty();
    Tiles tiles(&getContext(), vectorBits);
    // Products first: they read through transposes that are still ops.
    // Greedily, because they replace the transpose behind them too.
    RewritePatternSet products(&getContext());
    populateMatmulToLinalg(products, tiles);
    SmallVector<Operation *> matmuls;
    getOperation().walk([&](MatmulOp op) { matmuls.push_back(op); });
    (void)applyOpPatternsGreedily(matmuls, std::move(products),
                                  GreedyRewriteConfig().setStrictness(GreedyRewriteStrictness::ExistingOps).enableFolding(false));

    RewritePatternSet patterns(&getContext());
    populateElementwiseToLinalg(patterns);
    populateTensorToLinalg(patterns, tiles);
    populateConvolutionToLinalg(patterns, tiles);
    populatePoolingToLinalg(patterns);
    populateNormalizationToLinalg(patterns, tiles);
    populateSoftmaxToLinalg(patterns, tiles);
    populateLossToLinalg(patterns, tiles);
    populateBackwardToLinalg(patterns);
    populateUpdateToLinalg(patterns);
    // Every pattern yields linalg and no pocket op, so one walk
    // does for the rest.
    walkAndApplyPatterns(getOperation(), std::move(patterns));

    bool left = false;
    getOperation().walk([&](Operation *op) {
      // What is saved stays marked up to the code generator (pocket-export-tiles).
      if (!isa_and_present<PocketDialect>(op->getDialect()) || isa<SaveOp>(op))
        return;
      op->emitOpError() << "has no lowering to linalg for these types";
      left = true;
    });
    if (left)
      signalPassFailure();
  }

  /// Ops without a single element to compute: the forms below divide by sizes.
  void replaceEmpty() {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      auto isEmpty = [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
      };
      if (isa_and_present<PocketDialect>(op->getDialect()) && op->getNumResults() && llvm::all_of(op->getResultTypes(), isEmpty))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder b(op);
      Emit e(b, op->getLoc());
      for (Value result : op->getResults())
        result.replaceAllUsesWith(e.empty(Emit::type(result)));
      op->erase();
    }
  }
};
} // namespace
} // namespace pocket
