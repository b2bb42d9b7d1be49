// Pools and their gradients, channels last.
#include "Pocket/IR/Shapes.h"
#include "passes/Lowering/Emit.h"
#include "passes/Lowering/Patterns.h"

#include <limits>

using namespace mlir;

namespace pocket {
namespace {

using Shape = ArrayRef<int64_t>;
constexpr int64_t toNhwc[] = {0, 2, 3, 1}, toNchw[] = {0, 3, 1, 2};

/// More operands than this in one op and the code generator slows down.
constexpr int64_t tapsPerOp = 16;

struct Pool {
  int64_t kernelH, kernelW, strideH, strideW, padH, padW, dilationH = 1, dilationW = 1;

  template <typename Op>
  static Pool of(Op op) {
    Shape k = op.getKernel(), s = op.getStrides(), p = op.getPadding();
    return {k[0], k[1], s[0], s[1], p[0], p[1]};
  }
  /// Rows and columns that the windows of `oh` x `ow` results cover.
  int64_t rows(int64_t oh) const { return (oh - 1) * strideH + dilationH * (kernelH - 1) + 1; }
  int64_t columns(int64_t ow) const { return (ow - 1) * strideW + dilationW * (kernelW - 1) + 1; }
};

Pool of(MaxPool2dOp op) {
  Pool p = Pool::of(op);
  p.dilationH = op.getDilations()[0];
  p.dilationW = op.getDilations()[1];
  return p;
}

template <typename Op>
Value nhwc(Emit &e, Op op, Value x) {
  return op.getLayout() == Layout::NCHW ? e.transpose(x, toNhwc) : x;
}
template <typename Op>
Value back(Emit &e, Op op, Value x) {
  return op.getLayout() == Layout::NCHW ? e.transpose(x, toNchw) : x;
}
template <typename Op>
RankedTensorType nhwcType(Op op, RankedTensorType type) {
  bool isNhwc = op.getLayout() == Layout::NHWC;
  return type.clone(spatialShape(spatial(type, isNhwc), true));
}

/// `x` between borders of `with`, exactly as large as the windows reach.
Value border(Emit &e, Value x, const Pool &p, Shape out, double with) {
  Shape s = Emit::shape(x);
  int64_t bottom = p.rows(out[1]) - p.padH - s[1], right = p.columns(out[2]) - p.padW - s[2];
  Value padded = e.pad(x, {0, p.padH, p.padW, 0}, {0, std::max<int64_t>(bottom, 0), std::max<int64_t>(right, 0), 0}, with);
  return e.slice(padded, {0, 0, 0, 0}, {s[0], p.rows(out[1]), p.columns(out[2]), s[3]}, {1, 1, 1, 1});
}

/// Element (i, j) of every window.
Value tap(Emit &e, Value bordered, const Pool &p, Shape out, int64_t i, int64_t j) {
  return e.slice(bordered, {0, i * p.dilationH, j * p.dilationW, 0}, out, {1, p.strideH, p.strideW, 1});
}

struct LowerMaxPool : OpRewritePattern<MaxPool2dOp> {
  using OpRewritePattern::OpRewritePattern;

  /// The first tap of a window that is not in the padding. The search starts from its
  /// index: padding is -infinity, so that no tap is larger where the input is that, too.
  static Value firstTap(Emit &e, const Pool &p, Type type) {
    auto first = [&](int64_t dim, int64_t stride, int64_t padding, int64_t dilation) -> Value {
      if (padding == 0)
        return e.index(0);
      Value window = linalg::IndexOp::create(e.b, e.loc, dim);
      Value outside = e.sub(e.index(padding), e.mul(window, e.index(stride)));
      outside = arith::MaxSIOp::create(e.b, e.loc, outside, e.index(0));
      return arith::CeilDivUIOp::create(e.b, e.loc, outside, e.index(dilation));
    };
    Value row = first(1, p.strideH, p.padH, p.dilationH), column = first(2, p.strideW, p.padW, p.dilationW);
    return arith::IndexCastOp::create(e.b, e.loc, type, e.add(e.mul(row, e.index(p.kernelW)), column));
  }

