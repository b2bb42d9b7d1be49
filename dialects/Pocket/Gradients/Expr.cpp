#include "Pocket/Gradients/Expr.h"
#include "Pocket/IR/Pocket.h"
#include "Pocket/IR/Shapes.h"
#include <cmath>

using namespace mlir;

namespace pocket {

Expr Expr::number(double x) const {
  auto type = RankedTensorType::get({}, this->type().getElementType());
  auto value = DenseElementsAttr::get(type, FloatAttr::get(type.getElementType(), x));
  return with(ConstantOp::create(*builder, location, type, value));
}

template <typename Op>
static Expr unary(Expr a) {
  return a.with(Op::create(a.getBuilder(), a.getLocation(), a.type(), a.value()));
}
template <typename Op>
static Expr binary(Expr a, Expr b) {
  return a.with(Op::create(a.getBuilder(), a.getLocation(), a.value(), b.value()));
}
static Expr compare(Predicate predicate, Expr a, Expr b) {
  auto attr = PredicateAttr::get(a.type().getContext(), predicate);
  return a.with(CompareOp::create(a.getBuilder(), a.getLocation(), attr, a.value(), b.value()));
}

Expr operator+(Expr a, Expr b) { return binary<AddOp>(a, b); }
Expr operator-(Expr a, Expr b) { return binary<SubOp>(a, b); }
Expr operator*(Expr a, Expr b) { return binary<MulOp>(a, b); }
Expr operator/(Expr a, Expr b) { return binary<DivOp>(a, b); }
Expr operator-(Expr a) { return unary<NegOp>(a); }
Expr exp(Expr a) { return unary<ExpOp>(a); }
Expr log(Expr a) { return unary<LogOp>(a); }
Expr sin(Expr a) { return unary<SinOp>(a); }
Expr cos(Expr a) { return unary<CosOp>(a); }
Expr tanh(Expr a) { return unary<TanhOp>(a); }
Expr erf(Expr a) { return unary<ErfOp>(a); }
Expr sigmoid(Expr a) { return unary<SigmoidOp>(a); }
Expr sign(Expr a) { return unary<SignOp>(a); }
Expr rsqrt(Expr a) { return unary<RsqrtOp>(a); }
Expr eq(Expr a, Expr b) { return compare(Predicate::EQ, a, b); }
Expr gt(Expr a, Expr b) { return compare(Predicate::GT, a, b); }
Expr ge(Expr a, Expr b) { return compare(Predicate::GE, a, b); }
Expr lt(Expr a, Expr b) { return compare(Predicate::LT, a, b); }
Expr le(Expr a, Expr b) { return compare(Predicate::LE, a, b); }
Expr logicalAnd(Expr a, Expr b) { return binary<AndOp>(a, b); }
Expr logicalOr(Expr a, Expr b) { return binary<OrOp>(a, b); }
Expr select(Expr condition, Expr a, Expr b) {
  return a.with(SelectOp::create(a.getBuilder(), a.getLocation(), condition.value(), a.value(), b.value()));
}

Expr sum(Expr a, ArrayRef<int64_t> dims, bool keepdims) {
  if (dims.empty())
    return a;
  return a.with(SumOp::create(a.getBuilder(), a.getLocation(), a.value(), dims, keepdims).getResult());
}

Expr reshape(Expr a, ArrayRef<int64_t> shape) {
  if (a.type().getShape() == shape)
    return a;
  return a.with(ReshapeOp::create(a.getBuilder(), a.getLocation(), a.type().clone(shape), a.value()));
}

Expr transpose(Expr a, ArrayRef<int64_t> permutation) {
  return a.with(TransposeOp::create(a.getBuilder(), a.getLocation(), a.value(), permutation).getResult());
}

Expr broadcastTo(Expr a, ArrayRef<int64_t> shape) {
  if (a.type().getShape() == shape)
    return a;
  return a.with(BroadcastOp::create(a.getBuilder(), a.getLocation(), a.type().clone(shape), a.value()));
}

Expr alongDim(Expr a, int64_t dim, int64_t rank) {
  SmallVector<int64_t> shape(rank - dim, 1);
  shape[0] = a.type().getNumElements();
  return reshape(a, shape);
}

Value sumToShape(Expr a, Type type) {
  if (!a)
    return {};
  ArrayRef<int64_t> from = a.type().getShape(), to = cast<RankedTensorType>(type).getShape();
  // A rule may be smaller than its operand (a number): repeat it first.
  if (auto joint = broadcastShapes(from, to); joint && ArrayRef<int64_t>(*joint) != from) {
    a = broadcastTo(a, *joint);
    from = a.type().getShape();
  }
  SmallVector<int64_t> dims;
  size_t lead = from.size() - to.size();
  for (size_t i = 0; i < from.size(); ++i)
    if (i < lead || (to[i - lead] == 1 && from[i] != 1))
      dims.push_back(i);
  return reshape(sum(a, dims), to).value();
}

Expr siluGradient(Expr g, Expr x) {
  Expr s = sigmoid(x);
  return g * (s * (1.0 + x * (1.0 - s)));
}

Expr geluGradient(Expr g, Expr x, GeluApproximation approximate) {
  if (approximate == GeluApproximation::TANH) {
    // d/dx of 0.5 x (1 + tanh(c (x + 0.044715 x^3))), c = sqrt(2 / pi).
    const double c = std::sqrt(2.0 / M_PI), k = 0.044715;
    Expr square = x * x;
    Expr t = tanh(c * (x + k * (square * x)));
    Expr inner = c * (1.0 + (3.0 * k) * square);
    return g * (0.5 * (1.0 + t) + 0.5 * (x * ((1.0 - t * t) * inner)));
  }
  Expr cdf = 0.5 * (1.0 + erf(x * M_SQRT1_2));
  Expr pdf = (M_2_SQRTPI * M_SQRT1_2 * 0.5) * exp(-0.5 * (x * x));
  return g * (cdf + x * pdf);
}

Expr powGradientBase(Expr g, Expr base, Expr exponent) {
  // b a^(b - 1), and 0 where b is 0 (where a^(b - 1) may be infinite).
  Expr power = binary<PowOp>(base, exponent - 1.0);
  return select(eq(exponent, 0.0), 0.0, g * (exponent * power));
}

Expr powGradientExponent(Expr g, Expr base, Expr exponent, Expr result) {
  // y ln a, and 0 for 0 to a power that is not negative.
  Expr zero = logicalAnd(eq(base, 0.0), ge(exponent, 0.0));
  return g * select(zero, 0.0, result * log(base));
}

} // namespace pocket
