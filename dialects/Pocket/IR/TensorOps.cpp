#include "Pocket/IR/Fold.h"
#include "Pocket/IR/Pocket.h"
#include "Pocket/IR/Shapes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Pocket/IR/TensorOps.cpp.inc"

namespace pocket {

using Types = SmallVectorImpl<Type>;
using MaybeLocation = std::optional<Location>;

//===----------------------------------------------------------------------===//
// Constants and reductions
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

static LogicalResult inferReduction(MaybeLocation location, Value input, ArrayRef<int64_t> dims, bool keepdims,
                                    Type element, bool needsElements, Types &types) {
  RankedTensorType type = staticTensor(input);
  if (!type)
    return emitOptionalError(location, "expects a tensor of static shape");
  llvm::SmallBitVector reduced(type.getRank());
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= type.getRank())
      return emitOptionalError(location, "reduces dimension ", dim, " of a tensor of rank ", type.getRank());
    if (reduced.test(dim))
      return emitOptionalError(location, "reduces dimension ", dim, " twice");
    if (needsElements && type.getDimSize(dim) == 0)
      return emitOptionalError(location, "reduces dimension ", dim, ", which is empty");
    reduced.set(dim);
  }
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (!reduced.test(i))
      shape.push_back(size);
    else if (keepdims)
      shape.push_back(1);
  types.push_back(RankedTensorType::get(shape, element ? element : type.getElementType()));
  return success();
}

namespace {
/// A reduction over dimensions of size 1 only is a reshape.
template <typename Op>
struct ReductionOfOnes : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    for (int64_t dim : op.getDims())
      if (op.getInput().getType().getDimSize(dim) != 1)
        return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};
} // namespace

#define POCKET_REDUCTION(Op, needsElements)                                                                            \
  LogicalResult Op::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor adaptor, Types &types) {           \
    return inferReduction(location, adaptor.getInput(), adaptor.getDims(), adaptor.getKeepdims(), {}, needsElements,   \
                          types);                                                                                      \
  }                                                                                                                    \
  OpFoldResult Op::fold(FoldAdaptor) {                                                                                 \
    /* What is left are reductions of nothing. */                                                                      \
    return getInput().getType() == getType() ? foldTo(*this, getInput()) : OpFoldResult();                             \
  }                                                                                                                    \
  void Op::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {                            \
    patterns.add<ReductionOfOnes<Op>>(context);                                                                        \
  }
POCKET_REDUCTION(SumOp, false)
POCKET_REDUCTION(MeanOp, false)
POCKET_REDUCTION(ReduceMaxOp, true)
POCKET_REDUCTION(ReduceMinOp, true)
#undef POCKET_REDUCTION

LogicalResult ArgmaxOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor, Types &types) {
  int64_t dim = adaptor.getDim();
  return inferReduction(location, adaptor.getInput(), dim, adaptor.getKeepdims(), IntegerType::get(context, 64), true,
                        types);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  auto from = getInput().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "keeps the element type, found " << from << " to " << to;
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "keeps the number of elements, found " << from.getNumElements() << " in " << from << " and "
                         << to.getNumElements() << " in " << to;
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return foldTo(*this, getInput());
  if (auto inner = getInput().getDefiningOp<ReshapeOp>(); inner && inner != *this) {
    if (inner.getInput().getType() == getType())
      return foldTo(*this, inner.getInput());
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput()))
    return elements.reshape(getType());
  return {};
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor adaptor, Types &types) {
  RankedTensorType type = staticTensor(adaptor.getInput());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (!type)
    return emitOptionalError(location, "expects a tensor of static shape");
  if (static_cast<int64_t>(permutation.size()) != type.getRank() || !isPermutation(permutation))
    return emitOptionalError(location, "expects a permutation of ", type.getRank(), " dimensions, found ",
                             shapeText(permutation));
  types.push_back(type.clone(applyPermutation(type.getShape(), permutation)));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentityPermutation(getPermutation()))
    return foldTo(*this, getInput());
  if (auto inner = getInput().getDefiningOp<TransposeOp>(); inner && inner != *this) {
    SmallVector<int64_t> joint = applyPermutation(inner.getPermutation(), getPermutation());
    getInputMutable().assign(inner.getInput());
    setPermutation(joint);
    return getResult();
  }
  return foldMovement(adaptor.getInput(), getType(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index.size());
    for (auto [i, dim] : llvm::enumerate(getPermutation()))
      from[dim] = index[i];
    return from;
  });
}

