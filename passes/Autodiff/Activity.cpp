#include "passes/Autodiff/Activity.h"
#include "Pocket/IR/Pocket.h"

using namespace mlir;

namespace pocket {

static bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

/// Operands, and what the op's regions take from outside.
static SmallVector<Value> readValues(Operation &op) {
  SmallVector<Value> values;
  op.walk([&](Operation *inner) { llvm::append_range(values, inner->getOperands()); });
  return values;
}

static bool passesGradient(Operation &op) {
  auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
  return !differentiable || differentiable.passesGradient();
}

Activity::Activity(Block &block, ArrayRef<BlockArgument> trained, Value loss) {
  varied.insert(trained.begin(), trained.end());
  for (Operation &op : block) {
    if (!passesGradient(op) || llvm::none_of(readValues(op), [&](Value value) { return varied.contains(value); }))
      continue;
    for (Value result : op.getResults())
      if (isFloatTensor(result))
        varied.insert(result);
  }

  useful.insert(loss);
  for (Operation &op : llvm::reverse(block)) {
    if (!passesGradient(op) || llvm::none_of(op.getResults(), [&](Value value) { return useful.contains(value); }))
      continue;
    for (Value value : readValues(op))
      if (isFloatTensor(value))
        useful.insert(value);
  }

  for (Operation &op : block)
    if (!isa<DifferentiableOpInterface>(op) &&
        llvm::any_of(op.getResults(), [&](Value value) { return isActive(value); }))
      missing.push_back(&op);
}

} // namespace pocket
