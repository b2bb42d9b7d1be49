#include "Pocket/Gradients/Rules.h"

using namespace mlir;

namespace pocket {

static Expr matmul(Expr a, Expr b, bool transposeA, bool transposeB) {
  return a.with(
      MatmulOp::create(a.getBuilder(), a.getLocation(), a.value(), b.value(), transposeA, transposeB).getResult());
}

static bool hasMaskGradient(AttentionOp op, Needed needed) {
  return op.getMask() && needed[3] && isa<FloatType>(tensorType(op.getMask()).getElementType());
}

/// With P = softmax(S) and S = scale Q K^T + mask: the result is P V. What is
/// masked has P = 0, so that no gradient reaches its score.
LogicalResult AttentionOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  auto expr = [&](Value value) { return Expr(builder, getLoc(), value); };
  Expr g = expr(cotangents[0]), dP = expr(cotangents[1]);
  Expr q = expr(getQuery()), k = expr(getKey()), v = expr(getValue()), p = expr(getProbabilities());
  bool mask = hasMaskGradient(*this, needed);
  Value dq, dk, dv, dmask;
  if (needed[0] || needed[1] || mask) {
    if (g)
      dP = addMaybe(dP, matmul(g, v, false, true));
    Expr dS = p.with(SoftmaxGradOp::create(builder, getLoc(), dP.value(), p.value(), 3).getResult());
    if (mask)
      dmask = sumToShape(dS, getMask().getType());
    if (needed[0] || needed[1]) {
      Expr scaled = dS * num(getScale());
      if (needed[0])
        dq = matmul(scaled, k, false, false).value();
      if (needed[1])
        dk = matmul(scaled, q, true, false).value();
    }
  }
  if (g && needed[2])
    dv = matmul(p, g, true, false).value();
  gradients.append({dq, dk, dv});
  if (getMask())
    gradients.push_back(dmask);
  return success();
}

void AttentionOp::getBackwardReads(Needed needed, Values &values) {
  bool scores = needed[0] || needed[1] || hasMaskGradient(*this, needed);
  if (needed[1])
    values.push_back(getQuery());
  if (needed[0])
    values.push_back(getKey());
  if (scores)
    values.push_back(getValue());
  if (scores || needed[2])
    values.push_back(getProbabilities());
}

} // namespace pocket
