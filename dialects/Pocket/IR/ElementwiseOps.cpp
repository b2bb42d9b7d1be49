#include "Pocket/Gradients/Expr.h"
#include "Pocket/IR/Fold.h"
#include "Pocket/IR/Keyword.h"
#include "Pocket/IR/Pocket.h"
#include "Pocket/IR/Shapes.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Pocket/IR/ElementwiseOps.cpp.inc"

namespace pocket {

OpFoldResult LogicalNotOp::fold(FoldAdaptor) {
  if (auto inner = getInput().getDefiningOp<LogicalNotOp>())
    return foldTo(*this, inner.getInput());
  return {};
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return foldTo(*this, getInput());
  // There and back through a wider floating-point type.
  if (auto inner = getInput().getDefiningOp<ConvertOp>(); inner && inner.getInput().getType() == getType()) {
    auto narrow = dyn_cast<FloatType>(getType().getElementType());
    auto wide = dyn_cast<FloatType>(inner.getType().getElementType());
    if (narrow && wide && APFloat::isRepresentableBy(narrow.getFloatSemantics(), wide.getFloatSemantics()))
      return foldTo(*this, inner.getInput());
  }
  auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  auto to = dyn_cast<FloatType>(getType().getElementType());
  if (!elements || !elements.isSplat() || !to)
    return {};
  if (isa<FloatType>(elements.getElementType())) {
    APFloat value = elements.getSplatValue<APFloat>();
    bool loses;
    value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
    return DenseElementsAttr::get(getType(), value);
  }
  APFloat value(to.getFloatSemantics());
  bool bit = elements.getElementType().isInteger(1);
  value.convertFromAPInt(elements.getSplatValue<APInt>(), /*IsSigned=*/!bit, APFloat::rmNearestTiesToEven);
  return DenseElementsAttr::get(getType(), value);
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferBroadcast(location, {adaptor.getLhs(), adaptor.getRhs()}, IntegerType::get(context, 1), types);
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  SmallVector<Type> branches;
  if (failed(inferBroadcast(location, {adaptor.getOnTrue(), adaptor.getOnFalse()}, {}, branches)))
    return failure();
  RankedTensorType condition = staticTensor(adaptor.getCondition());
  auto values = cast<RankedTensorType>(branches[0]);
  if (!condition)
    return emitOptionalError(location, "expects tensors of static shape");
  auto shape = broadcastShapes(condition.getShape(), values.getShape());
  if (!shape)
    return emitOptionalError(location, "cannot broadcast the condition's shape ", shapeText(condition.getShape()),
                             " with ", shapeText(values.getShape()));
  types.push_back(values.clone(*shape));
  return success();
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() && getOnTrue().getType() == getType())
    return foldTo(*this, getOnTrue());
  auto condition = dyn_cast_or_null<DenseElementsAttr>(adaptor.getCondition());
  if (!condition || !condition.isSplat())
    return {};
  Value taken = condition.getSplatValue<APInt>().isZero() ? getOnFalse() : getOnTrue();
  return taken.getType() == getType() ? foldTo(*this, taken) : OpFoldResult();
}

LogicalResult HardtanhOp::verify() {
  if (getMin() > getMax())
    return emitOpError() << "expects min not above max, found " << getMin().convertToDouble() << " and "
                         << getMax().convertToDouble();
  return success();
}

LogicalResult SoftplusOp::verify() {
  return getBeta().isZero() ? emitOpError() << "expects a beta other than 0" : success();
}

} // namespace pocket
