// Cross entropy of class indices.
#include "passes/Lowering/Lower.h"
#include "passes/Lowering/Patterns.h"
#include "passes/Lowering/Reduce.h"

using namespace mlir;

namespace pocket {
namespace {

/// The class of each row, -1 where the row is ignored. 32 bits, for comparing
/// them with column numbers in full vectors.
Value rowClasses(Emit &e, Value targets, int64_t ignoreIndex, int64_t classes) {
  Type i32 = e.b.getI32Type();
  auto type = RankedTensorType::get(Emit::shape(targets), i32);
  return e.elementwise(type, targets, [&](Emit &body, ValueRange args) {
    Scalar target(body, args[0]);
    Value held = arith::IndexCastOp::create(body.b, body.loc, i32, clampedIndex(target, classes));
    if (target.type().isInteger(8) && (ignoreIndex < -128 || ignoreIndex > 127))
      return held; // no i8 is the ignored index
    if (target.type().isInteger(32) && ignoreIndex != static_cast<int32_t>(ignoreIndex))
      return held;
    Scalar label(body, held);
    return select(ne(target, ignoreIndex), label, label.number(-1)).value();
  });
}

/// How many rows count, as a float.
Value countRows(Emit &e, Value classes, Type element) {
  View view{1, Emit::shape(classes)[0], 1};
  Value ones = e.elementwise(RankedTensorType::get(Emit::shape(classes), element), classes, [&](Emit &body, ValueRange args) {
    Scalar isKept = compare(Predicate::GE, {body, args[0]}, Scalar(body, args[0]).number(0));
    return arith::UIToFPOp::create(body.b, body.loc, element, isKept.value()).getResult();
  });
  return reduceTogether(e, view, {{toView(e, ones, view)}}, Join::Sum, element,
                        [](ArrayRef<Scalar> x) { return SmallVector<Scalar>{x[0]}; }, Tiles(e.b.getContext(), 0))[0];
}

SmallVector<Value> lowerCrossEntropy(Emit &e, CrossEntropyOp op, const Tiles &tiles) {
  Value logits = op.getLogits();
  RankedTensorType type = Emit::type(logits);
  Type element = type.getElementType();
  int64_t rows = type.getDimSize(0), number = type.getDimSize(1);
  double smoothing = op.getLabelSmoothing().convertToDouble();
  RankedTensorType perRow = type.clone({rows});

  View view{rows, number, 1};
  Value x = toView(e, logits, view);
  Value largest = reduceTogether(e, view, {{x}}, Join::Max, element,
                                 [](ArrayRef<Scalar> x) { return SmallVector<Scalar>{x[0]}; }, tiles)[0];
  Value sum = reduceTogether(e, view, {{x}, {largest, Along::Outer}}, Join::Sum, element,
                             [](ArrayRef<Scalar> x) { return SmallVector<Scalar>{exp(x[0] - x[1])}; }, tiles)[0];
  Value logsumexp = e.elementwise(perRow, {e.reshape(largest, {rows}), e.reshape(sum, {rows})},
                                  [](Emit &body, ValueRange args) {
                                    return (Scalar(body, args[0]) + log(Scalar(body, args[1]))).value();
                                  });

  Value classes = rowClasses(e, op.getTargets(), op.getIgnoreIndex(), number);
  SmallVector<Value> inputs = {classes, logsumexp};
  if (smoothing != 0)
    inputs.push_back(reduce(e, logits, {1}, /*keepDims=*/false, Join::Sum, tiles));
  Value losses = e.elementwise(perRow, inputs, [&](Emit &body, ValueRange args) {
    Scalar label(body, args[0]), lse(body, args[1]);
    Value row = loopIndex(body, 0), column = clampedIndex(label, number);
    Scalar picked(body, tensor::ExtractOp::create(body.b, body.loc, logits, ValueRange{row, column}));
    Scalar loss = lse - picked;
    if (smoothing != 0)
      loss = (1 - smoothing) * loss + smoothing * (lse - Scalar(body, args[2]) / number);
    return select(lt(label, 0.0), loss.number(0), loss).value();
  });
  if (op.getReduction() == LossReduction::NONE)
    return {losses, logsumexp};
  Value total = reduce(e, losses, {0}, /*keepDims=*/false, Join::Sum, tiles);
  if (op.getReduction() == LossReduction::MEAN)
    total = e.elementwise(type.clone(ArrayRef<int64_t>{}), {total, countRows(e, classes, element)},
                          [](Emit &body, ValueRange args) { return body.div(args[0], args[1]); });
  return {total, logsumexp};
}

Value lowerCrossEntropyGrad(Emit &e, CrossEntropyGradOp op) {
  RankedTensorType type = op.getResult().getType();
  Type element = type.getElementType();
  int64_t number = type.getDimSize(1);
  double smoothing = op.getLabelSmoothing().convertToDouble();
  Value classes = rowClasses(e, op.getTargets(), op.getIgnoreIndex(), number);
  // The weight of each row, then (softmax - wanted) times it.
  Value weight = op.getCotangent();
  if (op.getReduction() == LossReduction::MEAN)
    weight = e.elementwise(type.clone(ArrayRef<int64_t>{}), {weight, countRows(e, classes, element)},
                           [](Emit &body, ValueRange args) { return body.div(args[0], args[1]); });
  bool perRow = op.getReduction() == LossReduction::NONE;
  AffineMap all = e.dims(2, {0, 1}), row = e.dims(2, {0});
  return e.generic({op.getLogits(), op.getLogsumexp(), classes, weight}, e.empty(type),
                   {all, row, row, perRow ? row : e.dims(2, {}), all}, {false, false}, [&](Emit &body, ValueRange args) {
                     Scalar x(body, args[0]), lse(body, args[1]), label(body, args[2]), scale(body, args[3]);
                     Scalar column(body, arith::IndexCastOp::create(body.b, body.loc, label.type(), loopIndex(body, 1)));
                     Scalar wanted = select(eq(column, label), x.number(1 - smoothing + smoothing / number),
                                            x.number(smoothing / number));
                     Scalar gradient = (exp(x - lse) - wanted) * scale;
                     return select(lt(label, 0.0), x.number(0), gradient).value();
                   });
}

} // namespace

void populateLossToLinalg(RewritePatternSet &patterns, const Tiles &tiles) {
  addLowering<CrossEntropyOp>(patterns, [=](Emit &e, CrossEntropyOp op) { return lowerCrossEntropy(e, op, tiles); });
  addValueLowering<CrossEntropyGradOp>(patterns, lowerCrossEntropyGrad);
}

} // namespace pocket
