#include "Pocket/IR/Fold.h"
#include "Pocket/IR/Pocket.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace pocket {

// Larger results stay ops: a folded constant must not blow up the program.
static constexpr int64_t maxFoldedElements = 1024;

OpFoldResult foldTo(Operation *op, Value value) {
  return value.getDefiningOp() == op ? OpFoldResult() : OpFoldResult(value);
}

OpFoldResult foldMovement(Attribute constant, RankedTensorType type,
                          llvm::function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> source) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(constant);
  if (!elements)
    return {};
  if (elements.isSplat() && type.getNumElements() > 0)
    return elements.resizeSplat(type);
  if (type.getNumElements() > maxFoldedElements)
    return {};
  auto values = elements.getValues<Attribute>();
  ArrayRef<int64_t> from = elements.getType().getShape(), to = type.getShape();
  SmallVector<Attribute> moved;
  SmallVector<int64_t> index(to.size());
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i) {
    for (int64_t rest = i, dim = to.size() - 1; dim >= 0; rest /= to[dim--])
      index[dim] = rest % to[dim];
    int64_t linear = 0;
    for (auto [size, at] : llvm::zip_equal(from, source(index)))
      linear = linear * size + at;
    moved.push_back(values[linear]);
  }
  return DenseElementsAttr::get(type, moved);
}

static std::optional<double> splatFloat(Attribute attribute) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!elements || !elements.isSplat() || !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
}

static std::optional<int64_t> splatInteger(Attribute attribute) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!elements || !elements.isSplat() || !isa<IntegerType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APInt>().getSExtValue();
}

/// Rounds to the element type after every operation, as the program would.
static Attribute fromDoubles(RankedTensorType type, ArrayRef<double> values) {
  auto element = cast<FloatType>(type.getElementType());
  SmallVector<APFloat> rounded;
  rounded.reserve(values.size());
  for (double value : values) {
    APFloat x(value);
    bool loses;
    x.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
    rounded.push_back(x);
  }
  return DenseElementsAttr::get(type, rounded);
}

static std::optional<double> evaluate(Operation *op, double x) {
  // Only what is exact in every library is folded: transcendental functions
  // are left to the target, so that folding never changes a result.
  return llvm::TypeSwitch<Operation *, std::optional<double>>(op)
      .Case<NegOp>([&](auto) { return -x; })
      .Case<AbsOp>([&](auto) { return std::fabs(x); })
      .Case<FloorOp>([&](auto) { return std::floor(x); })
      .Case<CeilOp>([&](auto) { return std::ceil(x); })
      .Case<ReluOp>([&](auto) { return x < 0 ? 0.0 : x; })
      .Default([](Operation *) { return std::nullopt; });
}

OpFoldResult foldUnary(Operation *op, Attribute input) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  // neg(neg(x)) is x.
  if (isa<NegOp>(op))
    if (auto inner = op->getOperand(0).getDefiningOp<NegOp>())
      return foldTo(op, inner.getInput());
  if (isa<ReluOp>(op) && op->getOperand(0).getDefiningOp<ReluOp>())
    return foldTo(op, op->getOperand(0));
  auto elements = dyn_cast_or_null<DenseElementsAttr>(input);
  if (!elements || !isa<FloatType>(type.getElementType()) ||
      (!elements.isSplat() && type.getNumElements() > maxFoldedElements))
    return {};
  SmallVector<double> values;
  if (auto splat = splatFloat(input)) {
    auto y = evaluate(op, *splat);
    return y ? fromDoubles(type, *y) : Attribute();
  }
  for (APFloat x : elements.getValues<APFloat>()) {
    auto y = evaluate(op, x.convertToDouble());
    if (!y)
      return {};
    values.push_back(*y);
  }
  return fromDoubles(type, values);
}

OpFoldResult foldBinary(Operation *op, Attribute lhs, Attribute rhs) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value a = op->getOperand(0), b = op->getOperand(1);
  auto keeps = [&](Value value) { return value.getType() == type; };

  if (isa<FloatType>(type.getElementType())) {
    auto x = splatFloat(lhs), y = splatFloat(rhs);
    // x + (-0.0) keeps every x; x + 0.0 only turns -0.0 into 0.0, which no
    // later operation but a division by it tells apart.
    if (isa<AddOp, SubOp>(op) && y && *y == 0.0 && keeps(a))
      return foldTo(op, a);
    if (isa<AddOp>(op) && x && *x == 0.0 && keeps(b))
      return foldTo(op, b);
    if (isa<MulOp, DivOp, PowOp>(op) && y && *y == 1.0 && keeps(a))
      return foldTo(op, a);
    if (isa<MulOp>(op) && x && *x == 1.0 && keeps(b))
      return foldTo(op, b);
    if (x && y) {
      // Operands are exact in double, so one rounding gives the float result.
      std::optional<double> z = llvm::TypeSwitch<Operation *, std::optional<double>>(op)
                                    .Case<AddOp>([&](auto) { return *x + *y; })
                                    .Case<SubOp>([&](auto) { return *x - *y; })
                                    .Case<MulOp>([&](auto) { return *x * *y; })
                                    .Case<DivOp>([&](auto) { return *x / *y; })
                                    .Default([](Operation *) { return std::nullopt; });
      if (z)
        return fromDoubles(type, *z);
    }
    return {};
  }

  auto x = splatInteger(lhs), y = splatInteger(rhs);
  bool bit = type.getElementType().isInteger(1);
  if (!bit && isa<AddOp, SubOp>(op) && y && *y == 0 && keeps(a))
    return foldTo(op, a);
  if (!bit && isa<MulOp>(op) && y && *y == 1 && keeps(a))
    return foldTo(op, a);
  if (isa<AndOp, OrOp>(op) && a == b)
    return foldTo(op, a);
  if (bit && isa<AndOp>(op) && y && *y != 0 && keeps(a))
    return foldTo(op, a);
  if (bit && isa<OrOp, XorOp>(op) && y && *y == 0 && keeps(a))
    return foldTo(op, a);
  if (x && y && !bit) {
    // Integers wrap around, in the constant as in the program.
    unsigned width = type.getElementTypeBitWidth();
    APInt left(width, *x, /*isSigned=*/true), right(width, *y, /*isSigned=*/true);
    std::optional<APInt> z = llvm::TypeSwitch<Operation *, std::optional<APInt>>(op)
                                 .Case<AddOp>([&](auto) { return left + right; })
                                 .Case<SubOp>([&](auto) { return left - right; })
                                 .Case<MulOp>([&](auto) { return left * right; })
                                 .Default([](Operation *) { return std::nullopt; });
    if (z)
      return DenseElementsAttr::get(type, *z);
  }
  return {};
}

} // namespace pocket
