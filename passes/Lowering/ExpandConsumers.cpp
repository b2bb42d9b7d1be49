// Lets the code generator finish a product's tile before it is stored.
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Lowering/Passes.h"
#include "passes/Lowering/Tiles.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_EXPANDCONSUMERS
#include "passes/Lowering/Passes.h.inc"

namespace {

bool isElementwise(linalg::GenericOp op) { return op.getNumLoops() == op.getNumParallelLoops() && !op.getDpsInputs().empty(); }

/// How many ops back a product is looked for.
constexpr unsigned farthest = 64;

/// Whether `value` is a product over panels, or was computed from one elementwise,
/// with or without reshapes on the way.
bool comesFromPanels(Value value, bool throughReshapes, SmallPtrSetImpl<Operation *> &seen) {
  Operation *producer = value.getDefiningOp();
  if (!producer || seen.size() >= farthest || !seen.insert(producer).second)
    return false;
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(producer))
    return throughReshapes && comesFromPanels(producer->getOperand(0), throughReshapes, seen);
  auto generic = dyn_cast<linalg::GenericOp>(producer);
  if (!generic)
    return false;
  if (!isElementwise(generic))
    return generic->hasAttr(kTilesName) && linalg::isaContractionOpInterface(generic);
  return llvm::any_of(generic.getDpsInputs(),
                      [&](Value input) { return comesFromPanels(input, throughReshapes, seen); });
}

bool isForElementwise(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return consumer && isElementwise(consumer);
}

/// An elementwise op on a product whose rows were cut, as a linear layer's are into
/// samples and positions.
bool readsCutRows(OpOperand *operand) {
  auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  SmallPtrSet<Operation *, 16> seen;
  return expand && isForElementwise(operand) && comesFromPanels(expand.getSrc(), /*throughReshapes=*/true, seen);
}

/// An elementwise op on a product whose panels were joined.
bool readsJoinedPanels(OpOperand *operand) {
  auto collapse = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
  SmallPtrSet<Operation *, 16> seen;
  return collapse && isForElementwise(operand) && comesFromPanels(collapse.getSrc(), /*throughReshapes=*/false, seen);
}

struct ExpandConsumers : impl::ExpandConsumersBase<ExpandConsumers> {
  void runOnOperation() override {
    // One after the other: together, two products that are cut in different ways and
    // meet in one op would pull it back and forth without end.
    RewritePatternSet joinRows(&getContext()), cutColumns(&getContext());
    linalg::populateFoldReshapeOpsByCollapsingPatterns(joinRows, readsCutRows);
    linalg::populateFoldReshapeOpsByExpansionPatterns(cutColumns, readsJoinedPanels);
    if (failed(applyPatternsGreedily(getOperation(), std::move(joinRows))) ||
        failed(applyPatternsGreedily(getOperation(), std::move(cutColumns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace pocket