  LogicalResult matchAndRewrite(MaxPool2dOp op, PatternRewriter &rewriter) const override {
    Emit e(rewriter, op.getLoc());
    Pool p = of(op);
    RankedTensorType type = nhwcType(op, op.getResult().getType()), indexType = nhwcType(op, op.getIndex().getType());
    Shape out = type.getShape();
    Value x = border(e, nhwc(e, op, op.getInput()), p, out, -std::numeric_limits<double>::infinity());

    // Strided slices compared one after the other; the pool of the first taps
    // is an operand of the op over the next ones.
    bool wantsIndex = !op.getIndex().use_empty();
    int64_t taps = p.kernelH * p.kernelW;
    Value best, where;
    for (int64_t begin = 0; begin < taps; begin += tapsPerOp) {
      int64_t end = std::min(begin + tapsPerOp, taps);
      SmallVector<Value> inputs, inits{e.empty(type)};
      if (wantsIndex)
        inits.push_back(e.empty(indexType));
      if (begin > 0) {
        inputs.push_back(best);
        if (wantsIndex)
          inputs.push_back(where);
      }
      for (int64_t t = begin; t < end; ++t)
        inputs.push_back(tap(e, x, p, out, t / p.kernelW, t % p.kernelW));
      SmallVector<AffineMap> maps(inputs.size() + inits.size(), rewriter.getMultiDimIdentityMap(4));
      auto results = e.generic(
          inputs, inits, maps, SmallVector<bool>(4, false), [&](Emit &e, ValueRange args) -> SmallVector<Value> {
            size_t next = 0;
            Value value = args[next++];
            Value index;
            if (wantsIndex)
              index = begin > 0 ? args[next++] : firstTap(e, p, indexType.getElementType());
            for (int64_t t = begin == 0 ? 1 : begin; t < end; ++t) {
              Value candidate = args[next++];
              if (!wantsIndex) {
                value = arith::MaximumFOp::create(e.b, e.loc, value, candidate);
                continue;
              }
              // The first of equal values stays; a NaN is taken, and lost to another NaN only.
              Value larger = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OGT, candidate, value);
              Value nan = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::UNO, candidate, candidate);
              Value takes = arith::OrIOp::create(e.b, e.loc, larger, nan);
              value = arith::SelectOp::create(e.b, e.loc, takes, candidate, value);
              index = arith::SelectOp::create(e.b, e.loc, takes, e.constant(indexType.getElementType(), t), index);
            }
            if (wantsIndex)
              return {value, index};
            return {value};
          });
      best = results[0];
      where = wantsIndex ? results[1] : Value();
    }
    // An unused index needs a value of its type all the same.
    rewriter.replaceOp(op, {back(e, op, best), wantsIndex ? back(e, op, where) : e.splat(op.getIndex().getType(), 0)});
    return success();
  }
};

/// The gradient of a pool: places `(q * stride + r)` of the bordered input get,
/// for each window offset j, what `each` makes of the window at q - j and its
/// tap r + j * stride. One op over [N, q, r, q', r', C], no scattering.
Value gather(Emit &e, ArrayRef<Value> windows, ArrayRef<double> outside, RankedTensorType type, const Pool &p,
             llvm::function_ref<Value(Emit &, ValueRange, Value, Value)> each) {
  Shape out = Emit::shape(windows[0]), in = type.getShape();
  int64_t reachH = (p.kernelH + p.strideH - 1) / p.strideH, reachW = (p.kernelW + p.strideW - 1) / p.strideW;
  int64_t rows = out[1] + reachH - 1, columns = out[2] + reachW - 1;
  SmallVector<Value> inputs;
  for (auto [window, with] : llvm::zip_equal(windows, outside)) {
    Value wide = e.pad(window, {0, reachH - 1, reachW - 1, 0}, {0, reachH - 1, reachW - 1, 0}, with);
    for (int64_t j = 0; j < reachH; ++j)
      for (int64_t k = 0; k < reachW; ++k)
        inputs.push_back(
            e.slice(wide, {0, reachH - 1 - j, reachW - 1 - k, 0}, {out[0], rows, columns, out[3]}, {1, 1, 1, 1}));
  }
  SmallVector<AffineMap> maps(inputs.size(), e.dims(6, {0, 1, 3, 5}));
  maps.push_back(e.b.getMultiDimIdentityMap(6));
  Type element = type.getElementType();
  Value init = e.empty({out[0], rows, p.strideH, columns, p.strideW, out[3]}, element);
  int64_t views = reachH * reachW;
  Value wide = e.generic({inputs}, init, maps, SmallVector<bool>(6, false), [&](Emit &e, ValueRange args) {
    Value r = linalg::IndexOp::create(e.b, e.loc, 2), s = linalg::IndexOp::create(e.b, e.loc, 4), sum;
    for (int64_t v = 0; v < views; ++v) {
      Value i = e.add(r, e.index(v / reachW * p.strideH)), j = e.add(s, e.index(v % reachW * p.strideW));
      SmallVector<Value> view;
      for (size_t w = 0; w < windows.size(); ++w)
        view.push_back(args[w * views + v]);
      Value term = each(e, view, i, j);
      sum = sum ? e.add(sum, term) : term;
    }
    return sum;
  });
  Value bordered = e.collapse(wide, {{0}, {1, 2}, {3, 4}, {5}});
  int64_t height = rows * p.strideH, width = columns * p.strideW;
  // Input rows below the last window's reach stay without a gradient.
  bordered = e.pad(bordered, {0, 0, 0, 0},
                   {0, std::max<int64_t>(p.padH + in[1] - height, 0), std::max<int64_t>(p.padW + in[2] - width, 0), 0}, 0.0);
  return e.slice(bordered, {0, p.padH, p.padW, 0}, in, {1, 1, 1, 1});
}

