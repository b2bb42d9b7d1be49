#include "passes/Lowering/Contraction.h"
#include "passes/Lowering/Reduce.h"

using namespace mlir;

namespace pocket {

using Shape = ArrayRef<int64_t>;

Product::Product(Value lhs, AffineMap lhsMap, Value rhs, AffineMap rhsMap, RankedTensorType type, AffineMap map)
    : lhs(lhs), rhs(rhs), lhsMap(lhsMap), rhsMap(rhsMap), type(type), map(map), batch(map.getNumDims() - 3),
      sizes(map.getNumDims(), 1) {
  auto take = [&](AffineMap map, Shape shape) {
    for (auto [i, size] : llvm::enumerate(shape))
      sizes[map.getDimPosition(i)] = size;
  };
  take(lhsMap, Emit::shape(lhs));
  take(rhsMap, Emit::shape(rhs));
}

namespace {

/// Which of a value's dimensions a loop walks; -1: none.
int64_t dimensionOf(AffineMap map, int64_t loop) {
  for (int64_t i = 0; i < map.getNumResults(); ++i)
    if (map.getDimPosition(i) == loop)
      return i;
  return -1;
}

/// One generic over batch, row, column and inner loop, operands read where they lie.
Value plain(Emit &e, const Product &p) {
  SmallVector<bool> reductions(p.sizes.size(), false);
  reductions.back() = true;
  return e.generic({p.lhs, p.rhs}, e.fill(p.type, 0.0), {p.lhsMap, p.rhsMap, p.map}, reductions,
                   [](Emit &e, ValueRange args) { return e.add(args[2], e.mul(args[0], args[1])); });
}

/// The product without its batch loops of one turn: the code generator folds
/// them away and drops the tiles with them.
Value withoutLoop(Emit &e, const Product &p, int64_t loop, const Tiles &tiles) {
  auto without = [&](AffineMap map) {
    SmallVector<int64_t> dims;
    for (int64_t i = 0; i < map.getNumResults(); ++i)
      if (int64_t d = map.getDimPosition(i); d != loop)
        dims.push_back(d > loop ? d - 1 : d);
    return e.dims(map.getNumDims() - 1, dims);
  };
  auto drop = [&](Shape shape, AffineMap map) {
    SmallVector<int64_t> kept(shape);
    if (int64_t d = dimensionOf(map, loop); d >= 0)
      kept.erase(kept.begin() + d);
    return kept;
  };
  Product smaller(e.reshape(p.lhs, drop(Emit::shape(p.lhs), p.lhsMap)), without(p.lhsMap),
                  e.reshape(p.rhs, drop(Emit::shape(p.rhs), p.rhsMap)), without(p.rhsMap),
                  p.type.clone(drop(p.type.getShape(), p.map)), without(p.map));
  return e.reshape(contract(e, smaller, tiles), p.type.getShape());
}

/// `value` with the dimension that `loop` walks cut into pieces of `size`, the last one
/// filled up with zeros; a piece lies together: `[outer..., size]`, outer in the order
/// of the loops `outer`, where `loop` counts the pieces.
Value packed(Emit &e, Value value, AffineMap map, int64_t loop, int64_t size, Shape outer) {
  SmallVector<int64_t> shape, permutation;
  for (int64_t walked : outer) {
    permutation.push_back(dimensionOf(map, walked));
    int64_t count = Emit::shape(value)[permutation.back()];
    shape.push_back(walked == loop ? llvm::divideCeil(count, size) : count);
  }
  shape.push_back(size);
  Type element = Emit::type(value).getElementType();
  int64_t at = dimensionOf(map, loop);
  Value zero = Emit::shape(value)[at] % size ? e.constant(element, 0.0) : Value();
  std::optional<Value> filler = zero ? std::optional(zero) : std::nullopt;
  return linalg::PackOp::create(e.b, e.loc, value, e.empty(shape, element), ArrayRef<int64_t>{at},
                                ArrayRef<OpFoldResult>{e.b.getIndexAttr(size)}, filler, permutation)
      .getResult();
}

/// The product over panels: the columns are cut into panels as wide as a register
/// tile, and the right operand is copied so that a panel lies in one piece. Read in
/// rows instead, its lines fall on each other in the cache (2 to 5 times slower). The
/// left operand is read where it lies if the inner loop walks it in order; else it is
/// packed too, a block of rows together.
Value inPanels(Emit &e, const Product &p, const PanelTiles &tile, const Tiles &tiles) {
  int64_t rows = p.sizes[p.row()], columns = p.sizes[p.column()];
  auto last = [](AffineMap map) { return map.getDimPosition(map.getNumResults() - 1); };
  bool onePanel = columns == tile.width;
  bool packLhs = last(p.lhsMap) != p.inner() || rows % tile.rows;
  bool packRhs = !onePanel || last(p.rhsMap) != p.column();

  // Loops: batch..., panel, block of rows, row, column in the panel, inner; one
  // panel, and rows that are not packed, need no loop for what they are cut into.
  int64_t next = p.batch;
  auto loop = [&](bool needed) { return needed ? next++ : -1; };
  int64_t panel = loop(!onePanel), block = loop(packLhs), row = loop(true), column = loop(true), inner = loop(true);
  int64_t loops = next;

  // The loops of a map's results; a packed dimension is walked by two.
  auto walks = [&](AffineMap map) {
    SmallVector<int64_t> dims;
    for (int64_t i = 0; i < map.getNumResults(); ++i) {
      int64_t walked = map.getDimPosition(i);
      if (walked == p.row()) {
        if (packLhs)
          dims.push_back(block);
        dims.push_back(row);
      } else if (walked == p.column()) {
        if (!onePanel)
          dims.push_back(panel);
        dims.push_back(column);
      } else {
        dims.push_back(walked < p.batch ? walked : inner);
      }
    }
    return dims;
  };
  // Packs an operand: batch loops that it knows, pieces of `cut`, inner loop, piece.
  auto pack = [&](Value &value, AffineMap &map, int64_t cut, int64_t size, int64_t pieces, int64_t within) {
    SmallVector<int64_t> outer, dims;
    for (int64_t batch = 0; batch < p.batch; ++batch)
      if (dimensionOf(map, batch) >= 0)
        outer.push_back(batch);
    dims = outer;
    outer.append({cut, p.inner()});
    value = packed(e, value, map, cut, size, outer);
    if (pieces < 0) {
      SmallVector<int64_t> shape(Emit::shape(value));
      shape.erase(shape.begin() + dims.size());
      value = e.reshape(value, shape);
    } else {
      dims.push_back(pieces);
    }
    dims.append({inner, within});
    map = e.dims(loops, dims);
  };
  Value lhs = p.lhs, rhs = p.rhs;
  AffineMap lhsMap = p.lhsMap, rhsMap = p.rhsMap;
  if (packLhs)
    pack(lhs, lhsMap, p.row(), tile.block, block, row);
  else
    lhsMap = e.dims(loops, walks(lhsMap));
  if (packRhs)
    pack(rhs, rhsMap, p.column(), tile.width, panel, column);
  else
    rhsMap = e.dims(loops, walks(rhsMap));

  // The result, its cut dimensions as two.
  SmallVector<int64_t> shape, whole;
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < p.map.getNumResults(); ++i) {
    int64_t walked = p.map.getDimPosition(i), at = shape.size(), size = p.sizes[walked];
    int64_t cut = walked == p.row() && packLhs ? tile.block : walked == p.column() && !onePanel ? tile.width : 0;
    if (cut) {
      shape.append({static_cast<int64_t>(llvm::divideCeil(size, cut)), cut});
      groups.push_back({at, at + 1});
      whole.push_back(shape[at] * cut);
    } else {
      shape.push_back(size);
      groups.push_back({at});
      whole.push_back(size);
    }
  }
  SmallVector<bool> reductions(loops, false);
  reductions.back() = true;
  Value result = e.generic(
      {lhs, rhs}, e.fill(p.type.clone(shape), 0.0), {lhsMap, rhsMap, e.dims(loops, walks(p.map))}, reductions,
      [](Emit &e, ValueRange args) { return e.add(args[2], e.mul(args[0], args[1])); },
      tiles.panels(tile, p.batch + !onePanel, packLhs, rows));
  if (shape.size() != whole.size())
    result = e.collapse(result, groups);
  if (ArrayRef<int64_t>(whole) == p.type.getShape())
    return result;
  return e.slice(result, SmallVector<int64_t>(whole.size(), 0), p.type.getShape(), SmallVector<int64_t>(whole.size(), 1));
}

/// The product as a sum of products over pieces of the inner loop: one long chain of
/// additions cannot be shared between threads, and its rounding errors add up.
Value inParts(Emit &e, const Product &p, int64_t parts, const Tiles &tiles) {
  // The parts are a batch loop before all others.
  auto shifted = [&](AffineMap map, bool cut) {
    SmallVector<int64_t> dims;
    for (int64_t i = 0; i < map.getNumResults(); ++i) {
      if (cut && map.getDimPosition(i) == p.inner())
        dims.push_back(0);
      dims.push_back(map.getDimPosition(i) + 1);
    }
    return dims;
  };
  auto cut = [&](Value value, AffineMap map) {
    int64_t at = dimensionOf(map, p.inner());
    SmallVector<int64_t> shape(Emit::shape(value));
    shape[at] /= parts;
    shape.insert(shape.begin() + at, parts);
    return e.reshape(value, shape);
  };
  SmallVector<int64_t> shape(p.type.getShape()), result = shifted(p.map, false);
  shape.insert(shape.begin(), parts);
  result.insert(result.begin(), 0);
  int64_t loops = p.sizes.size() + 1;
  Product all(cut(p.lhs, p.lhsMap), e.dims(loops, shifted(p.lhsMap, true)), cut(p.rhs, p.rhsMap),
              e.dims(loops, shifted(p.rhsMap, true)), p.type.clone(shape), e.dims(loops, result));
  return reduce(e, contract(e, all, tiles), {0}, /*keepDims=*/false, Join::Sum, tiles);
}

} // namespace

