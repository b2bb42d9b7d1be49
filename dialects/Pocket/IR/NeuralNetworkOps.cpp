#include "Pocket/IR/Keyword.h"
#include "Pocket/IR/Pocket.h"
#include "Pocket/IR/Shapes.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Pocket/IR/NeuralNetworkOps.cpp.inc"

namespace pocket {

using Types = SmallVectorImpl<Type>;
using MaybeLocation = std::optional<Location>;

/// Checks of a shape rule report through this, be it a verifier or an inference.
using EmitError = llvm::function_ref<InFlightDiagnostic()>;

static Location orUnknown(MaybeLocation location, MLIRContext *context) {
  return location.value_or(UnknownLoc::get(context));
}

/// Reports a result type that differs from the one the operands call for.
static LogicalResult checkType(EmitError emitError, StringRef what, Type found, Type expected) {
  if (found == expected)
    return success();
  return emitError() << "expects " << what << " of type " << expected << ", found " << found;
}

//===----------------------------------------------------------------------===//
// Matrix product
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor adaptor, Types &types) {
  RankedTensorType lhs = staticTensor(adaptor.getLhs()), rhs = staticTensor(adaptor.getRhs());
  if (!lhs || !rhs || lhs.getRank() < 2 || lhs.getRank() != rhs.getRank())
    return emitOptionalError(location, "expects two tensors of one rank, 2 or more");
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(location, "expects operands of one element type, found ", lhs, " and ", rhs);
  int64_t rank = lhs.getRank();
  if (lhs.getShape().drop_back(2) != rhs.getShape().drop_back(2))
    return emitOptionalError(location, "expects equal leading dimensions, found ", lhs, " and ", rhs);
  bool ta = adaptor.getTransposeLhs(), tb = adaptor.getTransposeRhs();
  int64_t m = lhs.getDimSize(rank - (ta ? 1 : 2)), k = lhs.getDimSize(rank - (ta ? 2 : 1));
  int64_t kRhs = rhs.getDimSize(rank - (tb ? 1 : 2)), n = rhs.getDimSize(rank - (tb ? 2 : 1));
  if (k != kRhs)
    return emitOptionalError(location, "contracts ", k, " with ", kRhs, " elements: ", lhs, " and ", rhs);
  SmallVector<int64_t> shape(lhs.getShape().drop_back(2));
  shape.append({m, n});
  types.push_back(lhs.clone(shape));
  return success();
}

