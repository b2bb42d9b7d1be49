// Updates: one pass over a parameter and its state.
#include "passes/Lowering/Lower.h"
#include "passes/Lowering/Patterns.h"
#include "passes/Lowering/Scalar.h"
#include <cmath>

using namespace mlir;

namespace pocket {
namespace {

/// One generic with several results of `type`; inputs are of that shape, or scalars.
SmallVector<Value> updateTogether(Emit &e, RankedTensorType type, ValueRange inputs, unsigned results,
                                  function_ref<SmallVector<Scalar>(ArrayRef<Scalar>)> formula) {
  int64_t rank = type.getRank();
  SmallVector<AffineMap> maps;
  for (Value input : inputs)
    maps.push_back(Emit::type(input).getRank() == 0 ? e.dims(rank, {}) : e.b.getMultiDimIdentityMap(rank));
  SmallVector<Value> inits;
  for (unsigned i = 0; i < results; ++i) {
    inits.push_back(e.empty(type));
    maps.push_back(e.b.getMultiDimIdentityMap(rank));
  }
  return e.generic(inputs, inits, maps, SmallVector<bool>(rank, false), [&](Emit &body, ValueRange args) {
    SmallVector<Scalar> elements;
    for (Value arg : args.take_front(inputs.size()))
      elements.push_back({body, arg});
    return llvm::map_to_vector(formula(elements), [](Scalar x) { return x.value(); });
  });
}

SmallVector<Value> lowerSgd(Emit &e, SgdOp op) {
  double momentum = op.getMomentum().convertToDouble(), decay = op.getWeightDecay().convertToDouble();
  SmallVector<Value> inputs = {op.getParameter(), op.getGradient(), op.getLearningRate()};
  bool hasBuffer = op.getMomentumBuffer() != nullptr;
  if (hasBuffer)
    inputs.push_back(op.getMomentumBuffer());
  return updateTogether(e, op.getParameter().getType(), inputs, hasBuffer ? 2 : 1, [&](ArrayRef<Scalar> x) {
    Scalar parameter = x[0], gradient = x[1], rate = x[2].toFloat(parameter.type());
    if (decay != 0)
      gradient = gradient + decay * parameter;
    if (!hasBuffer)
      return SmallVector<Scalar>{parameter - rate * gradient};
    Scalar buffer = momentum * x[3] + gradient;
    Scalar step = op.getNesterov() ? gradient + momentum * buffer : buffer;
    return SmallVector<Scalar>{parameter - rate * step, buffer};
  });
}

/// 1 - beta^step. Written so, f32 would lose four of its seven digits at 0.999.
Scalar biasCorrection(double beta, Scalar step) {
  if (beta == 0)
    return step.number(1);
  return -expm1(step * std::log(beta));
}

SmallVector<Value> lowerAdamw(Emit &e, AdamwOp op) {
  double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  double epsilon = op.getEpsilon().convertToDouble(), decay = op.getWeightDecay().convertToDouble();
  // What is the same for all elements, once.
  auto scalarType = cast<RankedTensorType>(op.getStep().getType());
  SmallVector<Value> shared =
      updateTogether(e, scalarType, {op.getLearningRate(), op.getStep()}, decay != 0 ? 3 : 2, [&](ArrayRef<Scalar> x) {
        Scalar rate = x[0].toFloat(x[1].type()), step = x[1];
        SmallVector<Scalar> results = {rate / biasCorrection(beta1, step), 1.0 / sqrt(biasCorrection(beta2, step))};
        if (decay != 0)
          results.push_back(1.0 - rate * decay);
        return results;
      });
  SmallVector<Value> inputs = {op.getParameter(), op.getGradient(), op.getExpAvg(), op.getExpAvgSq()};
  llvm::append_range(inputs, shared);
  return updateTogether(e, op.getParameter().getType(), inputs, 3, [&](ArrayRef<Scalar> x) {
    Type type = x[0].type();
    Scalar parameter = x[0], gradient = x[1], rate = x[4].toFloat(type), correction = x[5].toFloat(type);
    Scalar average = x[2] + (gradient - x[2]) * (1 - beta1);
    Scalar square = beta2 * x[3] + (1 - beta2) * (gradient * gradient);
    Scalar kept = decay == 0 ? parameter : parameter * x[6].toFloat(type);
    Scalar moved = kept - rate * average / (sqrt(square) * correction + epsilon);
    return SmallVector<Scalar>{moved, average, square};
  });
}

} // namespace

void populateUpdateToLinalg(RewritePatternSet &patterns) {
  addLowering<SgdOp>(patterns, lowerSgd);
  addLowering<AdamwOp>(patterns, lowerAdamw);
  addValueLowering<AssignOp>(patterns, [](Emit &, AssignOp op) -> Value { return op.getNewValue(); });
}

} // namespace pocket
