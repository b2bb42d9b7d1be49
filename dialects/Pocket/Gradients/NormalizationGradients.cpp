#include "Pocket/Gradients/Rules.h"
#include <tuple>

using namespace mlir;

namespace pocket {

//===----------------------------------------------------------------------===//
// Batch norm: y = (x - mean) rstd scale + bias, all but x per channel
//===----------------------------------------------------------------------===//

/// The per-channel sums that the gradients share: of g, and of g (x - mean).
static std::pair<Expr, Expr> channelSums(Expr g, Value input, Value mean, int64_t channelDim) {
  auto sums = BatchNormReduceGradOp::create(g.getBuilder(), g.getLocation(), g.value(), input, mean, channelDim);
  return {g.with(sums.getSum()), g.with(sums.getSumCentered())};
}

LogicalResult BatchNormInferenceOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed,
                                             Values &gradients) {
  int64_t channelDim = getChannelDim(), rank = getType().getRank();
  Expr g(builder, getLoc(), cotangents[0]), rstd, factor;
  bool affine = static_cast<bool>(getScale());
  bool scaled = needed[0] || needed[1] || needed[2];
  bool sums = needed[2] || (affine && needed[3]);
  if (scaled || sums)
    rstd = rsqrt(g.with(getVariance()) + num(getEpsilon()));
  if (scaled)
    factor = affine ? g.with(getScale()) * rstd : rstd;

  Value dx, dmean, dvariance, dscale, dbias;
  if (needed[0])
    dx = (g * alongDim(factor, channelDim, rank)).value();
  Expr total, centered;
  if (sums)
    std::tie(total, centered) = channelSums(g, getInput(), getMean(), channelDim);
  else if (needed[1] || (affine && needed[4]))
    total = sum(g, allDimsBut(channelDim, rank));
  if (needed[1])
    dmean = (-(total * factor)).value();
  if (needed[2])
    dvariance = (-0.5 * centered * factor * (rstd * rstd)).value();
  if (affine && needed[3])
    dscale = (centered * rstd).value();
  if (affine && needed[4])
    dbias = total.value();
  gradients.append({dx, dmean, dvariance});
  if (affine)
    gradients.append({dscale, dbias});
  return success();
}

void BatchNormInferenceOp::getBackwardReads(Needed needed, Values &values) {
  bool affine = static_cast<bool>(getScale());
  bool sums = needed[2] || (affine && needed[3]);
  if (sums)
    values.append({getInput(), getMean()});
  if (needed[0] || needed[1] || sums)
    values.push_back(getVariance());
  if (affine && (needed[0] || needed[1] || needed[2]))
    values.push_back(getScale());
}

LogicalResult BatchNormTrainingOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed,
                                            Values &gradients) {
  int64_t channelDim = getChannelDim(), rank = getInput().getType().getRank();
  bool affine = static_cast<bool>(getScale());
  auto expr = [&](Value value) { return Expr(builder, getLoc(), value); };
  auto wide = [&](Expr perChannel) { return alongDim(perChannel, channelDim, rank); };
  Expr g = expr(cotangents[0]), gMean = expr(cotangents[1]), gVariance = expr(cotangents[2]);
  Expr mean = expr(getMean()), dx;
  double count = static_cast<double>(getInput().getType().getNumElements()) /
                 std::max<int64_t>(getInput().getType().getDimSize(channelDim), 1);

  // dx = factor (g - sum g / n - (x - mean) rstd^2 sum(g (x - mean)) / n), and
  // what arrives at the statistics themselves; gathered by powers of x - mean.
  Expr constant, linear;
  Value dscale, dbias;
  bool sums = needed[0] || (affine && needed[1]);
  if (g && sums) {
    Expr rstd = rsqrt(expr(getVariance()) + num(getEpsilon()));
    auto [total, centered] = channelSums(g, getInput(), getMean(), channelDim);
    if (affine && needed[1])
      dscale = (centered * rstd).value();
    dbias = total.value();
    if (needed[0]) {
      Expr factor = affine ? expr(getScale()) * rstd : rstd;
      dx = g * wide(factor);
      constant = factor * total * (-1.0 / count);
      linear = factor * (rstd * rstd) * centered * (-1.0 / count);
    }
  } else if (g && affine && needed[2]) {
    dbias = sum(g, allDimsBut(channelDim, rank)).value();
  }
  if (needed[0]) {
    if (gMean)
      constant = addMaybe(constant, gMean * (1.0 / count));
    if (gVariance)
      linear = addMaybe(linear, gVariance * (2.0 / count));
    if (linear)
      dx = addMaybe(dx, (expr(getInput()) - wide(mean)) * wide(linear));
    if (constant)
      dx = addMaybe(dx, dx ? wide(constant) : broadcastTo(wide(constant), getInput().getType().getShape()));
  }
  gradients.push_back(dx.value());
  if (affine)
    gradients.append({dscale, needed[2] ? dbias : Value()});
  return success();
}

void BatchNormTrainingOp::getBackwardReads(Needed needed, Values &values) {
  bool affine = static_cast<bool>(getScale());
  if (needed[0] || (affine && needed[1]))
    values.append({getInput(), getMean(), getVariance()});
  if (affine && needed[0])
    values.push_back(getScale());
}

//===----------------------------------------------------------------------===//
// Layer norm
//===----------------------------------------------------------------------===//

LogicalResult LayerNormOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  RankedTensorType type = getInput().getType();
  int64_t axis = getAxis();
  bool affine = static_cast<bool>(getScale());
  auto expr = [&](Value value) { return Expr(builder, getLoc(), value); };
  // Statistics have the leading dimensions' shape: append ones.
  SmallVector<int64_t> rowShape(type.getShape());
  std::fill(rowShape.begin() + axis, rowShape.end(), 1);
  auto wide = [&](Expr perRow) { return reshape(perRow, rowShape); };
  auto centered = [&] { return expr(getInput()) - wide(expr(getMean())); };
  Expr g = expr(cotangents[0]), gMean = expr(cotangents[1]), gRstd = expr(cotangents[2]);
  SmallVector<int64_t> rows = llvm::to_vector(llvm::seq<int64_t>(0, axis));

  Expr dx;
  Value dscale, dbias;
  if (needed[0]) {
    if (g)
      dx = g.with(LayerNormInputGradOp::create(builder, getLoc(), type, g.value(), getInput(), getMean(), getRstd(),
                                               getScale(), axis));
    double size = 1;
    for (int64_t extent : type.getShape().drop_front(axis))
      size *= extent;
    if (gMean)
      dx = addMaybe(dx, broadcastTo(wide(gMean * (1.0 / size)), type.getShape()));
    if (gRstd) {
      Expr rstd = expr(getRstd());
      dx = addMaybe(dx, centered() * wide(gRstd * (rstd * rstd * rstd) * (-1.0 / size)));
    }
  }
  if (g && affine && needed[1])
    dscale = sum(g * (centered() * wide(expr(getRstd()))), rows).value();
  if (g && affine && needed[2])
    dbias = sum(g, rows).value();
  gradients.push_back(dx.value());
  if (affine)
    gradients.append({dscale, dbias});
  return success();
}

void LayerNormOp::getBackwardReads(Needed needed, Values &values) {
  bool affine = static_cast<bool>(getScale());
  if (needed[0] || (affine && needed[1]))
    values.append({getInput(), getMean(), getRstd()});
  if (affine && needed[0])
    values.push_back(getScale());
}

} // namespace pocket
