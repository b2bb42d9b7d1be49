// Softmax and its logarithm along any dimension, and their gradients.
#include "passes/Lowering/Lower.h"
#include "passes/Lowering/Patterns.h"
#include "passes/Lowering/Reduce.h"

using namespace mlir;

namespace pocket {
namespace {

using Terms = SmallVector<Scalar>;

Value softmax(Emit &e, Value input, int64_t dim, bool logarithm, const Tiles &tiles) {
  RankedTensorType type = Emit::type(input);
  Type element = type.getElementType();
  View view = viewAround(type.getShape(), dim, dim);
  Value x = toView(e, input, view), y;
  Value largest = reduceTogether(e, view, {{x}}, Join::Max, element,
                                 [](ArrayRef<Scalar> x) { return Terms{x[0]}; }, tiles)[0];
  if (logarithm) {
    Value sum = reduceTogether(e, view, {{x}, {largest, Along::Results}}, Join::Sum, element,
                               [](ArrayRef<Scalar> x) { return Terms{exp(x[0] - x[1])}; }, tiles)[0];
    y = mapView(e, view, {{x}, {largest, Along::Results}, {sum, Along::Results}}, element,
                [](ArrayRef<Scalar> x) { return x[0] - x[1] - log(x[2]); });
  } else {
    Value powers = mapView(e, view, {{x}, {largest, Along::Results}}, element,
                           [](ArrayRef<Scalar> x) { return exp(x[0] - x[1]); });
    Value sum = reduceTogether(e, view, {{powers}}, Join::Sum, element,
                               [](ArrayRef<Scalar> x) { return Terms{x[0]}; }, tiles)[0];
    y = mapView(e, view, {{powers}, {sum, Along::Results}}, element, [](ArrayRef<Scalar> x) { return x[0] / x[1]; });
  }
  return e.reshape(y, type.getShape());
}

template <typename Op>
Value gradient(Emit &e, Op op, const Tiles &tiles, Scalar (*term)(Scalar g, Scalar y),
               Scalar (*result)(Scalar g, Scalar y, Scalar sum)) {
  RankedTensorType type = op.getResult().getType();
  View view = viewAround(type.getShape(), op.getDim(), op.getDim());
  Value g = toView(e, op.getCotangent(), view), y = toView(e, op.getOutput(), view);
  Value sum = reduceTogether(e, view, {{g}, {y}}, Join::Sum, type.getElementType(),
                             [&](ArrayRef<Scalar> x) { return Terms{term(x[0], x[1])}; }, tiles)[0];
  Value dx = mapView(e, view, {{g}, {y}, {sum, Along::Results}}, type.getElementType(),
                     [&](ArrayRef<Scalar> x) { return result(x[0], x[1], x[2]); });
  return e.reshape(dx, type.getShape());
}

} // namespace

void populateSoftmaxToLinalg(RewritePatternSet &patterns, const Tiles &tiles) {
  addValueLowering<SoftmaxOp>(patterns, [=](Emit &e, SoftmaxOp op) {
    return softmax(e, op.getInput(), op.getDim(), /*logarithm=*/false, tiles);
  });
  addValueLowering<LogSoftmaxOp>(patterns, [=](Emit &e, LogSoftmaxOp op) {
    return softmax(e, op.getInput(), op.getDim(), /*logarithm=*/true, tiles);
  });
  addValueLowering<SoftmaxGradOp>(patterns, [=](Emit &e, SoftmaxGradOp op) {
    return gradient(
        e, op, tiles, +[](Scalar g, Scalar y) { return plainTerm(g * y); },
        +[](Scalar g, Scalar y, Scalar sum) { return y * (g - sum); });
  });
  addValueLowering<LogSoftmaxGradOp>(patterns, [=](Emit &e, LogSoftmaxGradOp op) {
    return gradient(
        e, op, tiles, +[](Scalar g, Scalar) { return g; },
        +[](Scalar g, Scalar y, Scalar sum) { return g - exp(y) * sum; });
  });
}

} // namespace pocket
