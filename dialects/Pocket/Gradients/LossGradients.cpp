#include "Pocket/Gradients/Rules.h"

using namespace mlir;

namespace pocket {

LogicalResult CrossEntropyOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  auto expr = [&](Value value) { return Expr(builder, getLoc(), value); };
  Expr logits = expr(getLogits()), logsumexp = expr(getLogsumexp()), dx;
  if (needed[0]) {
    if (cotangents[0])
      dx = expr(CrossEntropyGradOp::create(builder, getLoc(), getLogits().getType(), cotangents[0], getLogits(),
                                           getTargets(), getLogsumexp(), getIgnoreIndex(), getLabelSmoothing(),
                                           getReduction()));
    // The gradient of logsumexp is softmax.
    if (cotangents[1])
      dx = addMaybe(dx, alongDim(expr(cotangents[1]), 0, 2) * exp(logits - alongDim(logsumexp, 0, 2)));
  }
  gradients.append({dx.value(), Value()});
  return success();
}

void CrossEntropyOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[0])
    values.append({getLogits(), getTargets(), getLogsumexp()});
}

} // namespace pocket
