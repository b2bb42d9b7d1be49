// What the backward pass keeps as bits, and parts of tensors.
#include "llvm/Support/MathExtras.h"
#include "passes/Lowering/Lower.h"
#include "passes/Lowering/Patterns.h"
#include "passes/Lowering/Scalar.h"

using namespace mlir;

namespace pocket {
namespace {

/// The groups of dimensions that split dimension `dim` in two.
SmallVector<ReassociationIndices> splitOf(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i)
    if (i < dim)
      groups.push_back({i});
    else if (i == dim)
      groups.push_back({i, i + 1});
    else
      groups.push_back({i + 1});
  return groups;
}

/// `shape` with dimension `dim` as 8 and `bytes`.
SmallVector<int64_t> splitShape(ArrayRef<int64_t> shape, int64_t dim, int64_t bytes) {
  SmallVector<int64_t> split(shape);
  split[dim] = bytes;
  split.insert(split.begin() + dim, 8);
  return split;
}

/// Reads what is `[.., B, ..]` over the loops `[.., 8, B, ..]`.
AffineMap withoutBit(Emit &e, int64_t loops, int64_t dim) {
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, loops));
  dims.erase(dims.begin() + dim);
  return e.dims(loops, dims);
}

/// 1 << the number of the loop's bit.
Value bitAt(Emit &body, int64_t dim, Type byte) {
  Value number = arith::IndexCastOp::create(body.b, body.loc, byte, linalg::IndexOp::create(body.b, body.loc, dim));
  return arith::ShLIOp::create(body.b, body.loc, body.constant(byte, 1), number);
}

Value lowerPackBits(Emit &e, PackBitsOp op) {
  RankedTensorType packed = op.getResult().getType(), from = op.getInput().getType();
  int64_t rank = packed.getRank(), dim = op.getDim(), bytes = packed.getDimSize(dim);
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  high[dim] = 8 * bytes - from.getDimSize(dim);
  Value bits = e.expand(e.pad(op.getInput(), low, high, 0), splitOf(rank, dim),
                        splitShape(from.getShape(), dim, bytes));
  SmallVector<bool> reductions(rank + 1, false);
  reductions[dim] = true;
  Type byte = packed.getElementType();
  return e.generic(bits, e.fill(packed, 0), {e.b.getMultiDimIdentityMap(rank + 1), withoutBit(e, rank + 1, dim)},
                   reductions, [&](Emit &body, ValueRange args) -> Value {
                     Value set = arith::SelectOp::create(body.b, body.loc, args[0], bitAt(body, dim, byte),
                                                         body.constant(byte, 0));
                     return arith::OrIOp::create(body.b, body.loc, args[1], set);
                   });
}

Value lowerUnpackBits(Emit &e, UnpackBitsOp op) {
  RankedTensorType type = op.getType(), packed = op.getInput().getType();
  int64_t rank = type.getRank(), dim = op.getDim(), bytes = packed.getDimSize(dim);
  SmallVector<int64_t> split = splitShape(type.getShape(), dim, bytes);
  Type byte = packed.getElementType();
  Value bits = e.generic(op.getInput(), e.empty(split, type.getElementType()),
                         {withoutBit(e, rank + 1, dim), e.b.getMultiDimIdentityMap(rank + 1)},
                         SmallVector<bool>(rank + 1, false), [&](Emit &body, ValueRange args) -> Value {
                           Value masked = arith::AndIOp::create(body.b, body.loc, args[0], bitAt(body, dim, byte));
                           return arith::CmpIOp::create(body.b, body.loc, arith::CmpIPredicate::ne, masked,
                                                        body.constant(byte, 0));
                         });
  SmallVector<int64_t> padded(type.getShape());
  padded[dim] = 8 * bytes;
  Value result = e.collapse(bits, splitOf(rank, dim));
  if (padded[dim] == type.getDimSize(dim))
    return result;
  return e.slice(result, SmallVector<int64_t>(rank, 0), type.getShape(), SmallVector<int64_t>(rank, 1));
}

