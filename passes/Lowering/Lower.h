// Lowering patterns from plain functions.
#ifndef POCKET_PASSES_LOWERING_LOWER_H
#define POCKET_PASSES_LOWERING_LOWER_H

#include "passes/Lowering/Emit.h"
#include <functional>

namespace pocket {

/// What builds an op's results. None: this op is not for it.
template <typename Op>
using Build = std::function<llvm::SmallVector<mlir::Value>(Emit &, Op)>;

template <typename Op>
class Lowering : public mlir::OpRewritePattern<Op> {
public:
  Lowering(mlir::MLIRContext *context, Build<Op> build)
      : mlir::OpRewritePattern<Op>(context), build(std::move(build)) {}

  llvm::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    Emit e(rewriter, op.getLoc());
    llvm::SmallVector<mlir::Value> results = build(e, op);
    if (results.empty())
      return mlir::failure();
    rewriter.replaceOp(op, results);
    return mlir::success();
  }

private:
  Build<Op> build;
};

template <typename Op>
void addLowering(mlir::RewritePatternSet &patterns, Build<Op> build) {
  patterns.add<Lowering<Op>>(patterns.getContext(), std::move(build));
}

/// The same for an op of one result.
template <typename Op>
void addValueLowering(mlir::RewritePatternSet &patterns, std::function<mlir::Value(Emit &, Op)> build) {
  addLowering<Op>(patterns, [build](Emit &e, Op op) -> llvm::SmallVector<mlir::Value> {
    if (mlir::Value value = build(e, op))
      return {value};
    return {};
  });
}

} // namespace pocket

#endif // POCKET_PASSES_LOWERING_LOWER_H