/// True where a tap lies in the kernel; null where every tap does.
Value inKernel(Emit &e, const Pool &p, Value i, Value j) {
  auto inside = [&](Value place, int64_t kernel, int64_t stride) -> Value {
    if (kernel % stride == 0)
      return {};
    return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::slt, place, e.index(kernel));
  };
  Value a = inside(i, p.kernelH, p.strideH), b = inside(j, p.kernelW, p.strideW);
  return a && b ? arith::AndIOp::create(e.b, e.loc, a, b).getResult() : (a ? a : b);
}

struct LowerMaxPoolGrad : OpRewritePattern<MaxPool2dGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MaxPool2dGradOp op, PatternRewriter &rewriter) const override {
    Emit e(rewriter, op.getLoc());
    Pool p = Pool::of(op);
    p.dilationH = op.getDilations()[0];
    p.dilationW = op.getDilations()[1];
    RankedTensorType type = nhwcType(op, op.getType());
    Value dy = nhwc(e, op, op.getCotangent()), index = nhwc(e, op, op.getIndex());
    Type tapType = Emit::type(index).getElementType();
    Value dx = p.dilationH == 1 && p.dilationW == 1 ? dense(e, dy, index, tapType, type, p)
                                                    : dilated(e, dy, index, tapType, type, p);
    rewriter.replaceOp(op, back(e, op, dx));
    return success();
  }

  static Value isTap(Emit &e, Value index, Value tap) {
    return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, index, tap);
  }

  static Value dense(Emit &e, Value dy, Value index, Type tapType, RankedTensorType type, const Pool &p) {
    return gather(e, {dy, index}, {0.0, -1.0}, type, p, [&](Emit &e, ValueRange view, Value i, Value j) -> Value {
      Value tap = arith::IndexCastOp::create(e.b, e.loc, tapType, e.add(e.mul(i, e.index(p.kernelW)), j));
      Value hit = isTap(e, view[1], tap);
      // A column past the kernel would pass for the next row's tap.
      if (Value inside = inKernel(e, p, i, j))
        hit = arith::AndIOp::create(e.b, e.loc, hit, inside);
      return arith::SelectOp::create(e.b, e.loc, hit, view[0], e.constant(view[0].getType(), 0.0));
    });
  }

  /// Dilated windows: every tap's part put at its places and added up.
  static Value dilated(Emit &e, Value dy, Value index, Type tapType, RankedTensorType type, const Pool &p) {
    Shape out = Emit::shape(dy), in = type.getShape();
    auto wideType = type.clone({in[0], std::max(p.rows(out[1]), p.padH + in[1]),
                                std::max(p.columns(out[2]), p.padW + in[2]), in[3]});
    Value sum = e.fill(wideType, 0.0);
    for (int64_t t = 0; t < p.kernelH * p.kernelW; ++t) {
      Value part = e.elementwise(Emit::type(dy), {dy, index}, [&](Emit &e, ValueRange args) -> Value {
        return arith::SelectOp::create(e.b, e.loc, isTap(e, args[1], e.constant(tapType, t)), args[0],
                                       e.constant(args[0].getType(), 0.0));
      });
      Value placed = e.insert(part, e.fill(wideType, 0.0),
                              {0, t / p.kernelW * p.dilationH, t % p.kernelW * p.dilationW, 0},
                              {1, p.strideH, p.strideW, 1});
      sum = e.elementwise(wideType, {sum, placed}, [](Emit &e, ValueRange args) { return e.add(args[0], args[1]); });
    }
    return e.slice(sum, {0, p.padH, p.padW, 0}, in, {1, 1, 1, 1});
  }
};