namespace {
/// A transpose that only moves dimensions of size 1 is a reshape.
struct TransposeOfOnes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = op.getInput().getType().getShape();
    int64_t last = -1;
    for (int64_t dim : op.getPermutation()) {
      if (shape[dim] == 1)
        continue;
      if (dim < last)
        return failure();
      last = dim;
    }
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};
} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<TransposeOfOnes>(context);
}

LogicalResult BroadcastOp::verify() {
  auto from = getInput().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "keeps the element type, found " << from << " to " << to;
  auto joint = broadcastShapes(from.getShape(), to.getShape());
  if (from.getRank() > to.getRank() || !joint || ArrayRef<int64_t>(*joint) != to.getShape())
    return emitOpError() << "cannot repeat shape " << shapeText(from.getShape()) << " up to "
                         << shapeText(to.getShape());
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return foldTo(*this, getInput());
  return foldMovement(adaptor.getInput(), getType(), [&](ArrayRef<int64_t> index) {
    ArrayRef<int64_t> shape = getInput().getType().getShape();
    SmallVector<int64_t> from(index.take_back(shape.size()));
    for (auto [at, size] : llvm::zip_equal(from, shape))
      at = size == 1 ? 0 : at;
    return from;
  });
}

/// Checks that elements `offset + i * stride`, i < size, lie in every dimension.
static LogicalResult checkSlice(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  if (offsets.size() != shape.size() || sizes.size() != shape.size() || strides.size() != shape.size())
    return emitError() << "expects an offset, a size and a stride for each of " << shape.size() << " dimensions";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (offsets[i] < 0 || sizes[i] < 0 || strides[i] < 1)
      return emitError() << "expects offsets and sizes from 0 and strides from 1 on";
    if (sizes[i] > 0 && (offsets[i] >= shape[i] || (shape[i] - 1 - offsets[i]) / strides[i] < sizes[i] - 1))
      return emitError() << "reads dimension " << i << " from " << offsets[i] << " in " << sizes[i]
                         << " steps of " << strides[i] << ", outside its size " << shape[i];
  }
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor, Types &types) {
  RankedTensorType type = staticTensor(adaptor.getInput());
  if (!type)
    return emitOptionalError(location, "expects a tensor of static shape");
  Location where = location.value_or(UnknownLoc::get(context));
  auto error = [&] { return mlir::emitError(where) << "'pocket.slice' op "; };
  if (failed(checkSlice(error, type.getShape(), adaptor.getOffsets(), adaptor.getSizes(), adaptor.getStrides())))
    return failure();
  types.push_back(type.clone(adaptor.getSizes()));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // Sizes cannot exceed the input's, so an equal type means all of it.
  if (getInput().getType() == getType())
    return foldTo(*this, getInput());
  return foldMovement(adaptor.getInput(), getType(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    for (auto [at, offset, stride] : llvm::zip_equal(from, getOffsets(), getStrides()))
      at = offset + at * stride;
    return from;
  });
}

LogicalResult SliceGradOp::verify() {
  if (getInput().getType().getElementType() != getType().getElementType())
    return emitOpError() << "keeps the element type";
  return checkSlice([&] { return emitOpError(); }, getType().getShape(), getOffsets(), getInput().getType().getShape(),
                    getStrides());
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor adaptor, Types &types) {
  if (adaptor.getInputs().empty())
    return emitOptionalError(location, "expects at least one operand");
  int64_t dim = adaptor.getDim();
  RankedTensorType first;
  SmallVector<int64_t> shape;
  for (Value input : adaptor.getInputs()) {
    RankedTensorType type = staticTensor(input);
    if (!type)
      return emitOptionalError(location, "expects tensors of static shape");
    if (!first) {
      first = type;
      shape.assign(type.getShape().begin(), type.getShape().end());
      if (dim < 0 || dim >= type.getRank())
        return emitOptionalError(location, "joins along dimension ", dim, " of a tensor of rank ", type.getRank());
      continue;
    }
    bool same = type.getRank() == first.getRank() && type.getElementType() == first.getElementType();
    for (int64_t i = 0; same && i < type.getRank(); ++i)
      same = i == dim || type.getDimSize(i) == first.getDimSize(i);
    if (!same)
      return emitOptionalError(location, "cannot join ", type, " to ", first, " along dimension ", dim);
    shape[dim] = sumOfSizes({shape[dim], type.getDimSize(dim)});
  }
  types.push_back(first.clone(shape));
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? foldTo(*this, getInputs().front()) : OpFoldResult();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor adaptor, Types &types) {
  RankedTensorType type = staticTensor(adaptor.getInput());
  if (!type)
    return emitOptionalError(location, "expects a tensor of static shape");
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh();
  if (static_cast<int64_t>(low.size()) != type.getRank() || high.size() != low.size())
    return emitOptionalError(location, "expects a low and a high padding for each of ", type.getRank(), " dimensions");
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (low[i] < 0 || high[i] < 0)
      return emitOptionalError(location, "expects paddings from 0 on; a slice takes away");
    shape.push_back(sumOfSizes({low[i], type.getDimSize(i), high[i]}));
  }
  types.push_back(type.clone(shape));
  return success();
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? foldTo(*this, getInput()) : OpFoldResult();
}

