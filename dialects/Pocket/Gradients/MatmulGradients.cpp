#include "Pocket/Gradients/Rules.h"

using namespace mlir;

namespace pocket {

static Value matmul(Expr a, bool transposeA, Expr b, bool transposeB) {
  return MatmulOp::create(a.getBuilder(), a.getLocation(), a.value(), b.value(), transposeA, transposeB).getResult();
}

LogicalResult MatmulOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Expr g(builder, getLoc(), cotangents[0]), a = g.with(getLhs()), b = g.with(getRhs());
  bool ta = getTransposeLhs(), tb = getTransposeRhs();
  Value da, db;
  // With y = A B: dA = g B^T and dB = A^T g; where an operand is stored
  // transposed, so is its gradient.
  if (needed[0])
    da = ta ? matmul(b, tb, g, true) : matmul(g, false, b, !tb);
  if (needed[1])
    db = tb ? matmul(g, true, a, ta) : matmul(a, !ta, g, false);
  gradients.append({da, db});
  return success();
}

void MatmulOp::getBackwardReads(Needed needed, Values &values) {
  if (needed[1])
    values.push_back(getLhs());
  if (needed[0])
    values.push_back(getRhs());
}

} // namespace pocket
