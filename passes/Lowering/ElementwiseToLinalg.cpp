// One linalg.generic for each elementwise op; the code generator fuses them.
#include "passes/Lowering/Lower.h"
#include "passes/Lowering/Patterns.h"
#include "passes/Lowering/Scalar.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace pocket {
namespace {

/// Half-precision types are computed in f32, as PyTorch does.
Type computeType(Type type) {
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(type.getContext());
  return type;
}
Scalar forCompute(Scalar x) { return x.isFloat() ? x.toFloat(computeType(x.type())) : x; }

/// The op's operands, of which splat constants become numbers in the body.
template <typename Op>
Value lowerElementwise(Emit &e, Op op, llvm::function_ref<Scalar(ArrayRef<Scalar>)> formula) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Value> inputs;
  SmallVector<TypedAttr> splats;
  for (Value operand : op->getOperands()) {
    DenseElementsAttr elements;
    bool isSplat = matchPattern(operand, m_Constant(&elements)) && elements.isSplat();
    splats.push_back(isSplat ? elements.getSplatValue<TypedAttr>() : TypedAttr());
    if (!isSplat)
      inputs.push_back(operand);
  }
  return e.elementwise(type, inputs, [&](Emit &body, ValueRange args) {
    SmallVector<Scalar> scalars;
    for (TypedAttr splat : splats) {
      Value x = splat ? arith::ConstantOp::create(body.b, body.loc, splat).getResult() : args.front();
      if (!splat)
        args = args.drop_front();
      scalars.push_back(forCompute(Scalar(body, x)));
    }
    Scalar y = formula(scalars);
    return (y.isFloat() ? y.toFloat(type.getElementType()) : y).value();
  });
}

template <typename Op>
void unary(RewritePatternSet &patterns, Scalar (*formula)(Op, Scalar)) {
  addValueLowering<Op>(patterns, [formula](Emit &e, Op op) {
    return lowerElementwise(e, op, [&](ArrayRef<Scalar> x) { return formula(op, x[0]); });
  });
}
template <typename Op>
void unary(RewritePatternSet &patterns, Scalar (*formula)(Scalar)) {
  addValueLowering<Op>(patterns, [formula](Emit &e, Op op) {
    return lowerElementwise(e, op, [&](ArrayRef<Scalar> x) { return formula(x[0]); });
  });
}
template <typename Op>
void binary(RewritePatternSet &patterns, Scalar (*formula)(Scalar, Scalar)) {
  addValueLowering<Op>(patterns, [formula](Emit &e, Op op) {
    return lowerElementwise(e, op, [&](ArrayRef<Scalar> x) { return formula(x[0], x[1]); });
  });
}

Scalar sign(Scalar x) {
  // NaN, and zero of either sign, fall through.
  return select(gt(x, 0.0), x.number(1), select(lt(x, 0.0), x.number(-1), x));
}

Scalar hardsigmoid(Scalar x) { return clamp(x + 3.0, 0.0, 6.0) / 6.0; }

Scalar gelu(GeluOp op, Scalar x) {
  if (op.getApproximate() == GeluApproximation::NONE)
    return 0.5 * x * (1.0 + erf(x * M_SQRT1_2));
  return 0.5 * x * (1.0 + tanh(M_2_SQRTPI * M_SQRT1_2 * (x + 0.044715 * (x * x * x))));
}

Scalar softplus(SoftplusOp op, Scalar x) {
  double beta = op.getBeta().convertToDouble(), threshold = op.getThreshold().convertToDouble();
  Scalar scaled = x * beta;
  return select(gt(scaled, threshold), x, log1p(exp(scaled)) / beta);
}

Scalar divide(Scalar x, Scalar y) {
  if (x.isFloat())
    return x / y;
  // Division by zero, and of the lowest integer by -1, would trap.
  Scalar isMinusOne = eq(y, -1.0), safe = select(bitOr(isMinusOne, eq(y, 0.0)), y.number(1), y);
  return select(isMinusOne, -x, x / safe);
}

/// A power, cheaper for the usual constant exponents.
Value lowerPow(Emit &e, PowOp op) {
  DenseFPElementsAttr elements;
  std::optional<double> number;
  if (matchPattern(op.getRhs(), m_Constant(&elements)) && elements.isSplat()) {
    APFloat value = elements.getSplatValue<APFloat>();
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    number = value.convertToDouble();
  }
  return lowerElementwise(e, op, [&](ArrayRef<Scalar> x) { return number ? powNumber(x[0], *number) : pow(x[0], x[1]); });
}

