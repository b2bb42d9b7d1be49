// Arithmetic on the elements inside a linalg body, written as in a textbook.
#ifndef POCKET_PASSES_LOWERING_SCALAR_H
#define POCKET_PASSES_LOWERING_SCALAR_H

#include "passes/Lowering/Emit.h"

namespace pocket {

/// A scalar SSA value with operators. A plain number on either side of one
/// takes the other side's type.
class Scalar {
public:
  Scalar(Emit &emit, mlir::Value value) : emit(&emit), v(value) {}

  mlir::Value value() const { return v; }
  mlir::Type type() const { return v.getType(); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type()); }
  bool isBool() const { return type().isInteger(1); }
  /// The number in this scalar's type.
  Scalar number(double x) const { return {*emit, emit->constant(type(), x)}; }
  /// The same scalar in another floating-point type.
  Scalar toFloat(mlir::Type type) const;

  Emit *emit;

private:
  mlir::Value v;
};

Scalar operator-(Scalar x);
Scalar operator+(Scalar x, Scalar y);
Scalar operator-(Scalar x, Scalar y);
Scalar operator*(Scalar x, Scalar y);
Scalar operator/(Scalar x, Scalar y);
inline Scalar operator+(Scalar x, double y) { return x + x.number(y); }
inline Scalar operator-(Scalar x, double y) { return x - x.number(y); }
inline Scalar operator*(Scalar x, double y) { return x * x.number(y); }
inline Scalar operator/(Scalar x, double y) { return x / x.number(y); }
inline Scalar operator+(double x, Scalar y) { return y.number(x) + y; }
inline Scalar operator-(double x, Scalar y) { return y.number(x) - y; }
inline Scalar operator*(double x, Scalar y) { return y.number(x) * y; }
inline Scalar operator/(double x, Scalar y) { return y.number(x) / y; }

/// Ordered comparisons, but for `ne`: false, and true, where either is NaN.
Scalar compare(Predicate predicate, Scalar x, Scalar y);
inline Scalar eq(Scalar x, Scalar y) { return compare(Predicate::EQ, x, y); }
inline Scalar ne(Scalar x, Scalar y) { return compare(Predicate::NE, x, y); }
inline Scalar lt(Scalar x, Scalar y) { return compare(Predicate::LT, x, y); }
inline Scalar gt(Scalar x, Scalar y) { return compare(Predicate::GT, x, y); }
inline Scalar eq(Scalar x, double y) { return eq(x, x.number(y)); }
inline Scalar ne(Scalar x, double y) { return ne(x, x.number(y)); }
inline Scalar lt(Scalar x, double y) { return lt(x, x.number(y)); }
inline Scalar gt(Scalar x, double y) { return gt(x, x.number(y)); }
inline Scalar le(Scalar x, double y) { return compare(Predicate::LE, x, x.number(y)); }
inline Scalar isNan(Scalar x) { return ne(x, x); }

Scalar select(Scalar condition, Scalar x, Scalar y);
Scalar bitAnd(Scalar x, Scalar y);
Scalar bitOr(Scalar x, Scalar y);
Scalar bitXor(Scalar x, Scalar y);

Scalar abs(Scalar x);
Scalar sqrt(Scalar x);
Scalar rsqrt(Scalar x);
Scalar exp(Scalar x);
Scalar expm1(Scalar x);
Scalar log(Scalar x);
Scalar log1p(Scalar x);
Scalar tanh(Scalar x);
Scalar floor(Scalar x);
Scalar ceil(Scalar x);
Scalar round(Scalar x);
Scalar sin(Scalar x);
Scalar cos(Scalar x);
/// Absolute error below 3e-7 in f32.
Scalar erf(Scalar x);
Scalar sigmoid(Scalar x);
Scalar pow(Scalar x, Scalar y);
Scalar powNumber(Scalar x, double exponent);
/// NaN where either is.
Scalar maximum(Scalar x, Scalar y);
Scalar minimum(Scalar x, Scalar y);
/// `x` held in [low, high]; NaN stays NaN.
Scalar clamp(Scalar x, double low, double high);

/// `x`, hidden from the code generator's search for matrix products: in a sum
/// over products it would take `sum + a * b` for one, which is several times
/// slower than the plain loop unless it is one.
Scalar plainTerm(Scalar x);
/// The same for a square, without a further operation at run time.
Scalar plainSquare(Scalar x);

/// The position in loop `dim` of the enclosing linalg op.
mlir::Value loopIndex(Emit &e, int64_t dim);
/// An integer element as a position in [0, size): out of range is held at the ends.
mlir::Value clampedIndex(Scalar x, int64_t size);

} // namespace pocket

#endif // POCKET_PASSES_LOWERING_SCALAR_H
