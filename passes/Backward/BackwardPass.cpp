#include "passes/Backward/BackwardPass.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace pocket {

/// Whether result `index` of a training step is wanted for itself: a loss, an output,
/// a buffer's new value. Gradients and updated parameters are the backward pass's.
static bool isForwardResult(func::FuncOp function, unsigned index) {
  auto role = function.getResultAttrOfType<StringAttr>(index, names::role);
  if (role)
    return role.getValue() != "gradient";
  return !function.getResultAttr(index, names::param) && !function.getResultAttr(index, names::state);
}

BackwardPass::BackwardPass(func::FuncOp function) {
  Block &body = function.getBody().front();
  Operation *terminator = body.getTerminator();
  for (Operation &op : body) {
    bool backward = isa<GradientSeedOp>(op) || &op == terminator || llvm::any_of(op.getOperands(), [&](Value operand) {
                      Operation *source = operand.getDefiningOp();
                      return source && of(source) == Phase::Backward;
                    });
    phases[&op] = backward ? Phase::Backward : Phase::Between;
  }
  llvm::SetVector<Operation *> forward;
  for (unsigned i = 0; i < terminator->getNumOperands(); ++i)
    if (Operation *source = terminator->getOperand(i).getDefiningOp(); source && isForwardResult(function, i))
      forward.insert(source);
  for (unsigned i = 0; i < forward.size(); ++i) {
    if (of(forward[i]) == Phase::Backward)
      continue;
    phases[forward[i]] = Phase::Forward;
    for (Value operand : forward[i]->getOperands())
      if (Operation *source = operand.getDefiningOp())
        forward.insert(source);
  }
}

bool BackwardPass::isMadeByForward(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    if (of(op) != Phase::Forward || op->hasTrait<OpTrait::ConstantLike>())
      return false;
    if (!isa<ReshapeOp, TransposeOp, SliceOp, BroadcastOp>(op))
      return true;
    value = op->getOperand(0);
  }
  return false;
}

func::FuncOp findTrainStep(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("train_step");
  if (function && !function.isExternal() && llvm::hasSingleElement(function.getBody()))
    return function;
  module.emitError() << "has no @train_step with gradients; run pocket-autodiff first";
  return {};
}

Value storageOf(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getInput();
  return value;
}

int64_t bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return int64_t(1) << 44;
  return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

} // namespace pocket
