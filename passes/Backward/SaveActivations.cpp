// What the forward pass keeps for the backward pass: the least that will do.
#include "passes/Backward/BackwardPass.h"
#include "passes/Backward/MinimumCut.h"
#include "passes/Backward/Passes.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_SAVEACTIVATIONS
#include "passes/Backward/Passes.h.inc"

namespace {

/// Packing fewer booleans than this costs a kernel and saves nothing to speak of.
constexpr int64_t kFewestBits = 256;

/// The dimension along which booleans take the fewest bytes, the outermost of
/// equal ones: what lies behind it stays contiguous. -1 where packing is not worth it.
int64_t packedDim(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isInteger(1) || type.getNumElements() < kFewestBits)
    return -1;
  int64_t best = -1;
  double least = 1.0;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    double share = static_cast<double>(llvm::divideCeil(size, 8)) / size;
    if (share < least) {
      least = share;
      best = dim;
    }
  }
  return best;
}

int64_t savedBytes(Value value) {
  int64_t dim = packedDim(value);
  if (dim < 0)
    return bytesOf(value);
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() / type.getDimSize(dim) * llvm::divideCeil(type.getDimSize(dim), 8);
}

struct SaveActivations : impl::SaveActivationsBase<SaveActivations> {
  void runOnOperation() override {
    func::FuncOp function = findTrainStep(getOperation());
    if (!function)
      return signalPassFailure();
    // A value that a region takes from outside would not be seen to be read.
    if (llvm::any_of(function.getBody().front(), [](Operation &op) { return op.getNumRegions() != 0; }))
      return;
    BackwardPass pass(function);
    save(function.getBody().front(), pass, chooseSaved(function.getBody().front(), pass));
  }

  /// The cheapest set of values through which all goes that the backward pass needs
  /// of the forward pass. Of equally cheap ones the earliest: it is there already.
  SmallVector<Value> chooseSaved(Block &body, const BackwardPass &pass) {
    MinimumCut cut;
    auto nodeOf = [&](Value value) { return cut.getNode(value, savedBytes(value)); };
    for (Operation &op : body) {
      Phase phase = pass.of(&op);
      if (phase == Phase::Forward || isa<ReshapeOp>(op))
        continue;
      for (Value operand : op.getOperands()) {
        Value stored = storageOf(operand);
        bool forward = pass.isMadeByForward(stored);
        bool between = stored.getDefiningOp() && pass.of(stored.getDefiningOp()) == Phase::Between;
        if (!forward && !between)
          continue;
        // The loss itself is returned, not kept.
        if (forward && op.hasTrait<OpTrait::IsTerminator>())
          continue;
        unsigned node = nodeOf(stored);
        if (forward)
          cut.connectToSource(node);
        if (phase == Phase::Backward)
          cut.connectToSink(node);
        else
          for (Value result : op.getResults())
            cut.connect(node, nodeOf(result));
      }
    }
    return cut.compute();
  }

  void save(Block &body, const BackwardPass &pass, ArrayRef<Value> saved) {
    // What makes the saved values runs in the forward pass: as soon as it can.
    llvm::SetVector<Operation *> needed;
    for (Value value : saved)
      if (pass.of(value.getDefiningOp()) == Phase::Between)
        needed.insert(value.getDefiningOp());
    for (unsigned i = 0; i < needed.size(); ++i)
      for (Value operand : needed[i]->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && pass.of(source) == Phase::Between)
          needed.insert(source);
    SmallVector<Operation *> early = needed.takeVector();
    llvm::sort(early, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : early) {
      Operation *last = nullptr;
      for (Value operand : op->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && (!last || last->isBeforeInBlock(source)))
          last = source;
      if (last)
        op->moveAfter(last);
      else
        op->moveBefore(&body.front());
    }
    DenseSet<Operation *> isEarly(early.begin(), early.end());
    for (Value value : saved) {
      Operation *source = value.getDefiningOp();
      bool between = pass.of(source) == Phase::Between;
      int64_t dim = packedDim(value);
      savedBytesCount += savedBytes(value);
      ++numSaved;
      // A float that the forward pass has anyhow needs no mark.
      if (!between && dim < 0)
        continue;
      SmallVector<OpOperand *> late;
      Operation *first = nullptr;
      for (OpOperand &use : value.getUses()) {
        Operation *user = use.getOwner();
        if (pass.of(user) == Phase::Forward || isEarly.contains(user))
          continue;
        late.push_back(&use);
        first = !first || user->isBeforeInBlock(first) ? user : first;
      }
      if (late.empty())
        continue;
      OpBuilder b(source->getContext());
      b.setInsertionPointAfter(source);
      Location location = first->getLoc();
      Value kept = value;
      if (dim >= 0) {
        kept = PackBitsOp::create(b, location, kept, dim);
        ++numPacked;
      }
      kept = SaveOp::create(b, location, kept.getType(), kept);
      if (dim >= 0) {
        b.setInsertionPoint(first);
        kept = UnpackBitsOp::create(b, location, value.getType(), kept, dim);
      }
      for (OpOperand *use : late)
        use->set(kept);
    }
  }
};

} // namespace
} // namespace pocket
