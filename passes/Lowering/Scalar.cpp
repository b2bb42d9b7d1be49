#include "passes/Lowering/Scalar.h"

using namespace mlir;

namespace pocket {

template <typename Op, typename... Args>
static Scalar make(Scalar x, Args... args) {
  return {*x.emit, Op::create(x.emit->b, x.emit->loc, args...)};
}

Scalar Scalar::toFloat(Type to) const {
  if (type() == to)
    return *this;
  unsigned from = type().getIntOrFloatBitWidth(), width = to.getIntOrFloatBitWidth();
  if (from == width) // f16 and bf16
    return toFloat(Float32Type::get(to.getContext())).toFloat(to);
  return from < width ? make<arith::ExtFOp>(*this, to, v) : make<arith::TruncFOp>(*this, to, v);
}

Scalar operator-(Scalar x) { return x.isFloat() ? make<arith::NegFOp>(x, x.value()) : x.number(0) - x; }
Scalar operator+(Scalar x, Scalar y) { return {*x.emit, x.emit->add(x.value(), y.value())}; }
Scalar operator-(Scalar x, Scalar y) { return {*x.emit, x.emit->sub(x.value(), y.value())}; }
Scalar operator*(Scalar x, Scalar y) { return {*x.emit, x.emit->mul(x.value(), y.value())}; }
Scalar operator/(Scalar x, Scalar y) { return {*x.emit, x.emit->div(x.value(), y.value())}; }

Scalar compare(Predicate predicate, Scalar x, Scalar y) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static constexpr F floats[] = {F::OEQ, F::UNE, F::OLT, F::OLE, F::OGT, F::OGE};
  static constexpr I integers[] = {I::eq, I::ne, I::slt, I::sle, I::sgt, I::sge};
  static constexpr I booleans[] = {I::eq, I::ne, I::ult, I::ule, I::ugt, I::uge};
  auto at = static_cast<unsigned>(predicate);
  if (x.isFloat())
    return make<arith::CmpFOp>(x, floats[at], x.value(), y.value());
  return make<arith::CmpIOp>(x, x.isBool() ? booleans[at] : integers[at], x.value(), y.value());
}

Scalar select(Scalar condition, Scalar x, Scalar y) {
  return make<arith::SelectOp>(x, condition.value(), x.value(), y.value());
}
Scalar bitAnd(Scalar x, Scalar y) { return make<arith::AndIOp>(x, x.value(), y.value()); }
Scalar bitOr(Scalar x, Scalar y) { return make<arith::OrIOp>(x, x.value(), y.value()); }
Scalar bitXor(Scalar x, Scalar y) { return make<arith::XOrIOp>(x, x.value(), y.value()); }

Scalar abs(Scalar x) { return x.isFloat() ? make<math::AbsFOp>(x, x.value()) : make<math::AbsIOp>(x, x.value()); }
Scalar sqrt(Scalar x) { return make<math::SqrtOp>(x, x.value()); }
Scalar rsqrt(Scalar x) { return make<math::RsqrtOp>(x, x.value()); }
Scalar exp(Scalar x) { return make<math::ExpOp>(x, x.value()); }
Scalar expm1(Scalar x) { return make<math::ExpM1Op>(x, x.value()); }
Scalar log(Scalar x) { return make<math::LogOp>(x, x.value()); }
Scalar log1p(Scalar x) { return make<math::Log1pOp>(x, x.value()); }
Scalar tanh(Scalar x) { return make<math::TanhOp>(x, x.value()); }
Scalar floor(Scalar x) { return make<math::FloorOp>(x, x.value()); }
Scalar ceil(Scalar x) { return make<math::CeilOp>(x, x.value()); }
Scalar round(Scalar x) { return make<math::RoundEvenOp>(x, x.value()); }
static Scalar fma(Scalar x, Scalar y, Scalar z) { return make<math::FmaOp>(x, x.value(), y.value(), z.value()); }

/// `x` less a whole number of turns. The code generator's sine reduces with one
/// multiplication, which costs digits from a hundred on.
static Scalar lessWholeTurns(Scalar x) {
  if (!x.type().isF32())
    return x;
  // 2 pi in three parts (Cody and Waite): the first has few bits, its multiples are exact.
  Scalar turns = round(x * 0.15915494309189535);
  Scalar r = fma(turns, x.number(-6.28125), x);
  r = fma(turns, x.number(-1.9353071693331003e-3), r);
  return fma(turns, x.number(-1.0253131677018246e-11), r);
}
Scalar sin(Scalar x) {
  Scalar r = lessWholeTurns(x);
  return make<math::SinOp>(r, r.value());
}
Scalar cos(Scalar x) {
  Scalar r = lessWholeTurns(x);
  return make<math::CosOp>(r, r.value());
}

