// Constants, reductions, movement and look-ups.
#include "passes/Lowering/Lower.h"
#include "passes/Lowering/Patterns.h"
#include "passes/Lowering/Reduce.h"

using namespace mlir;

namespace pocket {
namespace {

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value lowerMean(Emit &e, MeanOp op, const Tiles &tiles) {
  int64_t count = 1;
  for (int64_t dim : op.getDims())
    count *= op.getInput().getType().getDimSize(dim);
  Value sum = reduce(e, op.getInput(), op.getDims(), op.getKeepdims(), Join::Sum, tiles);
  return e.elementwise(op.getResult().getType(), sum, [&](Emit &body, ValueRange args) {
    return (Scalar(body, args[0]) / count).value();
  });
}

Value lowerArgmax(Emit &e, ArgmaxOp op, const Tiles &tiles) {
  // The smallest index whose element is the maximum: two joins that do not
  // depend on the order in which they are made.
  int64_t dim = op.getDim();
  View view = viewAround(Emit::shape(op.getInput()), dim, dim);
  Value input = toView(e, op.getInput(), view);
  Value largest = reduce(e, op.getInput(), dim, /*keepDims=*/false, Join::Max, tiles);
  largest = e.reshape(largest, viewShape(view, Along::Results));
  Type i64 = e.b.getI64Type();
  Value positions = mapView(e, view, {{input}, {largest, Along::Results}}, i64, [&](ArrayRef<Scalar> x) {
    Emit &body = *x[0].emit;
    // The loop over `size` is the second one, or the first if there is no outer.
    Value position = view.size == 1 ? body.index(0) : loopIndex(body, view.outer == 1 ? 0 : 1);
    Scalar at(body, arith::IndexCastOp::create(body.b, body.loc, i64, position));
    Scalar isLargest = eq(x[0], x[1]);
    if (x[0].isFloat()) // NaN is the largest of all
      isLargest = bitOr(isLargest, isNan(x[0]));
    return select(isLargest, at, at.number(view.size));
  });
  Value result = reduceTogether(e, view, {{positions}}, Join::Min, i64,
                                [](ArrayRef<Scalar> x) { return SmallVector<Scalar>{x[0]}; }, tiles)[0];
  return e.reshape(result, op.getResult().getType().getShape());
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Value lowerBroadcast(Emit &e, BroadcastOp op) {
  return e.elementwise(op.getResult().getType(), op.getInput(), [](Emit &, ValueRange args) { return args[0]; });
}

Value lowerSliceGrad(Emit &e, SliceGradOp op) {
  Value zeros = e.fill(op.getResult().getType(), 0);
  return e.insert(op.getInput(), zeros, op.getOffsets(), op.getStrides());
}

Value lowerConcat(Emit &e, ConcatOp op) {
  RankedTensorType type = op.getResult().getType();
  if (op.getInputs().size() == 1)
    return op.getInputs()[0];
  Value result = e.empty(type);
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
  for (Value part : op.getInputs()) {
    result = e.insert(part, result, offsets, strides);
    offsets[op.getDim()] += Emit::shape(part)[op.getDim()];
  }
  return result;
}

/// `result[i...] = source[place(i...)...]`, from a tensor that is read anywhere.
Value readAt(Emit &e, RankedTensorType type, Value source, ValueRange inputs, ArrayRef<AffineMap> inputMaps,
             function_ref<SmallVector<Value>(Emit &, ArrayRef<Value>, ValueRange)> place) {
  int64_t rank = type.getRank();
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(e.b.getMultiDimIdentityMap(rank));
  return e.generic(inputs, e.empty(type), maps, SmallVector<bool>(rank, false), [&](Emit &body, ValueRange args) {
    SmallVector<Value> loops;
    for (int64_t i = 0; i < rank; ++i)
      loops.push_back(loopIndex(body, i));
    return tensor::ExtractOp::create(body.b, body.loc, source, place(body, loops, args)).getResult();
  });
}

Value lowerReverse(Emit &e, ReverseOp op) {
  RankedTensorType type = op.getResult().getType();
  return readAt(e, type, op.getInput(), {}, {}, [&](Emit &body, ArrayRef<Value> loops, ValueRange) {
    SmallVector<Value> place(loops);
    for (int64_t dim : op.getDims())
      place[dim] = body.sub(body.index(type.getDimSize(dim) - 1), loops[dim]);
    return place;
  });
}

//===----------------------------------------------------------------------===//
// Look-ups
//===----------------------------------------------------------------------===//

/// Marks the op behind `value`, if its rows are long enough to gain from it.
void markForm(Value value, StringRef form) {
  RankedTensorType type = Emit::type(value);
  if (type.getElementType().isF32() && type.getDimSize(1) >= 8)
    value.getDefiningOp()->setAttr(kFormName, StringAttr::get(value.getContext(), form));
}

Value lowerEmbedding(Emit &e, EmbeddingOp op) {
  RankedTensorType type = op.getResult().getType();
  int64_t rows = Emit::shape(op.getWeight())[0], width = Emit::type(op.getWeight()).getNumElements() / rows;
  int64_t count = Emit::type(op.getIndices()).getNumElements();
  Value table = e.reshape(op.getWeight(), {rows, width}), indices = e.reshape(op.getIndices(), {count});
  Value result = readAt(e, type.clone({count, width}), table, indices, e.dims(2, {0}),
                        [&](Emit &body, ArrayRef<Value> loops, ValueRange args) {
                          return SmallVector<Value>{clampedIndex({body, args[0]}, rows), loops[1]};
                        });
  markForm(result, kGatherRows);
  return e.reshape(result, type.getShape());
}

/// A loop's position in the type of the indices it is compared with.
Scalar positionLike(Emit &body, int64_t dim, Type type) {
  return {body, arith::IndexCastOp::create(body.b, body.loc, type, loopIndex(body, dim))};
}

Value lowerEmbeddingGrad(Emit &e, EmbeddingGradOp op) {
  // Row v is the sum of the cotangents whose index is v.
  RankedTensorType type = op.getResult().getType();
  int64_t count = Emit::type(op.getIndices()).getNumElements(), rows = type.getDimSize(0);
  int64_t width = type.getNumElements() / rows;
  Value indices = e.reshape(op.getIndices(), {count}), dy = e.reshape(op.getCotangent(), {count, width});
  int64_t padding = op.getPaddingIdx();
  if (padding >= 0)
    dy = e.generic({indices, dy}, e.empty(Emit::type(dy)), {e.dims(2, {0}), e.dims(2, {0, 1}), e.dims(2, {0, 1})},
                   {false, false}, [&](Emit &body, ValueRange args) {
                     Scalar index(body, args[0]), term(body, args[1]);
                     return select(eq(index, padding), term.number(0), term).value();
                   });
  Value sums = e.generic({indices, dy}, e.fill(type.clone({rows, width}), 0),
                         {e.dims(3, {2}), e.dims(3, {2, 1}), e.dims(3, {0, 1})}, {false, false, true},
                         [&](Emit &body, ValueRange args) {
                           Scalar index(body, args[0]), term(body, args[1]), sum(body, args[2]);
                           Scalar isHere = eq(index, positionLike(body, 0, index.type()));
                           return (sum + select(isHere, term, term.number(0))).value();
                         });
  markForm(sums, kScatterRows);
  return e.reshape(sums, type.getShape());
}

Value lowerGather(Emit &e, GatherOp op) {
  RankedTensorType type = op.getResult().getType();
  int64_t dim = op.getDim(), size = Emit::shape(op.getInput())[dim];
  AffineMap map = e.b.getMultiDimIdentityMap(type.getRank());
  return readAt(e, type, op.getInput(), op.getIndices(), map, [&](Emit &body, ArrayRef<Value> loops, ValueRange args) {
    SmallVector<Value> place(loops);
    place[dim] = clampedIndex({body, args[0]}, size);
    return place;
  });
}

Value lowerGatherGrad(Emit &e, GatherGradOp op) {
  // Element k along `dim` is the sum of the cotangents whose index is k. Where
  // the indices are smaller than the input in another dimension, zeros remain.
  RankedTensorType type = op.getResult().getType();
  int64_t rank = type.getRank(), dim = op.getDim();
  SmallVector<int64_t> summed(Emit::shape(op.getIndices()));
  summed[dim] = type.getDimSize(dim);
  SmallVector<int64_t> outer = llvm::to_vector(llvm::seq<int64_t>(0, rank)), inner = outer;
  inner[dim] = rank; // the reduction runs along the indices
  SmallVector<bool> reductions(rank + 1, false);
  reductions[rank] = true;
  AffineMap read = e.dims(rank + 1, inner);
  Value sums = e.generic({op.getIndices(), op.getCotangent()}, e.fill(type.clone(summed), 0),
                         {read, read, e.dims(rank + 1, outer)}, reductions, [&](Emit &body, ValueRange args) {
                           Scalar index(body, args[0]), term(body, args[1]), sum(body, args[2]);
                           Scalar isHere = eq(index, positionLike(body, dim, index.type()));
                           return (sum + select(isHere, term, term.number(0))).value();
                         });
  SmallVector<int64_t> low(rank, 0), high;
  for (int64_t i = 0; i < rank; ++i)
    high.push_back(type.getDimSize(i) - summed[i]);
  return e.pad(sums, low, high, 0);
}

} // namespace

void populateTensorToLinalg(RewritePatternSet &patterns, const Tiles &tiles) {
  addValueLowering<ConstantOp>(patterns, [](Emit &e, ConstantOp op) -> Value {
    return arith::ConstantOp::create(e.b, e.loc, op.getValue());
  });
  addValueLowering<SumOp>(patterns, [=](Emit &e, SumOp op) {
    return reduce(e, op.getInput(), op.getDims(), op.getKeepdims(), Join::Sum, tiles);
  });
  addValueLowering<MeanOp>(patterns, [=](Emit &e, MeanOp op) { return lowerMean(e, op, tiles); });
  addValueLowering<ReduceMaxOp>(patterns, [=](Emit &e, ReduceMaxOp op) {
    return reduce(e, op.getInput(), op.getDims(), op.getKeepdims(), Join::Max, tiles);
  });
  addValueLowering<ReduceMinOp>(patterns, [=](Emit &e, ReduceMinOp op) {
    return reduce(e, op.getInput(), op.getDims(), op.getKeepdims(), Join::Min, tiles);
  });
  addValueLowering<ArgmaxOp>(patterns, [=](Emit &e, ArgmaxOp op) { return lowerArgmax(e, op, tiles); });

  addValueLowering<ReshapeOp>(patterns, [](Emit &e, ReshapeOp op) {
    return e.reshape(op.getInput(), op.getResult().getType().getShape());
  });
  addValueLowering<TransposeOp>(patterns, [](Emit &e, TransposeOp op) {
    return e.transpose(op.getInput(), op.getPermutation());
  });
  addValueLowering<BroadcastOp>(patterns, lowerBroadcast);
  addValueLowering<SliceOp>(patterns, [](Emit &e, SliceOp op) {
    return e.slice(op.getInput(), op.getOffsets(), op.getSizes(), op.getStrides());
  });
  addValueLowering<SliceGradOp>(patterns, lowerSliceGrad);
  addValueLowering<ConcatOp>(patterns, lowerConcat);
  addValueLowering<PadOp>(patterns, [](Emit &e, PadOp op) {
    return e.pad(op.getInput(), op.getLow(), op.getHigh(), op.getValue().convertToDouble());
  });
  addValueLowering<ReverseOp>(patterns, lowerReverse);

  addValueLowering<EmbeddingOp>(patterns, lowerEmbedding);
  addValueLowering<EmbeddingGradOp>(patterns, lowerEmbeddingGrad);
  addValueLowering<GatherOp>(patterns, lowerGather);
  addValueLowering<GatherGradOp>(patterns, lowerGatherGrad);
}

} // namespace pocket