namespace {
/// Takes a transpose of the last two dimensions into the product.
struct FoldTransposeIntoMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  static Value swapped(Value value) {
    auto transpose = value.getDefiningOp<TransposeOp>();
    if (!transpose)
      return {};
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    int64_t rank = permutation.size();
    for (int64_t i = 0; i < rank - 2; ++i)
      if (permutation[i] != i)
        return {};
    return permutation[rank - 1] == rank - 2 ? transpose.getInput() : Value();
  }

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    Value lhs = swapped(op.getLhs()), rhs = swapped(op.getRhs());
    if (!lhs && !rhs)
      return failure();
    rewriter.replaceOpWithNewOp<MatmulOp>(op, op.getType(), lhs ? lhs : op.getLhs(), rhs ? rhs : op.getRhs(),
                                          op.getTransposeLhs() != static_cast<bool>(lhs),
                                          op.getTransposeRhs() != static_cast<bool>(rhs));
    return success();
  }
};
} // namespace

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldTransposeIntoMatmul>(context);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The result type of a convolution, or a report of what is wrong with it.
static FailureOr<RankedTensorType> convType(EmitError emitError, RankedTensorType input, RankedTensorType filter,
                                            ArrayRef<int64_t> strides, ArrayRef<int64_t> padding,
                                            ArrayRef<int64_t> dilations, int64_t groups, Layout layout) {
  if (!input || !filter || input.getRank() != 4 || filter.getRank() != 4)
    return emitError() << "expects an input and a filter of rank 4";
  if (input.getElementType() != filter.getElementType())
    return emitError() << "expects operands of one element type, found " << input << " and " << filter;
  if (strides.size() != 2 || dilations.size() != 2 || padding.size() != 4)
    return emitError() << "expects 2 strides, 2 dilations and 4 paddings (top, bottom, left, right)";
  if (llvm::any_of(strides, [](int64_t s) { return s < 1; }) || llvm::any_of(dilations, [](int64_t d) { return d < 1; }))
    return emitError() << "expects strides and dilations from 1 on";
  if (llvm::any_of(padding, [](int64_t p) { return p < 0; }))
    return emitError() << "expects paddings from 0 on";
  bool nhwc = layout == Layout::NHWC;
  Spatial in = spatial(input, nhwc);
  ArrayRef<int64_t> f = filter.getShape();
  int64_t outChannels = nhwc ? f[3] : f[0], perGroup = nhwc ? f[2] : f[1];
  int64_t kh = nhwc ? f[0] : f[2], kw = nhwc ? f[1] : f[3];
  if (groups < 1 || in.channels % groups != 0 || outChannels % groups != 0)
    return emitError() << "cannot split " << in.channels << " input and " << outChannels << " output channels into "
                       << groups << " groups";
  if (perGroup != in.channels / groups)
    return emitError() << "expects a filter over " << in.channels / groups << " channels (" << in.channels
                       << " input channels in " << groups << " groups), found " << perGroup << " in " << filter;
  int64_t oh = convOutputSize(in.height, kh, strides[0], padding[0], padding[1], dilations[0]);
  int64_t ow = convOutputSize(in.width, kw, strides[1], padding[2], padding[3], dilations[1]);
  if (kh < 1 || kw < 1 || oh < 1 || ow < 1)
    return emitError() << "has a " << kh << "x" << kw << " kernel that does not fit into its padded input " << input;
  return RankedTensorType::get(spatialShape({in.batch, outChannels, oh, ow}, nhwc), input.getElementType());
}

template <typename Op>
static FailureOr<RankedTensorType> convType(Op op, RankedTensorType input, RankedTensorType filter) {
  return convType([&] { return op.emitOpError(); }, input, filter, op.getStrides(), op.getPadding(), op.getDilations(),
                  op.getGroups(), op.getLayout());
}

LogicalResult Conv2dOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor, Types &types) {
  auto error = [&] { return mlir::emitError(orUnknown(location, context)) << "'pocket.conv2d' op "; };
  auto type = convType(error, staticTensor(adaptor.getInput()), staticTensor(adaptor.getFilter()), adaptor.getStrides(),
                       adaptor.getPadding(), adaptor.getDilations(), adaptor.getGroups(), adaptor.getLayout());
  if (failed(type))
    return failure();
  if (Value bias = adaptor.getBias()) {
    int64_t channels = spatial(*type, adaptor.getLayout() == Layout::NHWC).channels;
    if (failed(checkType(error, "a bias", bias.getType(), RankedTensorType::get({channels}, type->getElementType()))))
      return failure();
  }
  types.push_back(*type);
  return success();
}

LogicalResult Conv2dInputGradOp::verify() {
  auto type = convType(*this, getType(), getFilter().getType());
  return failed(type) ? failure()
                      : checkType([&] { return emitOpError(); }, "a cotangent", getCotangent().getType(), *type);
}

