// Convolutions and their gradients, channels last. Which form is fast for
// which shape was measured; each function says what it avoids.
#include "Pocket/IR/Shapes.h"
#include "passes/Lowering/Contraction.h"
#include "passes/Lowering/Patterns.h"
#include "passes/Lowering/Reduce.h"

using namespace mlir;

namespace pocket {
namespace {

using Shape = ArrayRef<int64_t>;

/// A convolution's attributes, and sizes where they are known.
struct Conv {
  int64_t strideH, strideW, top, bottom, left, right, dilationH, dilationW, groups;

  template <typename Op>
  static Conv of(Op op) {
    Shape s = op.getStrides(), p = op.getPadding(), d = op.getDilations();
    return {s[0], s[1], p[0], p[1], p[2], p[3], d[0], d[1], op.getGroups()};
  }
  bool unitStride() const { return strideH == 1 && strideW == 1; }
  bool unitDilation() const { return dilationH == 1 && dilationW == 1; }
  bool padded() const { return top || bottom || left || right; }
};

/// Small images: one product over copied windows beats a direct convolution.
constexpr int64_t smallImage = 6;

/// Fewer channels than this lie together in pieces too short to copy fast.
constexpr int64_t fewChannels = 8;

/// Elements of copied windows that are worth their memory (32 MiB).
constexpr int64_t largestCopy = int64_t(8) << 20;

Value rows(Emit &e, Value x) { return e.collapse(x, {{0, 1, 2}, {3}}); }
Value image(Emit &e, Value x, Shape shape) { return e.expand(x, {{0, 1, 2}, {3}}, shape); }
Value filterRows(Emit &e, Value w) { return e.collapse(w, {{0, 1, 2}, {3}}); }

/// The image between the given borders: negative ones cut away.
Value padImage(Emit &e, Value x, int64_t top, int64_t bottom, int64_t left, int64_t right) {
  auto cut = [](int64_t p) { return std::max<int64_t>(-p, 0); };
  auto grow = [](int64_t p) { return std::max<int64_t>(p, 0); };
  Shape s = Emit::shape(x);
  if (cut(top) || cut(bottom) || cut(left) || cut(right))
    x = e.slice(x, {0, cut(top), cut(left), 0}, {s[0], s[1] - cut(top) - cut(bottom), s[2] - cut(left) - cut(right), s[3]},
                {1, 1, 1, 1});
  return e.pad(x, {0, grow(top), grow(left), 0}, {0, grow(bottom), grow(right), 0}, 0.0);
}

/// x with stride - 1 zeros between its rows and columns, between borders.
Value dilateImage(Emit &e, Value x, const Conv &c, int64_t top, int64_t bottom, int64_t left, int64_t right) {
  if (c.unitStride())
    return padImage(e, x, top, bottom, left, right);
  Shape s = Emit::shape(x);
  int64_t height = (s[1] - 1) * c.strideH + 1, width = (s[2] - 1) * c.strideW + 1;
  Value zeros = e.fill(Emit::type(x).clone({s[0], height + std::max<int64_t>(top, 0) + std::max<int64_t>(bottom, 0),
                                            width + std::max<int64_t>(left, 0) + std::max<int64_t>(right, 0), s[3]}),
                       0.0);
  Value dilated = e.insert(x, zeros, {0, std::max<int64_t>(top, 0), std::max<int64_t>(left, 0), 0},
                           {1, c.strideH, c.strideW, 1});
  auto cut = [](int64_t p) { return std::min<int64_t>(p, 0); };
  return padImage(e, dilated, cut(top), cut(bottom), cut(left), cut(right));
}

/// The padded input, cut to what the windows read: IREE rejects a strided
/// convolution that leaves rows over.
Value readImage(Emit &e, Value x, const Conv &c, int64_t kh, int64_t kw, int64_t oh, int64_t ow) {
  Shape s = Emit::shape(x);
  int64_t height = (oh - 1) * c.strideH + c.dilationH * (kh - 1) + 1;
  int64_t width = (ow - 1) * c.strideW + c.dilationW * (kw - 1) + 1;
  return padImage(e, x, c.top, height - s[1] - c.top, c.left, width - s[2] - c.left);
}

/// The window element (i, j) of every output place: [N, OH, OW, C].
Value tap(Emit &e, Value padded, const Conv &c, int64_t i, int64_t j, int64_t oh, int64_t ow) {
  Shape s = Emit::shape(padded);
  return e.slice(padded, {0, i * c.dilationH, j * c.dilationW, 0}, {s[0], oh, ow, s[3]}, {1, c.strideH, c.strideW, 1});
}

/// Windows laid side by side: [N, OH, OW, KH * KW * C]. Written slice by
/// slice: as one gathering generic it is many times slower.
Value windows(Emit &e, Value padded, const Conv &c, int64_t kh, int64_t kw, int64_t oh, int64_t ow) {
  Shape s = Emit::shape(padded);
  if (kh == 1 && kw == 1)
    return tap(e, padded, c, 0, 0, oh, ow);
  Value columns = e.empty({s[0], oh, ow, kh * kw * s[3]}, Emit::type(padded).getElementType());
  for (int64_t i = 0; i < kh; ++i)
    for (int64_t j = 0; j < kw; ++j)
      columns = e.insert(tap(e, padded, c, i, j, oh, ow), columns, {0, 0, 0, (i * kw + j) * s[3]}, {1, 1, 1, 1});
  return columns;
}

DenseIntElementsAttr pair(Emit &e, int64_t a, int64_t b) { return e.b.getI64TensorAttr({a, b}); }

template <typename Named>
Value named(Emit &e, Value x, Value w, RankedTensorType type, const Conv &c, TilesAttr tiles = {}) {
  auto op = Named::create(e.b, e.loc, TypeRange(type), ValueRange{x, w}, ValueRange{e.fill(type, 0.0)},
                          pair(e, c.strideH, c.strideW), pair(e, c.dilationH, c.dilationW));
  if (tiles)
    op->setAttr(kTilesName, tiles);
  return op->getResult(0);
}

/// One image as two, one above the other, with the rows that both need in both; the
/// code generator drops the tiles of a single one.
Value halves(Emit &e, Value padded, int64_t rowsOut, const Conv &c, int64_t kh) {
  Shape s = Emit::shape(padded);
  int64_t rows = (rowsOut - 1) * c.strideH + c.dilationH * (kh - 1) + 1;
  Value both = e.empty({2, rows, s[2], s[3]}, Emit::type(padded).getElementType());
  for (int64_t half = 0; half < 2; ++half)
    both = e.insert(e.slice(padded, {0, half * rowsOut * c.strideH, 0, 0}, {1, rows, s[2], s[3]}, {1, 1, 1, 1}), both,
                    {half, 0, 0, 0}, {1, 1, 1, 1});
  return both;
}

/// A dense convolution of a padded image: directly, if there are tiles for it; as
/// one product over copied windows if the image or the copy is small. Without tiles
/// a direct convolution is 4 to 20 times slower, unless it has few channels, whose
/// windows are slow to copy.
Value dense(Emit &e, Value padded, Value w, RankedTensorType type, const Conv &c, const Tiles &tiles) {
  Shape f = Emit::shape(w), out = type.getShape();
  bool small = out[1] <= smallImage && out[2] <= smallImage;
  if (out[0] == 1 && out[1] % 2 == 0 && !small) {
    auto two = type.clone({2, out[1] / 2, out[2], out[3]});
    if (TilesAttr direct = tiles.convolution(two.getShape(), f)) {
      Value image = halves(e, padded, out[1] / 2, c, f[0]);
      Value y = named<linalg::Conv2DNhwcHwcfOp>(e, image, w, two, c, direct);
      return e.expand(e.collapse(y, {{0, 1}, {2}, {3}}), {{0, 1}, {2}, {3}}, out);
    }
  }
  TilesAttr direct = tiles.convolution(out, f);
  int64_t copied = out[0] * out[1] * out[2] * f[0] * f[1] * f[2];
  bool copies = !direct && tiles.known() && f[2] >= fewChannels && copied <= largestCopy;
  if ((f[0] == 1 && f[1] == 1) || small || copies) {
    Value columns = windows(e, padded, c, f[0], f[1], out[1], out[2]);
    return image(e, matmul(e, rows(e, columns), filterRows(e, w), tiles), out);
  }
  return named<linalg::Conv2DNhwcHwcfOp>(e, padded, w, type, c, direct);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Channels [group * size, +size) of the last dimension.
Value channels(Emit &e, Value x, int64_t group, int64_t size) {
  SmallVector<int64_t> offsets(4, 0), sizes(Emit::shape(x)), strides(4, 1);
  offsets[3] = group * size;
  sizes[3] = size;
  return e.slice(x, offsets, sizes, strides);
}

/// Does `each` for every group and joins the results' last dimension.
Value perGroup(Emit &e, int64_t groups, RankedTensorType type, llvm::function_ref<Value(int64_t)> each) {
  Value joined = e.empty(type);
  for (int64_t g = 0; g < groups; ++g)
    joined = e.insert(each(g), joined, {0, 0, 0, g * (type.getDimSize(3) / groups)}, {1, 1, 1, 1});
  return joined;
}

/// Kernels with their own channel each: [KH, KW, 1, F] as [KH, KW, C, F / C].
bool isDepthwise(const Conv &c, int64_t inputChannels) { return c.groups > 1 && c.groups == inputChannels; }

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

Value forward(Emit &e, Value x, Value w, RankedTensorType type, Conv c, const Tiles &tiles) {
  Shape f = Emit::shape(w), out = type.getShape();
  int64_t kh = f[0], kw = f[1], inputChannels = Emit::shape(x)[3];
  if (isDepthwise(c, inputChannels)) {
    Value padded = readImage(e, x, c, kh, kw, out[1], out[2]);
    int64_t multiplier = f[3] / inputChannels;
    if (multiplier == 1)
      return named<linalg::DepthwiseConv2DNhwcHwcOp>(e, padded, e.reshape(w, {kh, kw, inputChannels}), type, c);
    auto wide = type.clone({out[0], out[1], out[2], inputChannels, multiplier});
    Value y = named<linalg::DepthwiseConv2DNhwcHwcmOp>(e, padded, e.reshape(w, {kh, kw, inputChannels, multiplier}),
                                                       wide, c);
    return e.reshape(y, out);
  }
  if (c.groups > 1) {
    Conv single = c;
    single.groups = 1;
    int64_t in = inputChannels / c.groups, outs = f[3] / c.groups;
    return perGroup(e, c.groups, type, [&](int64_t g) {
      return forward(e, channels(e, x, g, in), channels(e, w, g, outs), type.clone({out[0], out[1], out[2], outs}),
                     single, tiles);
    });
  }
  Value padded = readImage(e, x, c, kh, kw, out[1], out[2]);
  return dense(e, padded, w, type, c, tiles);
}

//===----------------------------------------------------------------------===//
// Gradient for the input
//===----------------------------------------------------------------------===//

/// Some output channels of a filter.
struct Filter {
  Value whole;
  int64_t begin, count;

  explicit Filter(Value w) : whole(w), begin(0), count(Emit::shape(w)[3]) {}
  Filter group(int64_t g, int64_t size) const {
    Filter part(whole);
    part.begin = g * size;
    part.count = size;
    return part;
  }
  SmallVector<int64_t> shape() const {
    SmallVector<int64_t> shape(Emit::shape(whole));
    shape[3] = count;
    return shape;
  }
  Value slice(Emit &e) const {
    bool all = count == Emit::shape(whole)[3];
    return all ? whole : e.slice(whole, {0, 0, 0, begin}, shape(), {1, 1, 1, 1});
  }
};

/// The filter with its taps in reverse and, if not depthwise, its channels
/// swapped: [KH, KW, F, C]. `rowTaps` and `columnTaps` pick taps in order. One
/// gathering generic: a chain of slices was 35 times slower. It reads the whole
/// filter: IREE fails on a gather from a slice of one channel, which it takes for
/// contiguous.
Value pickTaps(Emit &e, const Filter &w, Shape rowTaps, Shape columnTaps, bool swapChannels) {
  SmallVector<int64_t> f = w.shape();
  auto step = [](Shape taps) { return taps.size() > 1 ? taps[1] - taps[0] : 1; };
  SmallVector<int64_t> shape{static_cast<int64_t>(rowTaps.size()), static_cast<int64_t>(columnTaps.size()),
                             f[swapChannels ? 3 : 2], f[swapChannels ? 2 : 3]};
  return e.generic({}, e.empty(shape, Emit::type(w.whole).getElementType()), {e.b.getMultiDimIdentityMap(4)},
                   SmallVector<bool>(4, false), [&](Emit &e, ValueRange) {
                     auto place = [&](int64_t dim, Shape taps) -> Value {
                       Value i = linalg::IndexOp::create(e.b, e.loc, dim);
                       return e.add(e.mul(i, e.index(step(taps))), e.index(taps[0]));
                     };
                     Value c = linalg::IndexOp::create(e.b, e.loc, swapChannels ? 3 : 2);
                     Value o = linalg::IndexOp::create(e.b, e.loc, swapChannels ? 2 : 3);
                     if (w.begin > 0)
                       o = e.add(o, e.index(w.begin));
                     return tensor::ExtractOp::create(e.b, e.loc, w.whole,
                                                      ValueRange{place(0, rowTaps), place(1, columnTaps), c, o})
                         .getResult();
                   });
}

SmallVector<int64_t> reversed(int64_t n) {
  SmallVector<int64_t> taps;
  for (int64_t i = n - 1; i >= 0; --i)
    taps.push_back(i);
  return taps;
}

/// The taps that reach places `phase`, `phase + stride`, ... of the padded
/// input, as (output offset, tap), by offset.
SmallVector<std::pair<int64_t, int64_t>> phaseTaps(int64_t phase, int64_t kernel, int64_t stride, int64_t padding) {
  SmallVector<std::pair<int64_t, int64_t>> taps;
  for (int64_t i = kernel - 1; i >= 0; --i)
    if ((phase + padding - i) % stride == 0)
      taps.push_back({(phase + padding - i) / stride, i});
  return taps;
}

/// Strided convolutions: the input's places fall into stride x stride phases,
/// each of them an unstrided convolution with some of the taps. Putting zeros
/// between the cotangent's elements instead was 100 times slower.
Value inputGradByPhases(Emit &e, Value dy, const Filter &w, RankedTensorType type, const Conv &c, const Tiles &tiles) {
  Shape in = type.getShape(), out = Emit::shape(dy);
  SmallVector<int64_t> f = w.shape();
  Value result = e.fill(type, 0.0);
  for (int64_t r = 0; r < std::min(c.strideH, in[1]); ++r) {
    for (int64_t s = 0; s < std::min(c.strideW, in[2]); ++s) {
      auto rowTaps = phaseTaps(r, f[0], c.strideH, c.top), columnTaps = phaseTaps(s, f[1], c.strideW, c.left);
      if (rowTaps.empty() || columnTaps.empty())
        continue;
      int64_t height = (in[1] - r + c.strideH - 1) / c.strideH, width = (in[2] - s + c.strideW - 1) / c.strideW;
      // Place q reads the cotangent at q + offset, for each tap's offset.
      int64_t th = rowTaps.size(), tw = columnTaps.size();
      Value window = padImage(e, dy, -rowTaps[0].first, height + rowTaps.back().first - out[1], -columnTaps[0].first,
                              width + columnTaps.back().first - out[2]);
      auto seconds = [](auto &taps) { return llvm::map_to_vector(taps, [](auto &tap) { return tap.second; }); };
      Value filter = pickTaps(e, w, seconds(rowTaps), seconds(columnTaps), /*swapChannels=*/true);
      Conv unit{1, 1, 0, 0, 0, 0, 1, 1, 1};
      Value columns = windows(e, window, unit, th, tw, height, width);
      Value phase = image(e, matmul(e, rows(e, columns), filterRows(e, filter), tiles), {in[0], height, width, in[3]});
      result = e.insert(phase, result, {0, r, s, 0}, {1, c.strideH, c.strideW, 1});
    }
  }
  return result;
}

/// Small images: the product first, then each tap's part added at its place.
Value inputGradByColumns(Emit &e, Value dy, Value w, RankedTensorType type, const Conv &c, const Tiles &tiles) {
  Shape in = type.getShape(), f = Emit::shape(w), out = Emit::shape(dy);
  Value columns = matmul(e, rows(e, dy), filterRows(e, w), tiles, false, /*transposeRhs=*/true);
  Value parts = e.expand(columns, {{0, 1, 2}, {3, 4}}, {out[0], out[1], out[2], f[0] * f[1], f[2]});
  SmallVector<Value> terms;
  for (int64_t i = 0; i < f[0]; ++i)
    for (int64_t j = 0; j < f[1]; ++j) {
      Value part = e.slice(parts, {0, 0, 0, i * f[1] + j, 0}, {out[0], out[1], out[2], 1, f[2]}, {1, 1, 1, 1, 1});
      int64_t top = i - c.top, left = j - c.left;
      terms.push_back(padImage(e, e.collapse(part, {{0}, {1}, {2}, {3, 4}}), top, in[1] - out[1] - top, left,
                               in[2] - out[2] - left));
    }
  return e.elementwise(type, terms, [&](Emit &e, ValueRange args) {
    Value sum = args[0];
    for (Value term : args.slice(1, terms.size() - 1))
      sum = e.add(sum, term);
    return sum;
  });
}

Value inputGrad(Emit &e, Value dy, const Filter &w, RankedTensorType type, Conv c, const Tiles &tiles) {
  Shape in = type.getShape(), out = Emit::shape(dy);
  SmallVector<int64_t> f = w.shape();
  int64_t kh = f[0], kw = f[1];
  // Borders of the cotangent so that an unpadded convolution gives the input's size.
  int64_t top = c.dilationH * (kh - 1) - c.top, left = c.dilationW * (kw - 1) - c.left;
  int64_t bottom = in[1] + c.dilationH * (kh - 1) - ((out[1] - 1) * c.strideH + 1) - top;
  int64_t right = in[2] + c.dilationW * (kw - 1) - ((out[2] - 1) * c.strideW + 1) - left;
  Conv unit{1, 1, 0, 0, 0, 0, c.dilationH, c.dilationW, 1};

  if (isDepthwise(c, in[3]) && f[3] == in[3]) {
    Value wide = dilateImage(e, dy, c, top, bottom, left, right);
    Value flipped = pickTaps(e, w, reversed(kh), reversed(kw), /*swapChannels=*/false);
    return named<linalg::DepthwiseConv2DNhwcHwcOp>(e, wide, e.reshape(flipped, {kh, kw, in[3]}), type, unit);
  }
  if (c.groups > 1) {
    Conv single = c;
    single.groups = 1;
    int64_t outs = f[3] / c.groups;
    return perGroup(e, c.groups, type, [&](int64_t g) {
      return inputGrad(e, channels(e, dy, g, outs), w.group(g, outs),
                       type.clone({in[0], in[1], in[2], in[3] / c.groups}), single, tiles);
    });
  }
  if (kh == 1 && kw == 1) {
    Value dx = image(e, matmul(e, rows(e, dy), filterRows(e, w.slice(e)), tiles, false, /*transposeRhs=*/true),
                     {out[0], out[1], out[2], in[3]});
    return c.unitStride() && !c.padded() ? dx : dilateImage(e, dx, c, top, bottom, left, right);
  }
  if (!c.unitStride() && c.unitDilation())
    return inputGradByPhases(e, dy, w, type, c, tiles);
  if (c.unitStride() && c.unitDilation() && in[1] <= smallImage && in[2] <= smallImage)
    return inputGradByColumns(e, dy, w.slice(e), type, c, tiles);
  Value wide = dilateImage(e, dy, c, top, bottom, left, right);
  Value flipped = pickTaps(e, w, reversed(kh), reversed(kw), /*swapChannels=*/true);
  return dense(e, wide, flipped, type, unit, tiles);
}

//===----------------------------------------------------------------------===//
// Gradient for the filter
//===----------------------------------------------------------------------===//

/// Every tap's sums along the rows in one pass over the image, several taps at a
/// time; then the sum over rows. A product per sample compiles to a kernel per
/// sample, and a plain reduction over everything was 15 times slower.
Value depthwiseWeightGrad(Emit &e, Value x, Value dy, RankedTensorType type, const Conv &c, const Tiles &tiles) {
  Shape f = type.getShape(), out = Emit::shape(dy);
  int64_t kh = f[0], kw = f[1], size = f[3], taps = kh * kw;
  Value padded = readImage(e, x, c, kh, kw, out[1], out[2]);
  Type element = type.getElementType();
  // As many accumulators as leave registers for the operands.
  constexpr int64_t atOnce = 9;
  // Loops: sample, row, channel, column.
  AffineMap whole = e.dims(4, {0, 1, 3, 2}), row = e.dims(4, {0, 1, 2});
  auto rowType = RankedTensorType::get({out[0], out[1], size}, element);
  // Taps lead, so that each one's sums lie in one piece.
  Value all = e.empty({taps, out[0], out[1], size}, element);
  for (int64_t begin = 0; begin < taps; begin += atOnce) {
    int64_t count = std::min(atOnce, taps - begin);
    SmallVector<Value> inputs, sums;
    SmallVector<AffineMap> maps(count + 1, whole);
    for (int64_t t = begin; t < begin + count; ++t) {
      inputs.push_back(tap(e, padded, c, t / kw, t % kw, out[1], out[2]));
      sums.push_back(e.fill(rowType, 0.0));
      maps.push_back(row);
    }
    inputs.push_back(dy);
    auto results = e.generic(
        inputs, sums, maps, {false, false, false, true},
        [&](Emit &e, ValueRange args) {
          SmallVector<Value> added;
          Value zero = e.constant(element, 0.0);
          for (int64_t i = 0; i < count; ++i)
            // The zero keeps this from being taken for a matrix product.
            added.push_back(e.add(args[count + 1 + i], e.add(e.mul(args[i], args[count]), zero)));
          return added;
        },
        tiles.depthwiseTaps(out[1], size));
    for (int64_t i = 0; i < count; ++i)
      all = e.insert(e.reshape(results[i], {1, out[0], out[1], size}), all, {begin + i, 0, 0, 0}, {1, 1, 1, 1});
  }
  return e.reshape(reduce(e, all, {1, 2}, /*keepDims=*/false, Join::Sum, tiles), f);
}

Value weightGrad(Emit &e, Value x, Value dy, RankedTensorType type, Conv c, const Tiles &tiles) {
  Shape f = type.getShape(), out = Emit::shape(dy);
  int64_t kh = f[0], kw = f[1], inputChannels = Emit::shape(x)[3];
  if (isDepthwise(c, inputChannels) && f[3] == inputChannels)
    return depthwiseWeightGrad(e, x, dy, type, c, tiles);
  if (c.groups > 1) {
    Conv single = c;
    single.groups = 1;
    int64_t in = inputChannels / c.groups, outs = f[3] / c.groups;
    return perGroup(e, c.groups, type, [&](int64_t g) {
      return weightGrad(e, channels(e, x, g, in), channels(e, dy, g, outs), type.clone({kh, kw, in, outs}), single, tiles);
    });
  }
  Value padded = readImage(e, x, c, kh, kw, out[1], out[2]);
  // A product per tap. Few input channels would make each of them narrow: they
  // are laid side by side, as are single taps (which need no copy).
  if ((kh == 1 && kw == 1) || inputChannels <= 4) {
    Value columns = windows(e, padded, c, kh, kw, out[1], out[2]);
    return e.reshape(matmul(e, rows(e, columns), rows(e, dy), tiles, /*transposeLhs=*/true), f);
  }
  Value result = e.empty(type);
  Value cotangent = rows(e, dy);
  for (int64_t i = 0; i < kh; ++i)
    for (int64_t j = 0; j < kw; ++j) {
      Value part = matmul(e, rows(e, tap(e, padded, c, i, j, out[1], out[2])), cotangent, tiles, /*transposeLhs=*/true);
      result = e.insert(e.expand(part, {{0, 1, 2}, {3}}, {1, 1, f[2], f[3]}), result, {i, j, 0, 0}, {1, 1, 1, 1});
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

constexpr int64_t toNhwc[] = {0, 2, 3, 1}, toNchw[] = {0, 3, 1, 2}, toHwio[] = {2, 3, 1, 0}, toOihw[] = {3, 2, 0, 1};

/// Lowers channels-first ops too, between transposes; pocket-convert-layout
/// leaves few of them.
template <typename Op>
struct ConvPattern : OpRewritePattern<Op> {
  ConvPattern(MLIRContext *context, const Tiles &tiles) : OpRewritePattern<Op>(context), tiles(tiles) {}
  Tiles tiles;

  static bool nchw(Op op) { return op.getLayout() == Layout::NCHW; }
  static Value nhwc(Emit &e, Op op, Value image) { return nchw(op) ? e.transpose(image, toNhwc) : image; }
  static Value hwio(Emit &e, Op op, Value filter) { return nchw(op) ? e.transpose(filter, toHwio) : filter; }
  static RankedTensorType nhwcType(Op op, RankedTensorType type) {
    return type.clone(spatialShape(spatial(type, !nchw(op)), true));
  }
};

struct LowerConv2d : ConvPattern<Conv2dOp> {
  using ConvPattern::ConvPattern;
  LogicalResult matchAndRewrite(Conv2dOp op, PatternRewriter &rewriter) const override {
    Emit e(rewriter, op.getLoc());
    RankedTensorType type = nhwcType(op, op.getType());
    Value y = forward(e, nhwc(e, op, op.getInput()), hwio(e, op, op.getFilter()), type, Conv::of(op), tiles);
    if (op.getBias())
      y = e.elementwise(type, {y, op.getBias()}, [](Emit &e, ValueRange args) { return e.add(args[0], args[1]); });
    rewriter.replaceOp(op, nchw(op) ? e.transpose(y, toNchw) : y);
    return success();
  }
};

struct LowerConv2dInputGrad : ConvPattern<Conv2dInputGradOp> {
  using ConvPattern::ConvPattern;
  LogicalResult matchAndRewrite(Conv2dInputGradOp op, PatternRewriter &rewriter) const override {
    Emit e(rewriter, op.getLoc());
    Value dx = inputGrad(e, nhwc(e, op, op.getCotangent()), Filter(hwio(e, op, op.getFilter())),
                         nhwcType(op, op.getType()), Conv::of(op), tiles);
    rewriter.replaceOp(op, nchw(op) ? e.transpose(dx, toNchw) : dx);
    return success();
  }
};

struct LowerConv2dWeightGrad : ConvPattern<Conv2dWeightGradOp> {
  using ConvPattern::ConvPattern;
  LogicalResult matchAndRewrite(Conv2dWeightGradOp op, PatternRewriter &rewriter) const override {
    Emit e(rewriter, op.getLoc());
    RankedTensorType type = op.getType();
    if (nchw(op)) {
      Shape f = type.getShape();
      type = type.clone({f[2], f[3], f[1], f[0]});
    }
    Value dw = weightGrad(e, nhwc(e, op, op.getInput()), nhwc(e, op, op.getCotangent()), type, Conv::of(op),
                          tiles);
    rewriter.replaceOp(op, nchw(op) ? e.transpose(dw, toOihw) : dw);
    return success();
  }
};

} // namespace

void populateConvolutionToLinalg(RewritePatternSet &patterns, const Tiles &tiles) {
  patterns.add<LowerConv2d, LowerConv2dInputGrad, LowerConv2dWeightGrad>(patterns.getContext(), tiles);
}

} // namespace pocket
