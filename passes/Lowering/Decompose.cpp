// Rewrites ops that others express.
#include "Pocket/IR/Pocket.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "passes/Lowering/Passes.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_DECOMPOSE
#include "passes/Lowering/Passes.h.inc"

namespace {

struct DecomposeAttention : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op, PatternRewriter &b) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getProbabilities().getType();
    Type element = type.getElementType();
    auto splat = [&](double value) -> Value {
      auto scalar = RankedTensorType::get({}, element);
      return ConstantOp::create(b, loc, DenseElementsAttr::get(scalar, Attribute(b.getFloatAttr(element, value))));
    };
    const double infinity = std::numeric_limits<double>::infinity();

    Value scores = MatmulOp::create(b, loc, op.getQuery(), op.getKey(), /*transpose_lhs=*/false, /*transpose_rhs=*/true);
    scores = MulOp::create(b, loc, scores, splat(op.getScale().convertToDouble()));
    if (op.getIsCausal()) {
      // Two short constants, compared where the scores are read: no mask is stored.
      auto positions = [&](int64_t size, ArrayRef<int64_t> shape) -> Value {
        SmallVector<int32_t> values = llvm::to_vector(llvm::seq<int32_t>(0, size));
        return ConstantOp::create(b, loc, DenseElementsAttr::get(RankedTensorType::get(shape, b.getI32Type()), ArrayRef(values)));
      };
      int64_t rows = type.getDimSize(2), columns = type.getDimSize(3);
      Value allowed = CompareOp::create(b, loc, Predicate::GE, positions(rows, {rows, 1}), positions(columns, {1, columns}));
      scores = SelectOp::create(b, loc, allowed, scores, splat(-infinity));
    }
    Value mask = op.getMask();
    if (mask) {
      if (cast<ShapedType>(mask.getType()).getElementType().isInteger(1))
        scores = SelectOp::create(b, loc, mask, scores, splat(-infinity));
      else
        scores = AddOp::create(b, loc, scores, mask);
    }
    Value probabilities = SoftmaxOp::create(b, loc, type, scores, /*dim=*/3);
    if (mask) {
      // A row that sees nothing has probabilities of 0, not NaN, as in PyTorch.
      Value largest = ReduceMaxOp::create(b, loc, scores, ArrayRef<int64_t>{3}, /*keepdims=*/true);
      Value isBlind = CompareOp::create(b, loc, Predicate::EQ, largest, splat(-infinity));
      probabilities = SelectOp::create(b, loc, isBlind, splat(0), probabilities);
    }
    Value result = MatmulOp::create(b, loc, probabilities, op.getValue(), false, false);
    b.replaceOp(op, {result, probabilities});
    return success();
  }
};

/// From here on the seed is a number like any other.
struct DecomposeGradientSeed : OpRewritePattern<GradientSeedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GradientSeedOp op, PatternRewriter &b) const override {
    RankedTensorType type = op.getType();
    Attribute one = b.getFloatAttr(type.getElementType(), 1.0);
    b.replaceOpWithNewOp<ConstantOp>(op, type, DenseElementsAttr::get(type, one));
    return success();
  }
};

struct Decompose : impl::DecomposeBase<Decompose> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeAttention, DecomposeGradientSeed>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
} // namespace pocket
