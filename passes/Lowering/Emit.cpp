#include "passes/Lowering/Emit.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace pocket {

Value Emit::constant(Type type, double value) {
  TypedAttr attr;
  if (isa<FloatType>(type))
    attr = b.getFloatAttr(type, value);
  else
    attr = b.getIntegerAttr(type, static_cast<int64_t>(value));
  return arith::ConstantOp::create(b, loc, attr);
}
Value Emit::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

Value Emit::add(Value x, Value y) {
  return isa<FloatType>(x.getType()) ? arith::AddFOp::create(b, loc, x, y).getResult()
                                     : arith::AddIOp::create(b, loc, x, y).getResult();
}
Value Emit::sub(Value x, Value y) {
  return isa<FloatType>(x.getType()) ? arith::SubFOp::create(b, loc, x, y).getResult()
                                     : arith::SubIOp::create(b, loc, x, y).getResult();
}
Value Emit::mul(Value x, Value y) {
  return isa<FloatType>(x.getType()) ? arith::MulFOp::create(b, loc, x, y).getResult()
                                     : arith::MulIOp::create(b, loc, x, y).getResult();
}
Value Emit::div(Value x, Value y) {
  return isa<FloatType>(x.getType()) ? arith::DivFOp::create(b, loc, x, y).getResult()
                                     : arith::DivSIOp::create(b, loc, x, y).getResult();
}

Value Emit::empty(ArrayRef<int64_t> shape, Type element) { return tensor::EmptyOp::create(b, loc, shape, element); }

Value Emit::fill(RankedTensorType type, double value) {
  Value scalar = constant(type.getElementType(), value);
  return linalg::FillOp::create(b, loc, scalar, empty(type)).getResult(0);
}

Value Emit::splat(RankedTensorType type, double value) {
  Type element = type.getElementType();
  Attribute scalar = isa<FloatType>(element) ? Attribute(b.getFloatAttr(element, value))
                                             : Attribute(b.getIntegerAttr(element, static_cast<int64_t>(value)));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, scalar));
}

static void setTiles(Operation *op, TilesAttr tiles) {
  if (tiles)
    op->setAttr("pocket.tiles", tiles);
}

static SmallVector<utils::IteratorType> iterators(ArrayRef<bool> reductions) {
  return llvm::map_to_vector(reductions, [](bool reduces) {
    return reduces ? utils::IteratorType::reduction : utils::IteratorType::parallel;
  });
}

Value Emit::generic(ValueRange inputs, Value init, ArrayRef<AffineMap> maps, ArrayRef<bool> reductions, Body body,
                    TilesAttr tiles) {
  return generic(inputs, ValueRange(init), maps, reductions,
                 [&](Emit &e, ValueRange args) { return SmallVector<Value>{body(e, args)}; }, tiles)[0];
}

SmallVector<Value> Emit::generic(ValueRange inputs, ValueRange inits, ArrayRef<AffineMap> maps,
                                 ArrayRef<bool> reductions, MultiBody body, TilesAttr tiles) {
  auto op = linalg::GenericOp::create(b, loc, inits.getTypes(), inputs, inits, maps, iterators(reductions),
                                      [&](OpBuilder &nested, Location location, ValueRange args) {
                                        Emit e(nested, location);
                                        linalg::YieldOp::create(nested, location, body(e, args));
                                      });
  setTiles(op, tiles);
  return SmallVector<Value>(op.getResults().begin(), op.getResults().end());
}

AffineMap Emit::broadcastMap(ArrayRef<int64_t> shape, int64_t rank) {
  SmallVector<AffineExpr> results;
  int64_t lead = rank - shape.size();
  for (auto [i, size] : llvm::enumerate(shape))
    results.push_back(size == 1 ? b.getAffineConstantExpr(0) : b.getAffineDimExpr(lead + i));
  return AffineMap::get(rank, 0, results, b.getContext());
}

AffineMap Emit::dims(int64_t loops, ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> results = llvm::map_to_vector(dims, [&](int64_t d) { return b.getAffineDimExpr(d); });
  return AffineMap::get(loops, 0, results, b.getContext());
}