Value lowerConvert(Emit &e, ConvertOp op) {
  Type to = op.getResult().getType().getElementType();
  return e.elementwise(op.getResult().getType(), op.getInput(), [&](Emit &body, ValueRange args) -> Value {
    Scalar x(body, args[0]);
    Type from = x.type();
    OpBuilder &b = body.b;
    Location loc = body.loc;
    if (from == to)
      return x.value();
    if (to.isInteger(1))
      return ne(x, 0.0).value();
    if (x.isFloat()) {
      if (isa<FloatType>(to))
        return x.toFloat(to).value();
      return arith::FPToSIOp::create(b, loc, to, x.value());
    }
    if (isa<FloatType>(to))
      return x.isBool() ? arith::UIToFPOp::create(b, loc, to, x.value()).getResult()
                        : arith::SIToFPOp::create(b, loc, to, x.value()).getResult();
    if (x.isBool())
      return arith::ExtUIOp::create(b, loc, to, x.value());
    return from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth()
               ? arith::ExtSIOp::create(b, loc, to, x.value()).getResult()
               : arith::TruncIOp::create(b, loc, to, x.value()).getResult();
  });
}

} // namespace

void populateElementwiseToLinalg(RewritePatternSet &patterns) {
  unary<NegOp>(patterns, +[](Scalar x) { return -x; });
  unary<AbsOp>(patterns, abs);
  unary<SignOp>(patterns, sign);
  unary<ExpOp>(patterns, exp);
  unary<Expm1Op>(patterns, expm1);
  unary<LogOp>(patterns, log);
  unary<Log1pOp>(patterns, log1p);
  unary<SqrtOp>(patterns, sqrt);
  unary<RsqrtOp>(patterns, rsqrt);
  unary<ReciprocalOp>(patterns, +[](Scalar x) { return 1.0 / x; });
  unary<TanhOp>(patterns, tanh);
  unary<SigmoidOp>(patterns, sigmoid);
  unary<ErfOp>(patterns, erf);
  unary<SinOp>(patterns, sin);
  unary<CosOp>(patterns, cos);
  unary<FloorOp>(patterns, floor);
  unary<CeilOp>(patterns, ceil);
  unary<RoundOp>(patterns, round);

  unary<ReluOp>(patterns, +[](Scalar x) { return select(lt(x, 0.0), x.number(0), x); });
  unary<LeakyReluOp>(patterns, +[](LeakyReluOp op, Scalar x) {
    return select(gt(x, 0.0), x, x * op.getSlope().convertToDouble());
  });
  unary<EluOp>(patterns, +[](EluOp op, Scalar x) {
    return select(le(x, 0.0), expm1(x) * op.getAlpha().convertToDouble(), x);
  });
  unary<HardtanhOp>(patterns, +[](HardtanhOp op, Scalar x) {
    return clamp(x, op.getMin().convertToDouble(), op.getMax().convertToDouble());
  });
  unary<ClampOp>(patterns, +[](ClampOp op, Scalar x) {
    return clamp(x, op.getMin().convertToDouble(), op.getMax().convertToDouble());
  });
  unary<HardsigmoidOp>(patterns, hardsigmoid);
  unary<HardswishOp>(patterns, +[](Scalar x) { return x * clamp(x + 3.0, 0.0, 6.0) / 6.0; });
  unary<SiluOp>(patterns, +[](Scalar x) { return x / (1.0 + exp(-x)); });
  unary<GeluOp>(patterns, gelu);
  unary<SoftplusOp>(patterns, softplus);
  unary<LogicalNotOp>(patterns, +[](Scalar x) { return bitXor(x, x.number(1)); });
  addValueLowering<StopGradientOp>(patterns, [](Emit &, StopGradientOp op) -> Value { return op.getInput(); });
  addValueLowering<ConvertOp>(patterns, lowerConvert);

  binary<AddOp>(patterns, +[](Scalar x, Scalar y) { return x + y; });
  binary<SubOp>(patterns, +[](Scalar x, Scalar y) { return x - y; });
  binary<MulOp>(patterns, +[](Scalar x, Scalar y) { return x * y; });
  binary<DivOp>(patterns, divide);
  addValueLowering<PowOp>(patterns, lowerPow);
  binary<MaximumOp>(patterns, maximum);
  binary<MinimumOp>(patterns, minimum);
  binary<AndOp>(patterns, bitAnd);
  binary<OrOp>(patterns, bitOr);
  binary<XorOp>(patterns, bitXor);
  addValueLowering<CompareOp>(patterns, [](Emit &e, CompareOp op) {
    return lowerElementwise(e, op, [&](ArrayRef<Scalar> x) { return compare(op.getPredicate(), x[0], x[1]); });
  });
  addValueLowering<SelectOp>(patterns, [](Emit &e, SelectOp op) {
    return lowerElementwise(e, op, [&](ArrayRef<Scalar> x) { return select(x[0], x[1], x[2]); });
  });
}

} // namespace pocket