/// 1 / divisor of every window, as PyTorch counts it: [OH, OW], or one number
/// where all are equal.
struct Divisors {
  SmallVector<double> inverse;
  bool uniform;
};
template <typename Op>
Divisors divisors(Op op, const Pool &p, Shape in, Shape out) {
  auto span = [&](int64_t o, int64_t stride, int64_t kernel, int64_t pad, int64_t size) {
    int64_t begin = o * stride - pad, end = std::min(begin + kernel, size + pad);
    if (!op.getCountIncludePad()) {
      begin = std::max<int64_t>(begin, 0);
      end = std::min(end, size);
    }
    return end - begin;
  };
  Divisors result{{}, true};
  for (int64_t i = 0; i < out[1]; ++i)
    for (int64_t j = 0; j < out[2]; ++j) {
      result.inverse.push_back(1.0 / (span(i, p.strideH, p.kernelH, p.padH, in[1]) *
                                      span(j, p.strideW, p.kernelW, p.padW, in[2])));
      result.uniform &= result.inverse.back() == result.inverse.front();
    }
  return result;
}

/// x times the windows' 1 / divisor.
Value scale(Emit &e, Value x, const Divisors &d) {
  RankedTensorType type = Emit::type(x);
  if (d.uniform)
    return e.elementwise(type, {x}, [&](Emit &e, ValueRange args) {
      return e.mul(args[0], e.constant(args[0].getType(), d.inverse.front()));
    });
  SmallVector<Attribute> values = llvm::map_to_vector(
      d.inverse, [&](double v) -> Attribute { return e.b.getFloatAttr(type.getElementType(), v); });
  auto table = type.clone({type.getDimSize(1), type.getDimSize(2), 1});
  Value factors = arith::ConstantOp::create(e.b, e.loc, DenseElementsAttr::get(table, values));
  return e.elementwise(type, {x, factors}, [](Emit &e, ValueRange args) { return e.mul(args[0], args[1]); });
}

struct LowerAvgPool : OpRewritePattern<AvgPool2dOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AvgPool2dOp op, PatternRewriter &rewriter) const override {
    Emit e(rewriter, op.getLoc());
    Pool p = Pool::of(op);
    RankedTensorType type = nhwcType(op, op.getType());
    Shape out = type.getShape();
    Value input = nhwc(e, op, op.getInput());
    Value x = border(e, input, p, out, 0.0), sum;
    int64_t taps = p.kernelH * p.kernelW;
    for (int64_t begin = 0; begin < taps; begin += tapsPerOp) {
      SmallVector<Value> inputs;
      if (sum)
        inputs.push_back(sum);
      for (int64_t t = begin; t < std::min(begin + tapsPerOp, taps); ++t)
        inputs.push_back(tap(e, x, p, out, t / p.kernelW, t % p.kernelW));
      sum = e.elementwise(type, inputs, [&](Emit &e, ValueRange args) {
        Value total = args[0];
        for (size_t i = 1; i < inputs.size(); ++i)
          total = e.add(total, args[i]);
        return total;
      });
    }
    rewriter.replaceOp(op, back(e, op, scale(e, sum, divisors(op, p, Emit::shape(input), out))));
    return success();
  }
};

struct LowerAvgPoolGrad : OpRewritePattern<AvgPool2dGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AvgPool2dGradOp op, PatternRewriter &rewriter) const override {
    Emit e(rewriter, op.getLoc());
    Pool p = Pool::of(op);
    RankedTensorType type = nhwcType(op, op.getType());
    Value dy = nhwc(e, op, op.getCotangent());
    dy = scale(e, dy, divisors(op, p, type.getShape(), Emit::shape(dy)));
    Value dx = gather(e, {dy}, {0.0}, type, p, [&](Emit &e, ValueRange view, Value i, Value j) -> Value {
      Value inside = inKernel(e, p, i, j);
      if (!inside)
        return view[0];
      return arith::SelectOp::create(e.b, e.loc, inside, view[0], e.constant(view[0].getType(), 0.0));
    });
    rewriter.replaceOp(op, back(e, op, dx));
    return success();
  }
};

} // namespace

void populatePoolingToLinalg(RewritePatternSet &patterns) {
  patterns.add<LowerMaxPool, LowerMaxPoolGrad, LowerAvgPool, LowerAvgPoolGrad>(patterns.getContext());
}

} // namespace pocket