Value Emit::elementwise(RankedTensorType type, ValueRange inputs, Body body) {
  int64_t rank = type.getRank();
  SmallVector<Value> reshaped;
  SmallVector<AffineMap> maps;
  for (Value input : inputs) {
    // Dimensions of size 1 that repeat are dropped: a map with constants
    // in it would keep the op from being fused and vectorized.
    ArrayRef<int64_t> from = shape(input);
    int64_t lead = rank - from.size();
    SmallVector<int64_t> kept, keptDims;
    for (auto [i, size] : llvm::enumerate(from))
      if (size == type.getDimSize(lead + i)) {
        kept.push_back(size);
        keptDims.push_back(lead + i);
      }
    reshaped.push_back(kept.size() == from.size() ? input : reshape(input, kept));
    maps.push_back(dims(rank, keptDims));
  }
  maps.push_back(b.getMultiDimIdentityMap(rank));
  return generic(reshaped, empty(type), maps, SmallVector<bool>(rank, false), body);
}

Value Emit::collapse(Value value, ArrayRef<ReassociationIndices> groups) {
  return tensor::CollapseShapeOp::create(b, loc, value, groups);
}

Value Emit::expand(Value value, ArrayRef<ReassociationIndices> groups, ArrayRef<int64_t> shape) {
  return tensor::ExpandShapeOp::create(b, loc, type(value).clone(shape), value, groups);
}

Value Emit::reshape(Value value, ArrayRef<int64_t> to) {
  RankedTensorType from = type(value), result = from.clone(to);
  if (from == result)
    return value;
  if (from.getRank() != result.getRank())
    if (auto groups = getReassociationIndicesForReshape(from, result)) {
      if (from.getRank() > result.getRank())
        return tensor::CollapseShapeOp::create(b, loc, result, value, *groups);
      return tensor::ExpandShapeOp::create(b, loc, result, value, *groups);
    }
  // In general by way of one dimension.
  if (from.getRank() != 1) {
    SmallVector<ReassociationIndices> all;
    if (from.getRank() > 0)
      all.push_back(llvm::to_vector(llvm::seq<int64_t>(0, from.getRank())));
    RankedTensorType flat = from.clone({from.getNumElements()});
    value = from.getRank() > 0 ? tensor::CollapseShapeOp::create(b, loc, flat, value, all).getResult()
                               : tensor::ExpandShapeOp::create(b, loc, flat, value, all).getResult();
  }
  if (result.getRank() == 1)
    return value;
  SmallVector<ReassociationIndices> all;
  if (result.getRank() > 0)
    all.push_back(llvm::to_vector(llvm::seq<int64_t>(0, result.getRank())));
  return result.getRank() > 0 ? tensor::ExpandShapeOp::create(b, loc, result, value, all).getResult()
                              : tensor::CollapseShapeOp::create(b, loc, result, value, all).getResult();
}

static SmallVector<OpFoldResult> attrs(OpBuilder &b, ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(b.getContext(), values); }

Value Emit::pad(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high, double with) {
  if (llvm::all_of(low, [](int64_t p) { return p == 0; }) && llvm::all_of(high, [](int64_t p) { return p == 0; }))
    return value;
  RankedTensorType from = type(value);
  SmallVector<int64_t> to;
  for (int64_t i = 0; i < from.getRank(); ++i)
    to.push_back(low[i] + from.getDimSize(i) + high[i]);
  return tensor::PadOp::create(b, loc, from.clone(to), value, attrs(b, low), attrs(b, high),
                               constant(from.getElementType(), with));
}

Value Emit::slice(Value value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  return tensor::ExtractSliceOp::create(b, loc, type(value).clone(sizes), value, attrs(b, offsets), attrs(b, sizes),
                                        attrs(b, strides));
}

Value Emit::insert(Value value, Value into, ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides) {
  return tensor::InsertSliceOp::create(b, loc, value, into, attrs(b, offsets), attrs(b, shape(value)),
                                       attrs(b, strides));
}

Value Emit::transpose(Value value, ArrayRef<int64_t> permutation) {
  RankedTensorType from = type(value);
  Value init = empty(applyPermutation(from.getShape(), permutation), from.getElementType());
  return linalg::TransposeOp::create(b, loc, value, init, permutation)->getResult(0);
}

} // namespace pocket