LogicalResult Conv2dWeightGradOp::verify() {
  auto type = convType(*this, getInput().getType(), getType());
  return failed(type) ? failure()
                      : checkType([&] { return emitOpError(); }, "a cotangent", getCotangent().getType(), *type);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

static FailureOr<RankedTensorType> poolType(EmitError emitError, RankedTensorType input, ArrayRef<int64_t> kernel,
                                            ArrayRef<int64_t> strides, ArrayRef<int64_t> padding,
                                            ArrayRef<int64_t> dilations, bool ceilMode, Layout layout) {
  if (!input || input.getRank() != 4)
    return emitError() << "expects an input of rank 4";
  if (kernel.size() != 2 || strides.size() != 2 || padding.size() != 2 || dilations.size() != 2)
    return emitError() << "expects 2 kernel sizes, strides, paddings and dilations";
  for (int i = 0; i < 2; ++i) {
    if (kernel[i] < 1 || strides[i] < 1 || dilations[i] < 1)
      return emitError() << "expects kernel sizes, strides and dilations from 1 on";
    if (padding[i] < 0 || padding[i] > kernel[i] / 2)
      return emitError() << "expects paddings of at most half the kernel size, found " << padding[i] << " for "
                         << kernel[i];
  }
  bool nhwc = layout == Layout::NHWC;
  Spatial s = spatial(input, nhwc);
  int64_t oh = poolOutputSize(s.height, kernel[0], strides[0], padding[0], dilations[0], ceilMode);
  int64_t ow = poolOutputSize(s.width, kernel[1], strides[1], padding[1], dilations[1], ceilMode);
  if (oh < 1 || ow < 1)
    return emitError() << "has a " << kernel[0] << "x" << kernel[1] << " kernel that does not fit into its padded input "
                       << input;
  return RankedTensorType::get(spatialShape({s.batch, s.channels, oh, ow}, nhwc), input.getElementType());
}

static Type tapType(MLIRContext *context, ArrayRef<int64_t> kernel) {
  return IntegerType::get(context, kernel[0] <= 128 / kernel[1] ? 8 : 32);
}

LogicalResult MaxPool2dOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                            Types &types) {
  auto error = [&] { return mlir::emitError(orUnknown(location, context)) << "'pocket.max_pool2d' op "; };
  auto type = poolType(error, staticTensor(adaptor.getInput()), adaptor.getKernel(), adaptor.getStrides(),
                       adaptor.getPadding(), adaptor.getDilations(), adaptor.getCeilMode(), adaptor.getLayout());
  if (failed(type))
    return failure();
  types.push_back(*type);
  types.push_back(type->clone(tapType(context, adaptor.getKernel())));
  return success();
}

LogicalResult MaxPool2dGradOp::verify() {
  auto error = [&] { return emitOpError(); };
  auto type = poolType(error, getType(), getKernel(), getStrides(), getPadding(), getDilations(), getCeilMode(),
                       getLayout());
  if (failed(type) || failed(checkType(error, "a cotangent", getCotangent().getType(), *type)))
    return failure();
  return checkType(error, "an index", getIndex().getType(), type->clone(tapType(getContext(), getKernel())));
}

LogicalResult AvgPool2dOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                            Types &types) {
  auto error = [&] { return mlir::emitError(orUnknown(location, context)) << "'pocket.avg_pool2d' op "; };
  auto type = poolType(error, staticTensor(adaptor.getInput()), adaptor.getKernel(), adaptor.getStrides(),
                       adaptor.getPadding(), {1, 1}, adaptor.getCeilMode(), adaptor.getLayout());
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult AvgPool2dGradOp::verify() {
  auto error = [&] { return emitOpError(); };
  auto type = poolType(error, getType(), getKernel(), getStrides(), getPadding(), {1, 1}, getCeilMode(), getLayout());
  return failed(type) ? failure() : checkType(error, "a cotangent", getCotangent().getType(), *type);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static LogicalResult checkEpsilon(EmitError emitError, const APFloat &epsilon) {
  if (epsilon.isNaN() || epsilon.isNegative())
    return emitError() << "expects an epsilon from 0 on, found " << epsilon.convertToDouble();
  return success();
}

/// `[C]` for the channel dimension of `input`; checks the operands against it.
static FailureOr<RankedTensorType> channelType(EmitError emitError, RankedTensorType input, int64_t channelDim,
                                               ArrayRef<Value> perChannel) {
  if (!input || channelDim < 0 || channelDim >= input.getRank())
    return emitError() << "has channel dimension " << channelDim << ", outside its input's rank";
  auto type = RankedTensorType::get({input.getDimSize(channelDim)}, input.getElementType());
  for (Value value : perChannel)
    if (value && failed(checkType(emitError, "statistics, scale and bias", value.getType(), type)))
      return failure();
  return type;
}

LogicalResult BatchNormInferenceOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                                     Types &types) {
  auto error = [&] { return mlir::emitError(orUnknown(location, context)) << "'pocket.batch_norm_inference' op "; };
  RankedTensorType input = staticTensor(adaptor.getInput());
  if (!adaptor.getScale() != !adaptor.getBias())
    return error() << "expects scale and bias both or not at all";
  if (failed(checkEpsilon(error, adaptor.getEpsilon())))
    return failure();
  if (failed(channelType(error, input, adaptor.getChannelDim(),
                         {adaptor.getMean(), adaptor.getVariance(), adaptor.getScale(), adaptor.getBias()})))
    return failure();
  types.push_back(input);
  return success();
}

LogicalResult BatchNormTrainingOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                                    Types &types) {
  auto error = [&] { return mlir::emitError(orUnknown(location, context)) << "'pocket.batch_norm_training' op "; };
  RankedTensorType input = staticTensor(adaptor.getInput());
  if (!adaptor.getScale() != !adaptor.getBias())
    return error() << "expects scale and bias both or not at all";
  auto channels = channelType(error, input, adaptor.getChannelDim(), {adaptor.getScale(), adaptor.getBias()});
  if (failed(channels) || failed(checkEpsilon(error, adaptor.getEpsilon())))
    return failure();
  types.append({input, *channels, *channels});
  return success();
}

