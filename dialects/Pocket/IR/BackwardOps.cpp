#include "Pocket/IR/Fold.h"
#include "Pocket/IR/Pocket.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Pocket/IR/BackwardOps.cpp.inc"

namespace pocket {

using Types = SmallVectorImpl<Type>;
using MaybeLocation = std::optional<Location>;

//===----------------------------------------------------------------------===//
// What the backward pass keeps
//===----------------------------------------------------------------------===//

OpFoldResult SaveOp::fold(FoldAdaptor adaptor) {
  // What is kept already, and what costs nothing to keep.
  if (getInput().getDefiningOp<SaveOp>())
    return foldTo(*this, getInput());
  return adaptor.getInput();
}

/// The type of `bits` packed along `dim`.
static FailureOr<RankedTensorType> packedType(RankedTensorType bits, int64_t dim,
                                              llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (dim < 0 || dim >= bits.getRank())
    return emitError() << "packs along dimension " << dim << " of a tensor of rank " << bits.getRank();
  SmallVector<int64_t> shape(bits.getShape());
  shape[dim] = llvm::divideCeil(shape[dim], 8);
  return RankedTensorType::get(shape, IntegerType::get(bits.getContext(), 8));
}

LogicalResult PackBitsOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                           Types &types) {
  RankedTensorType type = staticTensor(adaptor.getInput());
  if (!type)
    return emitOptionalError(location, "expects a tensor of static shape");
  Location at = location.value_or(UnknownLoc::get(context));
  FailureOr<RankedTensorType> packed = packedType(type, adaptor.getDim(), [&] { return mlir::emitError(at); });
  if (failed(packed))
    return failure();
  types.push_back(*packed);
  return success();
}

LogicalResult UnpackBitsOp::verify() {
  FailureOr<RankedTensorType> packed = packedType(getType(), getDim(), [&] { return emitOpError(); });
  if (failed(packed))
    return failure();
  if (*packed != getInput().getType())
    return emitOpError() << "expects a " << *packed << " for " << getType() << " along dimension " << getDim()
                         << ", found " << getInput().getType();
  return success();
}

OpFoldResult UnpackBitsOp::fold(FoldAdaptor) {
  auto pack = getInput().getDefiningOp<PackBitsOp>();
  if (pack && pack.getDim() == getDim() && pack.getInput().getType() == getType())
    return foldTo(*this, pack.getInput());
  return {};
}

//===----------------------------------------------------------------------===//
// A part of the channels
//===----------------------------------------------------------------------===//

LogicalResult TakeChannelsOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor adaptor,
                                               Types &types) {
  RankedTensorType type = staticTensor(adaptor.getInput());
  if (!type)
    return emitOptionalError(location, "expects a tensor of static shape");
  Location at = location.value_or(UnknownLoc::get(context));
  FailureOr<RankedTensorType> slice = adaptor.getChannels().sliceOf(type, [&] { return mlir::emitError(at); });
  if (failed(slice))
    return failure();
  types.push_back(*slice);
  return success();
}

OpFoldResult TakeChannelsOp::fold(FoldAdaptor adaptor) {
  // All of them.
  if (getInput().getType() == getType())
    return foldTo(*this, getInput());
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  if (constant && constant.isSplat())
    return SplatElementsAttr::get(getType(), constant.getSplatValue<Attribute>());
  return {};
}

} // namespace pocket