Scalar erf(Scalar x) {
  if (!x.type().isF32())
    return make<math::ErfOp>(x, x.value());
  // A rational approximation (XLA's), twice as fast as the code generator's
  // expansion. At this bound it is 1 exactly, as the function is in f32.
  static constexpr double bound = 3.9;
  static constexpr double numerator[] = {0.00022905065861350646, 0.0034082910107109506, 0.050955695062380861,
                                         0.18520832239976145, 1.128379143519084};
  static constexpr double denominator[] = {-1.1791602954361697e-7, 0.000023547966471313185, 0.0010179625278914885,
                                           0.014070470171167667, 0.11098505178285362, 0.49746925110067538, 1.0};
  Scalar z = clamp(x, -bound, bound), square = z * z;
  auto polynomial = [&](ArrayRef<double> coefficients) {
    Scalar p = z.number(coefficients[0]);
    for (double c : coefficients.drop_front())
      p = fma(p, square, z.number(c));
    return p;
  };
  return z * polynomial(numerator) / polynomial(denominator);
}

Scalar sigmoid(Scalar x) { return 1.0 / (1.0 + exp(-x)); }

Scalar pow(Scalar x, Scalar y) {
  // The code generator's power is exp(y log x): the cases that the logarithm
  // does not cover are set right here.
  Scalar p = make<math::PowFOp>(x, abs(x).value(), y.value());
  Scalar isWhole = eq(floor(y), y), half = y * 0.5, isOdd = ne(floor(half), half);
  Scalar nan = x.number(std::numeric_limits<double>::quiet_NaN());
  Scalar ofNegative = select(isWhole, select(isOdd, -p, p), select(eq(x, -std::numeric_limits<double>::infinity()), p, nan));
  p = select(lt(x, 0.0), ofNegative, p);
  return select(bitOr(eq(y, 0.0), eq(x, 1.0)), x.number(1), p);
}

Scalar powNumber(Scalar x, double exponent) {
  if (exponent == 0)
    return x.number(1);
  if (exponent == 1)
    return x;
  if (exponent == 2)
    return x * x;
  if (exponent == 3)
    return x * x * x;
  if (exponent == -1)
    return 1.0 / x;
  if (exponent == -2)
    return 1.0 / (x * x);
  if (exponent == 0.5)
    return sqrt(x);
  if (exponent == -0.5)
    return 1.0 / sqrt(x);
  return pow(x, x.number(exponent));
}

Scalar maximum(Scalar x, Scalar y) {
  return x.isFloat() ? make<arith::MaximumFOp>(x, x.value(), y.value()) : make<arith::MaxSIOp>(x, x.value(), y.value());
}
Scalar minimum(Scalar x, Scalar y) {
  return x.isFloat() ? make<arith::MinimumFOp>(x, x.value(), y.value()) : make<arith::MinSIOp>(x, x.value(), y.value());
}

Scalar clamp(Scalar x, double low, double high) {
  // A comparison and a selection are one instruction on most processors; the
  // NaN-propagating minimum and maximum are several.
  if (low > -std::numeric_limits<double>::infinity())
    x = select(lt(x, low), x.number(low), x);
  if (high < std::numeric_limits<double>::infinity())
    x = select(gt(x, high), x.number(high), x);
  return x;
}

Scalar plainTerm(Scalar x) { return x + 0.0; }
Scalar plainSquare(Scalar x) { return abs(x * x); }

Value loopIndex(Emit &e, int64_t dim) { return linalg::IndexOp::create(e.b, e.loc, dim); }

Value clampedIndex(Scalar x, int64_t size) {
  // In the element's own type: a large index must not wrap around first. An i8
  // need not hold `size - 1`, and then cannot exceed it.
  unsigned width = x.type().getIntOrFloatBitWidth();
  if (width > 8 || size - 1 <= 127)
    x = minimum(x, x.number(size - 1));
  x = maximum(x, x.number(0));
  return arith::IndexCastOp::create(x.emit->b, x.emit->loc, x.emit->b.getIndexType(), x.value());
}

} // namespace pocket
