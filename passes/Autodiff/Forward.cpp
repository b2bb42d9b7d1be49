#include "passes/Autodiff/Forward.h"
#include "Pocket/IR/Pocket.h"
#include "passes/Layer.h"

using namespace mlir;

namespace pocket {

static FailureOr<unsigned> findLoss(func::FuncOp function) {
  SmallVector<unsigned> losses;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto role = function.getResultAttrOfType<StringAttr>(i, names::role); role && role.getValue() == "loss")
      losses.push_back(i);
  if (losses.empty())
    return function.emitError() << "@forward has no result with pocket.role = \"loss\"";
  if (losses.size() > 1)
    return function.emitError() << "@forward has " << losses.size() << " losses, one is expected";
  auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[losses[0]]);
  if (!type || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
    return function.emitError() << "@forward expects a loss that is a floating-point scalar, tensor<f32>, found "
                                << function.getResultTypes()[losses[0]];
  return losses[0];
}

static bool trainsAnything(Attribute needsGrad) {
  if (auto channels = dyn_cast<ChannelsAttr>(needsGrad))
    return channels.count() != 0;
  return cast<BoolAttr>(needsGrad).getValue();
}

static FailureOr<SmallVector<BlockArgument>> findTrained(func::FuncOp function) {
  SmallVector<BlockArgument> trained;
  for (BlockArgument argument : function.getArguments()) {
    Attribute needsGrad = function.getArgAttr(argument.getArgNumber(), names::needsGrad);
    if (!needsGrad)
      continue;
    auto error = [&] {
      return function.emitError() << "parameter \"" << parameterName(argument) << "\" ";
    };
    if (!function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::param))
      return function.emitError() << "argument " << argument.getArgNumber()
                                  << " has pocket.needs_grad but is no parameter (pocket.param)";
    if (auto ratio = dyn_cast<FloatAttr>(needsGrad))
      return error() << "trains " << ratio.getValueAsDouble()
                     << " of its channels and does not say which: resolve the ratio to #pocket.channels<...>";
    if (!trainsAnything(needsGrad))
      continue;
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !isa<FloatType>(type.getElementType()))
      return error() << "has pocket.needs_grad but is no floating-point tensor: " << argument.getType();
    trained.push_back(argument);
  }
  if (trained.empty())
    return function.emitError()
           << "@forward has nothing to train: no parameter has pocket.needs_grad = true or channels of it";
  return trained;
}

FailureOr<Forward> findForward(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>("forward");
  if (!function)
    return module.emitError() << "expects a function @forward to differentiate";
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitError() << "@forward expects a body of one block";
  auto terminator = dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
  if (!terminator)
    return function.emitError() << "@forward expects to end in func.return";
  FailureOr<unsigned> loss = findLoss(function);
  if (failed(loss))
    return failure();
  FailureOr<SmallVector<BlockArgument>> trained = findTrained(function);
  if (failed(trained))
    return failure();
  return Forward{function, terminator, *loss, *trained};
}

LogicalResult verifyDifferentiable(Forward &forward, const Activity &activity) {
  ArrayRef<Operation *> missing = activity.getMissing();
  if (missing.empty())
    return success();
  auto diagnostic = forward.function.emitError()
                    << missing.size() << (missing.size() == 1 ? " op" : " ops")
                    << " between the trained parameters and the loss without a gradient";
  for (Operation *op : missing) {
    auto &note = diagnostic.attachNote(op->getLoc()) << "'" << op->getName() << "'";
    if (StringRef path = layerOf(op->getLoc()); !path.empty())
      note << " in " << path;
    note << " has no gradient";
  }
  return diagnostic;
}

ChannelsAttr trainedChannels(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function.getArgAttrOfType<ChannelsAttr>(argument.getArgNumber(), names::needsGrad);
}

StringRef parameterName(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::param);
  return name ? name.getValue() : StringRef();
}

} // namespace pocket
