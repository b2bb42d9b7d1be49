#include "Pocket/Gradients/Rules.h"

using namespace mlir;

namespace pocket {

/// A reduction's result or its cotangent, with the reduced dimensions kept as 1.
static Expr keepDims(Expr reduced, RankedTensorType input, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape(input.getShape());
  for (int64_t dim : dims)
    shape[dim] = 1;
  return reshape(reduced, shape);
}

LogicalResult SumOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  RankedTensorType type = getInput().getType();
  Expr g(builder, getLoc(), cotangents[0]);
  gradients.push_back(needed[0] ? broadcastTo(keepDims(g, type, getDims()), type.getShape()).value() : Value());
  return success();
}

void SumOp::getBackwardReads(Needed, Values &) {}

LogicalResult MeanOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  RankedTensorType type = getInput().getType();
  Expr g(builder, getLoc(), cotangents[0]);
  double count = 1;
  for (int64_t dim : getDims())
    count *= type.getDimSize(dim);
  gradients.push_back(
      needed[0] ? broadcastTo(keepDims(g * (1.0 / count), type, getDims()), type.getShape()).value() : Value());
  return success();
}

void MeanOp::getBackwardReads(Needed, Values &) {}

/// Every element that equals the extreme one gets the same part.
template <typename Op>
static Value extremeGradient(Op op, Expr g) {
  RankedTensorType type = op.getInput().getType();
  Expr x = g.with(op.getInput()), y = keepDims(g.with(op.getResult()), type, op.getDims());
  Expr hit = eq(x, y);
  Expr ties = sum(select(hit, g.number(1.0), g.number(0.0)), op.getDims(), /*keepdims=*/true);
  return select(hit, keepDims(g, type, op.getDims()) / ties, 0.0).value();
}

LogicalResult ReduceMaxOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  gradients.push_back(needed[0] ? extremeGradient(*this, Expr(builder, getLoc(), cotangents[0])) : Value());
  return success();
}

LogicalResult ReduceMinOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  gradients.push_back(needed[0] ? extremeGradient(*this, Expr(builder, getLoc(), cotangents[0])) : Value());
  return success();
}

void ReduceMaxOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[0])
    values.append({getInput(), getResult()});
}

void ReduceMinOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[0])
    values.append({getInput(), getResult()});
}

} // namespace pocket
