#include "passes/Lowering/Reduce.h"

using namespace mlir;

namespace pocket {

static Scalar joined(Join join, Scalar sum, Scalar term) {
  switch (join) {
  case Join::Sum:
    return sum + term;
  case Join::Max:
    return maximum(sum, term);
  case Join::Min:
    return minimum(sum, term);
  }
  llvm_unreachable("unknown join");
}

/// What does not change the other operand of a join.
static TypedAttr neutral(Join join, Type element) {
  Builder b(element.getContext());
  if (join == Join::Sum)
    return b.getZeroAttr(element);
  bool lowest = join == Join::Max;
  if (auto type = dyn_cast<FloatType>(element))
    return b.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), lowest));
  unsigned width = element.getIntOrFloatBitWidth();
  return b.getIntegerAttr(element, lowest ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width));
}

View viewAround(ArrayRef<int64_t> shape, int64_t firstDim, int64_t lastDim) {
  View view;
  for (auto [i, size] : llvm::enumerate(shape)) {
    int64_t dim = i;
    (dim < firstDim ? view.outer : dim <= lastDim ? view.size : view.inner) *= size;
  }
  return view;
}

/// Which of outer, size and inner a kind of input has, as bits.
static unsigned parts(Along along) {
  switch (along) {
  case Along::All:
    return 0b111;
  case Along::Results:
    return 0b101;
  case Along::Size:
    return 0b010;
  case Along::Outer:
    return 0b001;
  case Along::Inner:
    return 0b100;
  case Along::Scalar:
    return 0;
  }
  llvm_unreachable("unknown kind");
}

SmallVector<int64_t> viewShape(View view, Along along) {
  SmallVector<int64_t> shape;
  int64_t sizes[] = {view.outer, view.size, view.inner};
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size != 1 && (parts(along) >> i & 1))
      shape.push_back(size);
  return shape;
}

Value toView(Emit &e, Value value, View view) { return e.reshape(value, viewShape(view)); }

namespace {
/// The loops over a view, without those of one iteration; the reduced one last
/// where there is one to reduce.
struct Loops {
  Loops(View view, bool reduces) {
    int64_t sizes[] = {view.outer, view.size, view.inner};
    SmallVector<int> order = {0, 1, 2};
    if (reduces)
      order = {0, 2, 1};
    for (int part : order)
      if (sizes[part] != 1)
        loopOf[part] = count++;
  }
  AffineMap map(Emit &e, Along along) const {
    SmallVector<int64_t> dims;
    for (int part = 0; part < 3; ++part)
      if (loopOf[part] >= 0 && (parts(along) >> part & 1))
        dims.push_back(loopOf[part]);
    return e.dims(count, dims);
  }
  int64_t loopOf[3] = {-1, -1, -1};
  int64_t count = 0;
};
} // namespace

/// Into how many parts a tall column is split: one long sum cannot be shared
/// between threads, and its rounding errors add up. About the square root of its
/// length keeps them lowest: in a deep network with batch norm, long plain sums
/// moved values across ReLU's kink and changed gradients by a percent.
static int64_t columnParts(int64_t size) {
  int64_t parts = 1;
  while (size >= 256 && 4 * parts * parts <= size && size % (2 * parts) == 0)
    parts *= 2;
  return parts;
}