//===----------------------------------------------------------------------===//
// Channels: one range is a slice, several are looked up
//===----------------------------------------------------------------------===//

/// A table of 32-bit numbers.
Value table(Emit &e, ArrayRef<int64_t> numbers) {
  SmallVector<int32_t> narrow(numbers.begin(), numbers.end());
  auto type = RankedTensorType::get({static_cast<int64_t>(narrow.size())}, e.b.getI32Type());
  return arith::ConstantOp::create(e.b, e.loc, DenseElementsAttr::get(type, ArrayRef(narrow)));
}

Value lowerTakeChannels(Emit &e, TakeChannelsOp op) {
  RankedTensorType type = op.getResult().getType();
  int64_t rank = type.getRank();
  ChannelsAttr channels = op.getChannels();
  int64_t dim = channels.getDim();
  if (channels.getBegins().size() == 1) {
    SmallVector<int64_t> offsets(rank, 0);
    offsets[dim] = channels.getBegins()[0];
    return e.slice(op.getInput(), offsets, type.getShape(), SmallVector<int64_t>(rank, 1));
  }
  return e.generic(table(e, channels.indices()), e.empty(type),
                   {e.dims(rank, {dim}), e.b.getMultiDimIdentityMap(rank)}, SmallVector<bool>(rank, false),
                   [&](Emit &body, ValueRange args) -> Value {
                     SmallVector<Value> place;
                     for (int64_t i = 0; i < rank; ++i)
                       place.push_back(i == dim ? clampedIndex({body, args[0]}, Emit::shape(op.getInput())[dim])
                                                : linalg::IndexOp::create(body.b, body.loc, i).getResult());
                     return tensor::ExtractOp::create(body.b, body.loc, op.getInput(), place);
                   });
}

Value lowerAssignChannels(Emit &e, AssignChannelsOp op) {
  RankedTensorType type = op.getType();
  int64_t rank = type.getRank();
  ChannelsAttr channels = op.getChannels();
  int64_t dim = channels.getDim();
  if (channels.getBegins().empty())
    return op.getOldValue();
  if (channels.getBegins().size() == 1) {
    SmallVector<int64_t> offsets(rank, 0);
    offsets[dim] = channels.getBegins()[0];
    return e.insert(op.getNewChannels(), op.getOldValue(), offsets, SmallVector<int64_t>(rank, 1));
  }
  // Where each channel's new value stands; -1 for those that stay.
  SmallVector<int64_t> places(type.getDimSize(dim), -1);
  for (auto [place, channel] : llvm::enumerate(channels.indices()))
    places[channel] = place;
  AffineMap identity = e.b.getMultiDimIdentityMap(rank);
  return e.generic({table(e, places), op.getOldValue()}, e.empty(type), {e.dims(rank, {dim}), identity, identity},
                   SmallVector<bool>(rank, false), [&](Emit &body, ValueRange args) -> Value {
                     Scalar number(body, args[0]);
                     SmallVector<Value> place;
                     for (int64_t i = 0; i < rank; ++i)
                       place.push_back(i == dim ? clampedIndex(number, channels.count())
                                                : linalg::IndexOp::create(body.b, body.loc, i).getResult());
                     Scalar changed(body, tensor::ExtractOp::create(body.b, body.loc, op.getNewChannels(), place));
                     return select(lt(number, 0.0), Scalar(body, args[1]), changed).value();
                   });
}

} // namespace

void populateBackwardToLinalg(RewritePatternSet &patterns) {
  addValueLowering<PackBitsOp>(patterns, lowerPackBits);
  addValueLowering<UnpackBitsOp>(patterns, lowerUnpackBits);
  addValueLowering<TakeChannelsOp>(patterns, lowerTakeChannels);
  addValueLowering<AssignChannelsOp>(patterns, lowerAssignChannels);
}

} // namespace pocket
