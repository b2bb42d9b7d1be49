// Batch norm and layer norm, and the sums that their gradients need.
#include "passes/Lowering/Lower.h"
#include "passes/Lowering/Patterns.h"
#include "passes/Lowering/Reduce.h"

using namespace mlir;

namespace pocket {
namespace {

using Terms = SmallVector<Scalar>;

//===----------------------------------------------------------------------===//
// Batch norm
//===----------------------------------------------------------------------===//

/// The input as `[outer, C, inner]`.
View aroundChannels(Value input, int64_t channelDim) { return viewAround(Emit::shape(input), channelDim, channelDim); }

/// Per-channel sums of terms of the input's elements, over the rest. `inputs`
/// are whole (`All`) or per channel (`Size`).
SmallVector<Value> channelSums(Emit &e, View view, ArrayRef<Term> inputs, unsigned results, Type element,
                               function_ref<Terms(ArrayRef<Scalar>)> terms, const Tiles &tiles) {
  SmallVector<Join> joins(results, Join::Sum);
  SmallVector<Term> given(inputs);
  SmallVector<Value> sums;
  if (view.inner > 1) {
    // Along the rows of [outer * C, inner] first.
    bool hasOuter = view.outer > 1;
    View rows{view.outer * view.size, view.inner, 1};
    if (hasOuter && llvm::any_of(inputs, [](const Term &t) { return t.along == Along::Size; })) {
      // Per-channel values repeat with every image: loops outer, C, inner.
      int64_t loops = view.size > 1 ? 3 : 2;
      SmallVector<AffineMap> maps;
      SmallVector<Value> values, inits;
      SmallVector<int64_t> channel, image = {0}, whole = {0};
      if (view.size > 1)
        channel = {1}, image = {0, 1}, whole = {0, 1};
      whole.push_back(loops - 1);
      for (const Term &input : inputs) {
        values.push_back(input.value);
        maps.push_back(e.dims(loops, input.along == Along::Size ? channel : whole));
      }
      View kept{view.outer, view.size, 1};
      auto type = RankedTensorType::get(viewShape(kept), element);
      for (unsigned i = 0; i < results; ++i) {
        inits.push_back(e.fill(type, 0));
        maps.push_back(e.dims(loops, image));
      }
      SmallVector<bool> reductions(loops, false);
      reductions.back() = true;
      sums = e.generic(values, inits, maps, reductions, [&](Emit &body, ValueRange args) {
        SmallVector<Scalar> elements;
        for (Value arg : args.take_front(inputs.size()))
          elements.push_back({body, arg});
        SmallVector<Value> added;
        for (auto [term, sum] : llvm::zip_equal(terms(elements), args.drop_front(inputs.size())))
          added.push_back(body.add(sum, term.value()));
        return added;
      });
    } else {
      for (Term &input : given) {
        if (input.along == Along::All)
          input.value = toView(e, input.value, rows);
        else
          input.along = Along::Outer;
      }
      sums = reduceTogether(e, rows, given, joins, element, terms, tiles);
    }
    if (!hasOuter)
      return sums;
    // Then over the images.
    View images{1, view.outer, view.size};
    for (Value &sum : sums)
      sum = reduceTogether(e, images, {{toView(e, sum, images)}}, Join::Sum, element,
                           [](ArrayRef<Scalar> x) { return Terms{x[0]}; }, tiles)[0];
    return sums;
  }
  View columns{1, view.outer, view.size};
  for (Term &input : given)
    if (input.along == Along::Size)
      input.along = Along::Inner;
  return reduceTogether(e, columns, given, joins, element, terms, tiles);
}

/// A per-channel tensor in the shape that a view without dimensions of size 1 has it.
Value perChannel(Emit &e, Value value, View view) { return e.reshape(value, viewShape(view, Along::Size)); }

/// (x - mean) * (scale / sqrt(variance + epsilon)) + bias
Value normalize(Emit &e, Value input, Value mean, Value variance, Value scale, Value bias, double epsilon,
                int64_t channelDim) {
  RankedTensorType type = Emit::type(input);
  View view = aroundChannels(input, channelDim);
  SmallVector<Value> factors = {variance};
  if (scale)
    factors.push_back(scale);
  Value factor = e.elementwise(Emit::type(mean), factors, [&](Emit &body, ValueRange args) {
    Scalar f = 1.0 / sqrt(Scalar(body, args[0]) + epsilon);
    return (scale ? f * Scalar(body, args[1]) : f).value();
  });
  SmallVector<Term> inputs = {{toView(e, input, view)},
                              {perChannel(e, mean, view), Along::Size},
                              {perChannel(e, factor, view), Along::Size}};
  if (bias)
    inputs.push_back({perChannel(e, bias, view), Along::Size});
  Value y = mapView(e, view, inputs, type.getElementType(), [&](ArrayRef<Scalar> x) {
    Scalar y = (x[0] - x[1]) * x[2];
    return bias ? y + x[3] : y;
  });
  return e.reshape(y, type.getShape());
}

SmallVector<Value> lowerBatchNormTraining(Emit &e, BatchNormTrainingOp op, const Tiles &tiles) {
  Value input = op.getInput();
  RankedTensorType type = Emit::type(input);
  Type element = type.getElementType();
  int64_t channelDim = op.getChannelDim();
  View view = aroundChannels(input, channelDim);
  double count = view.outer * view.inner;

  // Two passes, mean first: sums of squares less the squared mean lose digits,
  // and what batch norm loses here comes back in every gradient below.
  RankedTensorType channels = type.clone({view.size});
  auto average = [&](ArrayRef<Term> inputs, function_ref<Scalar(ArrayRef<Scalar>)> term) {
    Value sum = channelSums(e, view, inputs, 1, element, [&](ArrayRef<Scalar> x) { return Terms{term(x)}; }, tiles)[0];
    return e.elementwise(channels, {e.reshape(sum, {view.size})}, [&](Emit &body, ValueRange args) {
      return (Scalar(body, args[0]) / count).value();
    });
  };
  Term x{toView(e, input, view)};
  Value mean = average({x}, [](ArrayRef<Scalar> x) { return x[0]; });
  Value variance = average({x, {perChannel(e, mean, view), Along::Size}},
                           [](ArrayRef<Scalar> x) { return plainSquare(x[0] - x[1]); });
  Value y = normalize(e, input, mean, variance, op.getScale(), op.getBias(), op.getEpsilon().convertToDouble(), channelDim);
  return {y, mean, variance};
}

SmallVector<Value> lowerBatchNormReduceGrad(Emit &e, BatchNormReduceGradOp op, const Tiles &tiles) {
  View view = aroundChannels(op.getInput(), op.getChannelDim());
  SmallVector<Value> sums = channelSums(
      e, view,
      {{toView(e, op.getCotangent(), view)},
       {toView(e, op.getInput(), view)},
       {perChannel(e, op.getMean(), view), Along::Size}},
      2, Emit::type(op.getInput()).getElementType(),
      [](ArrayRef<Scalar> x) { return Terms{x[0], plainTerm(x[0] * (x[1] - x[2]))}; }, tiles);
  for (Value &sum : sums)
    sum = e.reshape(sum, {view.size});
  return sums;
}

//===----------------------------------------------------------------------===//
// Layer norm
//===----------------------------------------------------------------------===//

/// The input as `[rows, normalized elements]`.
View asRows(Value input, int64_t axis) {
  return viewAround(Emit::shape(input), axis, Emit::type(input).getRank() - 1);
}

SmallVector<Value> lowerLayerNorm(Emit &e, LayerNormOp op, const Tiles &tiles) {
  Value input = op.getInput();
  RankedTensorType type = Emit::type(input);
  Type element = type.getElementType();
  View view = asRows(input, op.getAxis());
  double count = view.size, epsilon = op.getEpsilon().convertToDouble();
  Value x = toView(e, input, view);
  RankedTensorType rows = type.clone(viewShape(view, Along::Outer));

  Value sum = reduceTogether(e, view, {{x}}, Join::Sum, element, [](ArrayRef<Scalar> x) { return Terms{x[0]}; }, tiles)[0];
  Value mean = e.elementwise(rows, sum, [&](Emit &body, ValueRange args) {
    return (Scalar(body, args[0]) / count).value();
  });
  Value squares = reduceTogether(e, view, {{x}, {mean, Along::Outer}}, Join::Sum, element,
                                 [](ArrayRef<Scalar> x) { return Terms{plainSquare(x[0] - x[1])}; }, tiles)[0];
  Value rstd = e.elementwise(rows, squares, [&](Emit &body, ValueRange args) {
    return (1.0 / sqrt(Scalar(body, args[0]) / count + epsilon)).value();
  });
  SmallVector<Term> inputs = {{x}, {mean, Along::Outer}, {rstd, Along::Outer}};
  if (op.getScale())
    for (Value vector : {op.getScale(), op.getBias()})
      inputs.push_back({e.reshape(vector, viewShape(view, Along::Size)), Along::Size});
  Value y = mapView(e, view, inputs, element, [&](ArrayRef<Scalar> x) {
    Scalar y = (x[0] - x[1]) * x[2];
    return op.getScale() ? y * x[3] + x[4] : y;
  });
  ArrayRef<int64_t> lead = Emit::shape(op.getMean());
  return {e.reshape(y, type.getShape()), e.reshape(mean, lead), e.reshape(rstd, lead)};
}

Value lowerLayerNormInputGrad(Emit &e, LayerNormInputGradOp op, const Tiles &tiles) {
  RankedTensorType type = op.getResult().getType();
  Type element = type.getElementType();
  View view = asRows(op.getInput(), op.getAxis());
  double count = view.size;
  SmallVector<int64_t> rows = viewShape(view, Along::Outer);
  SmallVector<Term> inputs = {{toView(e, op.getCotangent(), view)},
                              {toView(e, op.getInput(), view)},
                              {e.reshape(op.getMean(), rows), Along::Outer},
                              {e.reshape(op.getRstd(), rows), Along::Outer}};
  bool scaled = op.getScale() != nullptr;
  if (scaled)
    inputs.push_back({e.reshape(op.getScale(), viewShape(view, Along::Size)), Along::Size});
  auto scaledCotangent = [&](ArrayRef<Scalar> x) { return scaled ? x[0] * x[4] : x[0]; };
  auto normalized = [&](ArrayRef<Scalar> x) { return (x[1] - x[2]) * x[3]; };
  SmallVector<Value> sums = reduceTogether(
      e, view, inputs, {Join::Sum, Join::Sum}, element,
      [&](ArrayRef<Scalar> x) {
        Scalar g = scaledCotangent(x);
        return Terms{scaled ? plainTerm(g) : g, plainTerm(g * normalized(x))};
      },
      tiles);
  size_t first = inputs.size();
  for (Value sum : sums)
    inputs.push_back({sum, Along::Outer});
  Value dx = mapView(e, view, inputs, element, [&](ArrayRef<Scalar> x) {
    return x[3] * (scaledCotangent(x) - x[first] / count - normalized(x) * (x[first + 1] / count));
  });
  return e.reshape(dx, type.getShape());
}

} // namespace

void populateNormalizationToLinalg(RewritePatternSet &patterns, const Tiles &tiles) {
  addValueLowering<BatchNormInferenceOp>(patterns, [](Emit &e, BatchNormInferenceOp op) {
    return normalize(e, op.getInput(), op.getMean(), op.getVariance(), op.getScale(), op.getBias(),
                     op.getEpsilon().convertToDouble(), op.getChannelDim());
  });
  addLowering<BatchNormTrainingOp>(patterns, [=](Emit &e, BatchNormTrainingOp op) {
    return lowerBatchNormTraining(e, op, tiles);
  });
  addLowering<BatchNormReduceGradOp>(patterns, [=](Emit &e, BatchNormReduceGradOp op) {
    return lowerBatchNormReduceGrad(e, op, tiles);
  });
  addLowering<LayerNormOp>(patterns, [=](Emit &e, LayerNormOp op) { return lowerLayerNorm(e, op, tiles); });
  addValueLowering<LayerNormInputGradOp>(patterns, [=](Emit &e, LayerNormInputGradOp op) {
    return lowerLayerNormInputGrad(e, op, tiles);
  });
}

} // namespace pocket