LogicalResult ReverseOp::verify() {
  SmallVector<int64_t> seen;
  for (int64_t dim : getDims()) {
    if (dim < 0 || dim >= getType().getRank())
      return emitOpError() << "reverses dimension " << dim << " of a tensor of rank " << getType().getRank();
    if (llvm::is_contained(seen, dim))
      return emitOpError() << "reverses dimension " << dim << " twice";
    seen.push_back(dim);
  }
  return success();
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  if (llvm::all_of(getDims(), [&](int64_t dim) { return getType().getDimSize(dim) <= 1; }))
    return foldTo(*this, getInput());
  return foldMovement(adaptor.getInput(), getType(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    for (int64_t dim : getDims())
      from[dim] = getType().getDimSize(dim) - 1 - from[dim];
    return from;
  });
}

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

static std::optional<SmallVector<int64_t>> embeddingShape(RankedTensorType weight, RankedTensorType indices) {
  if (!weight || !indices || weight.getRank() < 1)
    return std::nullopt;
  SmallVector<int64_t> shape(indices.getShape());
  llvm::append_range(shape, weight.getShape().drop_front());
  return shape;
}

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor adaptor, Types &types) {
  RankedTensorType weight = staticTensor(adaptor.getWeight());
  auto shape = embeddingShape(weight, staticTensor(adaptor.getIndices()));
  if (!shape)
    return emitOptionalError(location, "expects a table of rank 1 or more and indices of static shape");
  if (adaptor.getPaddingIdx() >= weight.getDimSize(0))
    return emitOptionalError(location, "has padding_idx ", adaptor.getPaddingIdx(), " but only ", weight.getDimSize(0),
                             " rows");
  types.push_back(weight.clone(*shape));
  return success();
}

LogicalResult EmbeddingGradOp::verify() {
  auto shape = embeddingShape(getType(), getIndices().getType());
  if (getCotangent().getType().getElementType() != getType().getElementType())
    return emitOpError() << "keeps the element type, found " << getCotangent().getType() << " to " << getType();
  if (!shape || ArrayRef<int64_t>(*shape) != getCotangent().getType().getShape())
    return emitOpError() << "expects a cotangent of shape "
                         << (shape ? shapeText(*shape) : std::string("[indices..., row...]")) << ", found "
                         << getCotangent().getType();
  if (getPaddingIdx() >= getType().getDimSize(0))
    return emitOpError() << "has padding_idx " << getPaddingIdx() << " but only " << getType().getDimSize(0) << " rows";
  return success();
}

static LogicalResult checkGather(llvm::function_ref<InFlightDiagnostic()> emitError, RankedTensorType input,
                                 RankedTensorType indices, int64_t dim) {
  if (input.getRank() != indices.getRank())
    return emitError() << "expects indices of rank " << input.getRank() << ", found " << indices;
  if (dim < 0 || dim >= input.getRank())
    return emitError() << "gathers along dimension " << dim << " of a tensor of rank " << input.getRank();
  for (int64_t i = 0; i < input.getRank(); ++i)
    if (i != dim && indices.getDimSize(i) > input.getDimSize(i))
      return emitError() << "has " << indices.getDimSize(i) << " indices along dimension " << i << " of size "
                         << input.getDimSize(i);
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor, Types &types) {
  RankedTensorType input = staticTensor(adaptor.getInput()), indices = staticTensor(adaptor.getIndices());
  if (!input || !indices)
    return emitOptionalError(location, "expects tensors of static shape");
  Location where = location.value_or(UnknownLoc::get(context));
  auto error = [&] { return mlir::emitError(where) << "'pocket.gather' op "; };
  if (failed(checkGather(error, input, indices, adaptor.getDim())))
    return failure();
  types.push_back(input.clone(indices.getShape()));
  return success();
}

LogicalResult GatherGradOp::verify() {
  if (getCotangent().getType().getShape() != getIndices().getType().getShape() ||
      getCotangent().getType().getElementType() != getType().getElementType())
    return emitOpError() << "expects a cotangent of the indices' shape "
                         << shapeText(getIndices().getType().getShape()) << ", found " << getCotangent().getType();
  return checkGather([&] { return emitOpError(); }, getType(), getIndices().getType(), getDim());
}

} // namespace pocket
