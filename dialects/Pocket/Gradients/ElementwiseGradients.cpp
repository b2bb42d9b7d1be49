// Elementwise ops whose rule does not fit the table in IR/ElementwiseOps.td.
#include "Pocket/Gradients/Rules.h"

using namespace mlir;

namespace pocket {

LogicalResult ConvertOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  bool floats = isa<FloatType>(getInput().getType().getElementType()) && isa<FloatType>(getType().getElementType());
  gradients.push_back(needed[0] && floats
                          ? ConvertOp::create(builder, getLoc(), getInput().getType(), cotangents[0]).getResult()
                          : Value());
  return success();
}

void ConvertOp::getBackwardReads(Needed, Values &) {}

LogicalResult SelectOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Expr g(builder, getLoc(), cotangents[0]), condition = g.with(getCondition());
  gradients.push_back({});
  gradients.push_back(needed[1] ? sumToShape(select(condition, g, 0.0), getOnTrue().getType()) : Value());
  gradients.push_back(needed[2] ? sumToShape(select(condition, 0.0, g), getOnFalse().getType()) : Value());
  return success();
}

void SelectOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[1] || needed[2])
    values.push_back(getCondition());
}

} // namespace pocket
