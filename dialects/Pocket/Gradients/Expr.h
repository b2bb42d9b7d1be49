// Arithmetic on values, so that a derivative rule reads like its formula.
//
//   Expr g(builder, location, cotangent), y(builder, location, result);
//   Value dx = (g * (1.0 - y * y)).value();
//
// Every operator builds one pocket op; numbers become rank-0 constants and
// broadcast.
#ifndef POCKET_GRADIENTS_EXPR_H
#define POCKET_GRADIENTS_EXPR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace pocket {

enum class GeluApproximation : uint32_t;

class Expr {
public:
  /// No value: a gradient that is zero.
  Expr() = default;
  Expr(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value)
      : builder(&builder), location(location), held(value) {}

  mlir::Value value() const { return held; }
  explicit operator bool() const { return static_cast<bool>(held); }
  mlir::RankedTensorType type() const { return mlir::cast<mlir::RankedTensorType>(held.getType()); }
  mlir::OpBuilder &getBuilder() const { return *builder; }
  mlir::Location getLocation() const { return location; }

  /// The same builder and location with another value.
  Expr with(mlir::Value value) const { return Expr(*builder, location, value); }
  /// A rank-0 constant of this value's element type.
  Expr number(double x) const;

private:
  mlir::OpBuilder *builder = nullptr;
  mlir::LocationAttr location;
  mlir::Value held;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
inline Expr operator+(Expr a, double b) { return a + a.number(b); }
inline Expr operator-(Expr a, double b) { return a - a.number(b); }
inline Expr operator*(Expr a, double b) { return a * a.number(b); }
inline Expr operator/(Expr a, double b) { return a / a.number(b); }
inline Expr operator+(double a, Expr b) { return b.number(a) + b; }
inline Expr operator-(double a, Expr b) { return b.number(a) - b; }
inline Expr operator*(double a, Expr b) { return b.number(a) * b; }
inline Expr operator/(double a, Expr b) { return b.number(a) / b; }

Expr exp(Expr a);
Expr log(Expr a);
Expr sin(Expr a);
Expr cos(Expr a);
Expr tanh(Expr a);
Expr erf(Expr a);
Expr sigmoid(Expr a);
Expr sign(Expr a);
Expr rsqrt(Expr a);

Expr eq(Expr a, Expr b);
Expr gt(Expr a, Expr b);
Expr ge(Expr a, Expr b);
Expr lt(Expr a, Expr b);
Expr le(Expr a, Expr b);
inline Expr gt(Expr a, double b) { return gt(a, a.number(b)); }
inline Expr ge(Expr a, double b) { return ge(a, a.number(b)); }
inline Expr lt(Expr a, double b) { return lt(a, a.number(b)); }
inline Expr le(Expr a, double b) { return le(a, a.number(b)); }
inline Expr eq(Expr a, double b) { return eq(a, a.number(b)); }
Expr logicalAnd(Expr a, Expr b);
Expr logicalOr(Expr a, Expr b);
Expr select(Expr condition, Expr a, Expr b);
inline Expr select(Expr condition, Expr a, double b) { return select(condition, a, a.number(b)); }
inline Expr select(Expr condition, double a, Expr b) { return select(condition, b.number(a), b); }

inline double num(const llvm::APFloat &x) { return x.convertToDouble(); }

Expr sum(Expr a, llvm::ArrayRef<int64_t> dims, bool keepdims = false);
Expr reshape(Expr a, llvm::ArrayRef<int64_t> shape);
Expr transpose(Expr a, llvm::ArrayRef<int64_t> permutation);
/// Repeats `a` up to `shape`, by numpy's rules.
Expr broadcastTo(Expr a, llvm::ArrayRef<int64_t> shape);
/// `[C]` as a shape that broadcasts along dimension `dim` of a tensor of `rank`.
Expr alongDim(Expr a, int64_t dim, int64_t rank);

/// Undoes broadcasting: sums `a` down to `type`'s shape. Null stays null.
mlir::Value sumToShape(Expr a, mlir::Type type);

// The longer rules of the table in IR/ElementwiseOps.td.
Expr siluGradient(Expr g, Expr x);
Expr geluGradient(Expr g, Expr x, GeluApproximation approximate);
Expr powGradientBase(Expr g, Expr base, Expr exponent);
Expr powGradientExponent(Expr g, Expr base, Expr exponent, Expr result);

} // namespace pocket

#endif // POCKET_GRADIENTS_EXPR_H