LogicalResult BatchNormReduceGradOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                                      Types &types) {
  auto error = [&] { return mlir::emitError(orUnknown(location, context)) << "'pocket.batch_norm_reduce_grad' op "; };
  RankedTensorType input = staticTensor(adaptor.getInput());
  auto channels = channelType(error, input, adaptor.getChannelDim(), {adaptor.getMean()});
  if (failed(channels) || failed(checkType(error, "a cotangent", adaptor.getCotangent().getType(), input)))
    return failure();
  types.append({*channels, *channels});
  return success();
}

/// The types of layer norm's statistics and of its scale and bias.
static FailureOr<std::pair<RankedTensorType, RankedTensorType>> layerNormTypes(EmitError emitError,
                                                                               RankedTensorType input, int64_t axis) {
  if (!input || axis < 0 || axis >= input.getRank())
    return emitError() << "normalizes from dimension " << axis << " on, outside its input's rank";
  return std::make_pair(input.clone(input.getShape().take_front(axis)), input.clone(input.getShape().drop_front(axis)));
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                            Types &types) {
  auto error = [&] { return mlir::emitError(orUnknown(location, context)) << "'pocket.layer_norm' op "; };
  RankedTensorType input = staticTensor(adaptor.getInput());
  auto expected = layerNormTypes(error, input, adaptor.getAxis());
  if (failed(expected) || failed(checkEpsilon(error, adaptor.getEpsilon())))
    return failure();
  if (!adaptor.getScale() != !adaptor.getBias())
    return error() << "expects scale and bias both or not at all";
  for (Value value : {adaptor.getScale(), adaptor.getBias()})
    if (value && failed(checkType(error, "scale and bias", value.getType(), expected->second)))
      return failure();
  types.append({input, expected->first, expected->first});
  return success();
}

LogicalResult LayerNormInputGradOp::verify() {
  auto error = [&] { return emitOpError(); };
  auto expected = layerNormTypes(error, getType(), getAxis());
  if (failed(expected) || failed(checkType(error, "a cotangent", getCotangent().getType(), getType())) ||
      failed(checkType(error, "an input", getInput().getType(), getType())) ||
      failed(checkType(error, "a mean", getMean().getType(), expected->first)) ||
      failed(checkType(error, "a rstd", getRstd().getType(), expected->first)))
    return failure();
  return getScale() ? checkType(error, "a scale", getScale().getType(), expected->second) : success();
}

//===----------------------------------------------------------------------===//
// Softmax, attention, cross entropy
//===----------------------------------------------------------------------===//