SmallVector<Value> reduceTogether(Emit &e, View view, ArrayRef<Term> inputs, ArrayRef<Join> joins, Type element,
                                  function_ref<SmallVector<Scalar>(ArrayRef<Scalar>)> terms, const Tiles &tiles) {
  int64_t count = columnParts(view.size);
  if (view.outer == 1 && view.inner > 1 && count > 1 &&
      llvm::none_of(inputs, [](const Term &input) { return input.along == Along::Size; })) {
    View parts{count, view.size / count, view.inner}, joined{1, count, view.inner};
    SmallVector<Term> split;
    for (const Term &input : inputs)
      split.push_back(input.along == Along::All ? Term{toView(e, input.value, parts), Along::All}
                      : input.along == Along::Results ? Term{input.value, Along::Inner} : input);
    SmallVector<Value> results = reduceTogether(e, parts, split, joins, element, terms, tiles);
    for (auto [result, join] : llvm::zip_equal(results, joins))
      result = reduceTogether(e, joined, {{result}}, join, element,
                              [](ArrayRef<Scalar> x) { return SmallVector<Scalar>{x[0]}; }, tiles)[0];
    return results;
  }
  Loops loops(view, /*reduces=*/true);
  SmallVector<AffineMap> maps;
  SmallVector<Value> values, inits;
  for (const Term &input : inputs) {
    values.push_back(input.value);
    maps.push_back(loops.map(e, input.along));
  }
  for (Join join : joins) {
    Value start = arith::ConstantOp::create(e.b, e.loc, neutral(join, element));
    Value init = e.empty(viewShape(view, Along::Results), element);
    inits.push_back(linalg::FillOp::create(e.b, e.loc, start, init).getResult(0));
    maps.push_back(loops.map(e, Along::Results));
  }
  SmallVector<bool> reductions(loops.count, false);
  if (loops.loopOf[1] >= 0)
    reductions[loops.loopOf[1]] = true;
  TilesAttr tile;
  if (view.size > 1 && view.inner > 1)
    tile = tiles.columnSum(view.outer, view.size, view.inner);
  else if (view.size > 1 && view.outer > 1)
    tile = tiles.rowSum(view.outer, view.size);
  return e.generic(
      values, inits, maps, reductions,
      [&](Emit &body, ValueRange args) {
        SmallVector<Scalar> elements;
        for (Value arg : args.take_front(inputs.size()))
          elements.push_back({body, arg});
        SmallVector<Value> results;
        for (auto [term, join, sum] : llvm::zip_equal(terms(elements), joins, args.drop_front(inputs.size())))
          results.push_back(joined(join, {body, sum}, term).value());
        return results;
      },
      tile);
}

Value mapView(Emit &e, View view, ArrayRef<Term> inputs, Type element,
              function_ref<Scalar(ArrayRef<Scalar>)> formula) {
  Loops loops(view, /*reduces=*/false);
  SmallVector<AffineMap> maps;
  SmallVector<Value> values;
  for (const Term &input : inputs) {
    values.push_back(input.value);
    maps.push_back(loops.map(e, input.along));
  }
  maps.push_back(loops.map(e, Along::All));
  return e.generic(values, e.empty(viewShape(view), element), maps, SmallVector<bool>(loops.count, false),
                   [&](Emit &body, ValueRange args) {
                     SmallVector<Scalar> elements;
                     for (Value arg : args.take_front(inputs.size()))
                       elements.push_back({body, arg});
                     return formula(elements).value();
                   });
}

/// Reduces the middle of `[outer, size, inner]`.
static Value reduceMiddle(Emit &e, Value input, View view, Join join, const Tiles &tiles) {
  auto once = [&](Value from, View around) {
    Type element = Emit::type(from).getElementType();
    return reduceTogether(e, around, {{toView(e, from, around)}}, join, element,
                          [](ArrayRef<Scalar> x) { return SmallVector<Scalar>{x[0]}; }, tiles)[0];
  };
  // A whole tensor is first summed by columns: its single sum would be a chain
  // of dependent additions.
  if (view.outer == 1 && view.inner == 1 && view.size >= 512) {
    int64_t width = 1;
    while (width < 64 && view.size % (2 * width) == 0)
      width *= 2;
    if (width >= 8) {
      Value columns = reduceMiddle(e, input, {1, view.size / width, width}, join, tiles);
      return once(columns, {1, width, 1});
    }
  }
  return once(input, view);
}

Value reduce(Emit &e, Value input, ArrayRef<int64_t> dims, bool keepDims, Join join, const Tiles &tiles) {
  SmallVector<int64_t> shape(Emit::shape(input)), result;
  SmallVector<bool> reduced(shape.size(), false);
  for (int64_t dim : dims)
    reduced[dim] = true;
  for (auto [size, isReduced] : llvm::zip_equal(shape, reduced))
    if (!isReduced || keepDims)
      result.push_back(isReduced ? 1 : size);

  // From the inside out, runs of reduced dimensions at a time; dimensions of
  // size 1 belong to whichever run is around them.
  auto counts = [&](int64_t d) { return reduced[d] && shape[d] != 1; };
  for (int64_t last = shape.size() - 1; last >= 0; --last) {
    if (!counts(last))
      continue;
    int64_t first = last;
    while (first > 0 && (counts(first - 1) || shape[first - 1] == 1))
      --first;
    input = reduceMiddle(e, input, viewAround(shape, first, last), join, tiles);
    for (int64_t d = first; d <= last; ++d)
      shape[d] = 1;
    last = first;
  }
  return e.reshape(input, result);
}

} // namespace pocket
