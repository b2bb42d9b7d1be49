#include "Pocket/Gradients/Rules.h"

using namespace mlir;

namespace pocket {

LogicalResult MaxPool2dOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Value dx;
  if (needed[0] && cotangents[0])
    dx = MaxPool2dGradOp::create(builder, getLoc(), getInput().getType(), cotangents[0], getIndex(), getKernel(),
                                 getStrides(), getPadding(), getDilations(), getCeilMode(), getLayout());
  gradients.push_back(dx);
  return success();
}

void MaxPool2dOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[0])
    values.push_back(getIndex());
}

LogicalResult AvgPool2dOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Value dx;
  if (needed[0])
    dx = AvgPool2dGradOp::create(builder, getLoc(), getInput().getType(), cotangents[0], getKernel(), getStrides(),
                                 getPadding(), getCeilMode(), getCountIncludePad(), getLayout());
  gradients.push_back(dx);
  return success();
}

void AvgPool2dOp::getBackwardReads(Needed, Values &) {}

} // namespace pocket
