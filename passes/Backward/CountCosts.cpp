// What each layer costs: counted on the ops that are there, not estimated from layers.
#include "llvm/ADT/MapVector.h"
#include "passes/Backward/BackwardPass.h"
#include "passes/Backward/Passes.h"
#include "passes/Layer.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_COUNTCOSTS
#include "passes/Backward/Passes.h.inc"

namespace {

int64_t elements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : 0;
}

/// A convolution and its two gradients do the same: every element of the result is a sum
/// over the taps of one output channel's filter.
int64_t convolutionFlops(Value result, Value filter, Layout layout) {
  auto type = cast<RankedTensorType>(filter.getType());
  int64_t outputs = type.getDimSize(layout == Layout::NHWC ? 3 : 0);
  return 2 * elements(result) * (type.getNumElements() / std::max<int64_t>(outputs, 1));
}

/// Multiplications and additions of a product; one per element of the largest tensor
/// for anything that computes; none for what only moves.
int64_t flopsOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](Conv2dOp conv) { return convolutionFlops(conv.getResult(), conv.getFilter(), conv.getLayout()); })
      .Case([](Conv2dInputGradOp conv) {
        return convolutionFlops(conv.getCotangent(), conv.getFilter(), conv.getLayout());
      })
      .Case([](Conv2dWeightGradOp conv) {
        return convolutionFlops(conv.getCotangent(), conv.getResult(), conv.getLayout());
      })
      .Case([](MatmulOp matmul) {
        auto lhs = cast<RankedTensorType>(matmul.getLhs().getType());
        return 2 * elements(matmul.getResult()) * lhs.getDimSize(lhs.getRank() - (matmul.getTransposeLhs() ? 2 : 1));
      })
      .Case([](AttentionOp attention) {
        auto query = cast<RankedTensorType>(attention.getQuery().getType());
        auto value = cast<RankedTensorType>(attention.getValue().getType());
        return 2 * elements(attention.getProbabilities()) * (query.getDimSize(3) + value.getDimSize(3));
      })
      .Case<ConstantOp, ReshapeOp, TransposeOp, BroadcastOp, SliceOp, ConcatOp, PadOp, ReverseOp, EmbeddingOp, GatherOp,
            TakeChannelsOp, SaveOp, GradientSeedOp, func::ReturnOp>([](auto) { return 0; })
      .Default([](Operation *other) {
        int64_t most = 0;
        for (Value value : other->getOperands())
          most = std::max(most, elements(value));
        for (Value value : other->getResults())
          most = std::max(most, elements(value));
        return most;
      });
}

struct Cost {
  int64_t savedBytes = 0, forwardFlops = 0, gradientFlops = 0;
};

struct CountCosts : impl::CountCostsBase<CountCosts> {
  void runOnOperation() override {
    func::FuncOp function = findTrainStep(getOperation());
    if (!function)
      return signalPassFailure();
    BackwardPass pass(function);
    Block &body = function.getBody().front();
    // What leads to a saved value runs in the forward pass.
    DenseSet<Operation *> early;
    for (Operation &op : llvm::reverse(body))
      if (pass.of(&op) == Phase::Between &&
          (isa<SaveOp>(op) || llvm::any_of(op.getUsers(), [&](Operation *user) { return early.contains(user); })))
        early.insert(&op);

    // By the layer of what reads it: that is whom it is kept for.
    llvm::MapVector<StringRef, Cost> costs;
    DenseSet<Value> counted;
    for (Operation &op : body) {
      Cost &cost = costs[layerOf(op.getLoc())];
      bool runsEarly = pass.of(&op) == Phase::Forward || early.contains(&op);
      (runsEarly ? cost.forwardFlops : cost.gradientFlops) += flopsOf(&op);
      if (runsEarly || isa<ReshapeOp>(op) || op.hasTrait<OpTrait::IsTerminator>())
        continue;
      for (Value operand : op.getOperands()) {
        Value stored = storageOf(operand);
        bool kept = pass.isMadeByForward(stored) || (stored.getDefiningOp() && early.contains(stored.getDefiningOp()));
        if (kept && counted.insert(stored).second)
          cost.savedBytes += bytesOf(stored);
      }
    }

    Builder b(&getContext());
    SmallVector<NamedAttribute> layers;
    for (const auto &[layer, cost] : costs) {
      savedBytes += cost.savedBytes;
      forwardFlops += cost.forwardFlops;
      gradientFlops += cost.gradientFlops;
      if (cost.savedBytes == 0 && cost.forwardFlops == 0 && cost.gradientFlops == 0)
        continue;
      layers.push_back(b.getNamedAttr(
          layer.empty() ? "<model>" : layer,
          b.getDictionaryAttr({b.getNamedAttr("saved_bytes", b.getI64IntegerAttr(cost.savedBytes)),
                               b.getNamedAttr("forward_flops", b.getI64IntegerAttr(cost.forwardFlops)),
                               b.getNamedAttr("gradient_flops", b.getI64IntegerAttr(cost.gradientFlops))})));
    }
    getOperation()->setAttr(names::costs, b.getDictionaryAttr(layers));
  }
};

} // namespace
} // namespace pocket