template <typename Op>
static LogicalResult verifyDim(Op op) {
  int64_t rank = op.getType().getRank();
  if (op.getDim() < 0 || op.getDim() >= rank)
    return op.emitOpError() << "runs along dimension " << op.getDim() << " of a tensor of rank " << rank;
  return success();
}
LogicalResult SoftmaxOp::verify() { return verifyDim(*this); }
LogicalResult SoftmaxGradOp::verify() { return verifyDim(*this); }
LogicalResult LogSoftmaxOp::verify() { return verifyDim(*this); }
LogicalResult LogSoftmaxGradOp::verify() { return verifyDim(*this); }

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                            Types &types) {
  auto error = [&] { return mlir::emitError(orUnknown(location, context)) << "'pocket.attention' op "; };
  RankedTensorType q = staticTensor(adaptor.getQuery()), k = staticTensor(adaptor.getKey()),
                   v = staticTensor(adaptor.getValue());
  if (!q || !k || !v || q.getRank() != 4 || k.getRank() != 4 || v.getRank() != 4)
    return error() << "expects query, key and value of rank 4: batch, heads, positions, channels";
  if (q.getElementType() != k.getElementType() || q.getElementType() != v.getElementType())
    return error() << "expects operands of one element type";
  ArrayRef<int64_t> qs = q.getShape(), ks = k.getShape(), vs = v.getShape();
  if (qs.take_front(2) != ks.take_front(2) || qs.take_front(2) != vs.take_front(2) || qs[3] != ks[3] || ks[2] != vs[2])
    return error() << "cannot attend with query " << q << ", key " << k << " and value " << v;
  SmallVector<int64_t> scores{qs[0], qs[1], qs[2], ks[2]};
  if (Value mask = adaptor.getMask()) {
    RankedTensorType type = staticTensor(mask);
    auto joint = type ? broadcastShapes(type.getShape(), scores) : std::nullopt;
    if (!joint || *joint != scores)
      return error() << "cannot broadcast the mask " << mask.getType() << " to " << shapeText(scores);
    if (!type.getElementType().isInteger(1) && type.getElementType() != q.getElementType())
      return error() << "expects a mask of i1 or " << q.getElementType() << ", found " << type;
  }
  types.push_back(q.clone({qs[0], qs[1], qs[2], vs[3]}));
  types.push_back(q.clone(scores));
  return success();
}

static LogicalResult checkCrossEntropy(EmitError emitError, RankedTensorType logits, RankedTensorType targets,
                                       const APFloat &labelSmoothing) {
  if (!logits || !targets)
    return emitError() << "expects tensors of static shape";
  if (logits.getRank() != 2 || targets.getRank() != 1 || logits.getDimSize(0) != targets.getDimSize(0) ||
      logits.getDimSize(1) < 1)
    return emitError() << "expects logits [N, C] and targets [N], found " << logits << " and " << targets;
  double smoothing = labelSmoothing.convertToDouble();
  if (!(smoothing >= 0.0 && smoothing <= 1.0))
    return emitError() << "expects label_smoothing in [0, 1], found " << smoothing;
  return success();
}

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                               Types &types) {
  auto error = [&] { return mlir::emitError(orUnknown(location, context)) << "'pocket.cross_entropy' op "; };
  RankedTensorType logits = staticTensor(adaptor.getLogits()), targets = staticTensor(adaptor.getTargets());
  if (failed(checkCrossEntropy(error, logits, targets, adaptor.getLabelSmoothing())))
    return failure();
  auto perSample = logits.clone(targets.getShape());
  types.push_back(adaptor.getReduction() == LossReduction::NONE ? perSample : logits.clone(ArrayRef<int64_t>{}));
  types.push_back(perSample);
  return success();
}

LogicalResult CrossEntropyGradOp::verify() {
  auto error = [&] { return emitOpError(); };
  RankedTensorType logits = getLogits().getType(), targets = getTargets().getType();
  if (failed(checkCrossEntropy(error, logits, targets, getLabelSmoothing())))
    return failure();
  auto perSample = logits.clone(targets.getShape());
  auto loss = getReduction() == LossReduction::NONE ? perSample : logits.clone(ArrayRef<int64_t>{});
  if (failed(checkType(error, "a result", getType(), logits)) ||
      failed(checkType(error, "a logsumexp", getLogsumexp().getType(), perSample)))
    return failure();
  return checkType(error, "a cotangent", getCotangent().getType(), loss);
}

} // namespace pocket
