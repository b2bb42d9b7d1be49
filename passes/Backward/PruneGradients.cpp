// Gradients of which only some channels are needed are computed for those only.
#include "Pocket/IR/Pocket.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Backward/BackwardPass.h"
#include "passes/Backward/Passes.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_PRUNEGRADIENTS
#include "passes/Backward/Passes.h.inc"

namespace {

/// Takes channels from the operands of what makes a tensor, instead of from the
/// tensor, where nothing else reads it.
template <typename Op>
struct TakeEarlier : OpRewritePattern<TakeChannelsOp> {
  TakeEarlier(MLIRContext *context, llvm::Statistic &counter)
      : OpRewritePattern(context), counter(counter) {}

  LogicalResult matchAndRewrite(TakeChannelsOp take, PatternRewriter &rewriter) const override {
    auto op = take.getInput().getDefiningOp<Op>();
    if (!op || !op->hasOneUse())
      return failure();
    rewriter.setInsertionPoint(op);
    Value taken = takeFrom(rewriter, op, take.getChannels(), take.getType());
    if (!taken)
      return failure();
    rewriter.replaceOp(take, taken);
    rewriter.eraseOp(op);
    ++counter;
    return success();
  }

  /// These channels of `op`'s result, or null where that takes all of its operands.
  static Value takeFrom(PatternRewriter &b, Op op, ChannelsAttr channels, RankedTensorType type);

  llvm::Statistic &counter;
};

Value take(OpBuilder &b, Location location, Value value, ChannelsAttr channels, int64_t dim) {
  return TakeChannelsOp::create(b, location, value, channels.along(dim));
}

/// What a convolution's filter and images call their channels.
struct ConvDims {
  int64_t image, filterInput, filterOutput;
};
ConvDims dimsOf(Layout layout) { return layout == Layout::NHWC ? ConvDims{3, 2, 3} : ConvDims{1, 1, 0}; }

template <>
Value TakeEarlier<Conv2dWeightGradOp>::takeFrom(PatternRewriter &b, Conv2dWeightGradOp op, ChannelsAttr channels,
                                                RankedTensorType type) {
  ConvDims dims = dimsOf(op.getLayout());
  Value input = op.getInput(), cotangent = op.getCotangent();
  int64_t groups = op.getGroups(), dim = channels.getDim();
  if (dim == dims.filterInput && groups == 1) {
    input = take(b, op.getLoc(), input, channels, dims.image);
  } else if (dim == dims.filterOutput && groups == 1) {
    cotangent = take(b, op.getLoc(), cotangent, channels, dims.image);
  } else if (dim == dims.filterOutput && groups == op.getType().getDimSize(dim) &&
             groups == cast<RankedTensorType>(input.getType()).getDimSize(dims.image)) {
    // Depthwise: a channel of the result is made of one of the input.
    input = take(b, op.getLoc(), input, channels, dims.image);
    cotangent = take(b, op.getLoc(), cotangent, channels, dims.image);
    groups = channels.count();
  } else {
    return {};
  }
  return Conv2dWeightGradOp::create(b, op.getLoc(), type, input, cotangent, op.getStrides(), op.getPadding(),
                                    op.getDilations(), groups, op.getLayout());
}

template <>
Value TakeEarlier<MatmulOp>::takeFrom(PatternRewriter &b, MatmulOp op, ChannelsAttr channels, RankedTensorType) {
  int64_t rank = op.getType().getRank(), dim = channels.getDim();
  Value lhs = op.getLhs(), rhs = op.getRhs();
  if (dim != rank - 1)
    lhs = take(b, op.getLoc(), lhs, channels, dim == rank - 2 && op.getTransposeLhs() ? rank - 1 : dim);
  if (dim != rank - 2)
    rhs = take(b, op.getLoc(), rhs, channels, dim == rank - 1 && op.getTransposeRhs() ? rank - 2 : dim);
  return MatmulOp::create(b, op.getLoc(), lhs, rhs, op.getTransposeLhs(), op.getTransposeRhs());
}

template <>
Value TakeEarlier<TransposeOp>::takeFrom(PatternRewriter &b, TransposeOp op, ChannelsAttr channels, RankedTensorType) {
  Value input = take(b, op.getLoc(), op.getInput(), channels, op.getPermutation()[channels.getDim()]);
  return TransposeOp::create(b, op.getLoc(), input, op.getPermutation());
}

/// A reshape that leaves this dimension what it is: as much before as behind it.
template <>
Value TakeEarlier<ReshapeOp>::takeFrom(PatternRewriter &b, ReshapeOp op, ChannelsAttr channels, RankedTensorType type) {
  auto from = cast<RankedTensorType>(op.getInput().getType());
  ArrayRef<int64_t> shape = op.getType().getShape();
  int64_t before = computeProduct(shape.take_front(channels.getDim()));
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    if (from.getDimSize(dim) != shape[channels.getDim()] ||
        computeProduct(from.getShape().take_front(dim)) != before)
      continue;
    Value input = take(b, op.getLoc(), op.getInput(), channels, dim);
    return ReshapeOp::create(b, op.getLoc(), type, input);
  }
  return {};
}

template <>
Value TakeEarlier<SumOp>::takeFrom(PatternRewriter &b, SumOp op, ChannelsAttr channels, RankedTensorType) {
  int64_t left = channels.getDim(), rank = cast<RankedTensorType>(op.getInput().getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool reduced = llvm::is_contained(op.getDims(), dim);
    if (reduced && !op.getKeepdims())
      continue;
    if (left-- > 0)
      continue;
    if (reduced)
      return {};
    Value input = take(b, op.getLoc(), op.getInput(), channels, dim);
    return SumOp::create(b, op.getLoc(), input, op.getDims(), op.getKeepdims());
  }
  return {};
}

/// Elementwise of two operands: those that broadcast along the channels stay.
template <typename Op>
Value takeFromBinary(PatternRewriter &b, Op op, ChannelsAttr channels) {
  int64_t rank = op.getType().getRank();
  auto part = [&](Value value) -> Value {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t dim = channels.getDim() - (rank - type.getRank());
    return dim < 0 || type.getDimSize(dim) == 1 ? value : take(b, op.getLoc(), value, channels, dim);
  };
  if (op.getType().getDimSize(channels.getDim()) == 1)
    return {};
  Value lhs = part(op.getLhs()), rhs = part(op.getRhs());
  return Op::create(b, op.getLoc(), lhs, rhs);
}
template <>
Value TakeEarlier<AddOp>::takeFrom(PatternRewriter &b, AddOp op, ChannelsAttr channels, RankedTensorType) {
  return takeFromBinary(b, op, channels);
}
template <>
Value TakeEarlier<MulOp>::takeFrom(PatternRewriter &b, MulOp op, ChannelsAttr channels, RankedTensorType) {
  return takeFromBinary(b, op, channels);
}

struct PruneGradients : impl::PruneGradientsBase<PruneGradients> {
  void runOnOperation() override {
    func::FuncOp function = findTrainStep(getOperation());
    if (!function)
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<TakeEarlier<Conv2dWeightGradOp>, TakeEarlier<MatmulOp>, TakeEarlier<TransposeOp>,
                 TakeEarlier<ReshapeOp>, TakeEarlier<SumOp>, TakeEarlier<AddOp>, TakeEarlier<MulOp>>(&getContext(),
                                                                                                     numTaken);
    if (failed(applyPatternsGreedily(function, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace pocket
