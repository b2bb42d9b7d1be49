#include "Pocket/Gradients/Rules.h"

using namespace mlir;

namespace pocket {

LogicalResult SoftmaxOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  gradients.push_back(
      needed[0] ? SoftmaxGradOp::create(builder, getLoc(), cotangents[0], getResult(), getDim()).getResult() : Value());
  return success();
}

void SoftmaxOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[0])
    values.push_back(getResult());
}

LogicalResult LogSoftmaxOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  gradients.push_back(
      needed[0] ? LogSoftmaxGradOp::create(builder, getLoc(), cotangents[0], getResult(), getDim()).getResult()
                : Value());
  return success();
}

void LogSoftmaxOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[0])
    values.push_back(getResult());
}

} // namespace pocket
