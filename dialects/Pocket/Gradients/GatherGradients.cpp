#include "Pocket/Gradients/Rules.h"

using namespace mlir;

namespace pocket {

LogicalResult EmbeddingOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  gradients.push_back(needed[0] ? EmbeddingGradOp::create(builder, getLoc(), getWeight().getType(), cotangents[0],
                                                          getIndices(), getPaddingIdx())
                                      .getResult()
                                : Value());
  gradients.push_back({});
  return success();
}

void EmbeddingOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[0])
    values.push_back(getIndices());
}

LogicalResult GatherOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  gradients.push_back(needed[0] ? GatherGradOp::create(builder, getLoc(), getInput().getType(), cotangents[0],
                                                       getIndices(), getDim())
                                      .getResult()
                                : Value());
  gradients.push_back({});
  return success();
}

void GatherOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[0])
    values.push_back(getIndices());
}

} // namespace pocket