Value contract(Emit &e, const Product &p, const Tiles &tiles) {
  auto [rows, columns, inner] = std::tuple(p.sizes[p.row()], p.sizes[p.column()], p.sizes[p.inner()]);
  if (int64_t parts = tiles.innerParts(rows, columns, inner); parts > 1 && p.batch == 0)
    return inParts(e, p, parts, tiles);
  if (!p.type.getElementType().isF32() || !tiles.worthPanels(rows, columns, inner))
    return plain(e, p);
  for (int64_t loop = 0; loop < p.batch; ++loop)
    if (p.sizes[loop] == 1)
      return withoutLoop(e, p, loop, tiles);
  return inPanels(e, p, tiles.panelTiles(rows, columns, inner), tiles);
}

Value matmul(Emit &e, Value lhs, Value rhs, const Tiles &tiles, bool transposeLhs, bool transposeRhs) {
  Shape a = Emit::shape(lhs), b = Emit::shape(rhs);
  auto type = Emit::type(lhs).clone({a[transposeLhs ? 1 : 0], b[transposeRhs ? 0 : 1]});
  return contract(e,
                  Product(lhs, transposeLhs ? e.dims(3, {2, 0}) : e.dims(3, {0, 2}), rhs,
                          transposeRhs ? e.dims(3, {1, 2}) : e.dims(3, {2, 1}), type, e.dims(3, {0, 1})),
                  tiles);
}

} // namespace pocket
