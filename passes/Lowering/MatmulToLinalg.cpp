#include "passes/Lowering/Contraction.h"
#include "passes/Lowering/Patterns.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace pocket {

namespace {

/// A product over (batch..., m, n, k). Transposes of the operands, and one of
/// the result that is its only use, become indexing maps: a permuted read costs
/// nothing here and a pass over memory of its own (twice the time of attention).
struct LowerMatmul : OpRewritePattern<MatmulOp> {
  LowerMatmul(MLIRContext *context, const Tiles &tiles) : OpRewritePattern(context), tiles(tiles) {}
  Tiles tiles;

  /// Looks through a transpose: returns its source and the map to it.
  static Value source(Value value, AffineMap &map) {
    auto transpose = value.getDefiningOp<TransposeOp>();
    if (!transpose)
      return value;
    // Value dimension i is source dimension permutation[i].
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    SmallVector<AffineExpr> results(permutation.size());
    for (auto [i, dim] : llvm::enumerate(permutation))
      results[dim] = map.getResult(i);
    map = AffineMap::get(map.getNumDims(), 0, results, map.getContext());
    return transpose.getInput();
  }

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    Emit e(rewriter, op.getLoc());
    int64_t rank = op.getType().getRank(), batch = rank - 2, m = batch, n = batch + 1, k = batch + 2;
    auto map = [&](int64_t row, int64_t column) {
      SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, batch));
      dims.append({row, column});
      return e.dims(rank + 1, dims);
    };
    SmallVector<AffineMap> maps{op.getTransposeLhs() ? map(k, m) : map(m, k),
                                op.getTransposeRhs() ? map(n, k) : map(k, n), map(m, n)};
    Value lhs = source(op.getLhs(), maps[0]), rhs = source(op.getRhs(), maps[1]);
    Operation *replaced = op;
    RankedTensorType type = op.getType();
    if (op->hasOneUse())
      if (auto transpose = dyn_cast<TransposeOp>(*op->user_begin())) {
        maps[2] = AffineMap::get(
            rank + 1, 0, applyPermutation(maps[2].getResults(), transpose.getPermutation()), rewriter.getContext());
        type = transpose.getType();
        replaced = transpose;
      }
    Value result = contract(e, Product(lhs, maps[0], rhs, maps[1], type, maps[2]), tiles);
    rewriter.replaceOp(replaced, result);
    if (replaced != op)
      rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateMatmulToLinalg(RewritePatternSet &patterns, const Tiles &tiles) {
  patterns.add<LowerMatmul>(patterns.getContext(), tiles);
}

} // namespace pocket
