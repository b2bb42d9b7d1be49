#include "Pocket/Gradients/Rules.h"

using namespace mlir;

namespace pocket {

LogicalResult Conv2dOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Expr g(builder, getLoc(), cotangents[0]);
  Value dx, dw, db;
  // The input's gradient first: it is the filter's last reader, and the update
  // that follows the filter's gradient may then overwrite the filter at once.
  if (needed[0])
    dx = Conv2dInputGradOp::create(builder, getLoc(), getInput().getType(), g.value(), getFilter(), getStrides(),
                                   getPadding(), getDilations(), getGroups(), getLayout());
  if (needed[1])
    dw = Conv2dWeightGradOp::create(builder, getLoc(), getFilter().getType(), getInput(), g.value(), getStrides(),
                                    getPadding(), getDilations(), getGroups(), getLayout());
  if (getBias() && needed[2])
    db = sum(g, allDimsBut(getLayout() == Layout::NHWC ? 3 : 1, 4)).value();
  gradients.append({dx, dw});
  if (getBias())
    gradients.push_back(db);
  return success();
}

void Conv2dOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[1])
    values.push_back(getInput());
  if (needed[0])
    values.push_back(getFilter());
}

/// As a forward op this is a transposed convolution: linear in both operands.
LogicalResult Conv2dInputGradOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Value g = cotangents[0], dy, dw;
  if (needed[0])
    dy = Conv2dOp::create(builder, getLoc(), g, getFilter(), /*bias=*/Value(), getStrides(), getPadding(),
                          getDilations(), getGroups(), getLayout());
  if (needed[1])
    dw = Conv2dWeightGradOp::create(builder, getLoc(), getFilter().getType(), g, getCotangent(), getStrides(),
                                    getPadding(), getDilations(), getGroups(), getLayout());
  gradients.append({dy, dw});
  return success();
}

void Conv2dInputGradOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[1])
    values.push_back(getCotangent());
  if (needed[0])
    values.push_back(getFilter());
}

} // namespace pocket
