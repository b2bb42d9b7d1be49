// The gradient of a movement is another movement: these read no values.
#include "Pocket/Gradients/Rules.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace pocket {

#define POCKET_READS_NOTHING(Op)                                                                                       \
  void Op::getBackwardReads(Needed, Values &) {}
POCKET_READS_NOTHING(ReshapeOp)
POCKET_READS_NOTHING(TransposeOp)
POCKET_READS_NOTHING(BroadcastOp)
POCKET_READS_NOTHING(SliceOp)
POCKET_READS_NOTHING(SliceGradOp)
POCKET_READS_NOTHING(ConcatOp)
POCKET_READS_NOTHING(PadOp)
POCKET_READS_NOTHING(ReverseOp)
#undef POCKET_READS_NOTHING

/// The part of `g` of the given shape that begins at `offsets`.
static Expr slice(Expr g, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  return g.with(SliceOp::create(g.getBuilder(), g.getLocation(), g.value(), offsets, sizes, strides).getResult());
}
static Expr slice(Expr g, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  return slice(g, offsets, sizes, SmallVector<int64_t>(offsets.size(), 1));
}

LogicalResult ReshapeOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Expr g(builder, getLoc(), cotangents[0]);
  gradients.push_back(needed[0] ? reshape(g, getInput().getType().getShape()).value() : Value());
  return success();
}

LogicalResult TransposeOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Expr g(builder, getLoc(), cotangents[0]);
  gradients.push_back(needed[0] ? transpose(g, invertPermutationVector(getPermutation())).value() : Value());
  return success();
}

LogicalResult BroadcastOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Expr g(builder, getLoc(), cotangents[0]);
  gradients.push_back(needed[0] ? sumToShape(g, getInput().getType()) : Value());
  return success();
}

LogicalResult SliceOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  gradients.push_back(needed[0] ? SliceGradOp::create(builder, getLoc(), getInput().getType(), cotangents[0],
                                                      getOffsets(), getStrides())
                                      .getResult()
                                : Value());
  return success();
}

LogicalResult SliceGradOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Expr g(builder, getLoc(), cotangents[0]);
  gradients.push_back(
      needed[0] ? slice(g, getOffsets(), getInput().getType().getShape(), getStrides()).value() : Value());
  return success();
}

LogicalResult ConcatOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Expr g(builder, getLoc(), cotangents[0]);
  int64_t dim = getDim();
  SmallVector<int64_t> offsets(getType().getRank(), 0);
  for (auto [input, wanted] : llvm::zip_equal(getInputs(), needed)) {
    ArrayRef<int64_t> sizes = tensorType(input).getShape();
    gradients.push_back(wanted ? slice(g, offsets, sizes).value() : Value());
    offsets[dim] += sizes[dim];
  }
  return success();
}

LogicalResult PadOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  Expr g(builder, getLoc(), cotangents[0]);
  gradients.push_back(needed[0] ? slice(g, getLow(), getInput().getType().getShape()).value() : Value());
  return success();
}

LogicalResult ReverseOp::buildVjp(OpBuilder &builder, Cotangents cotangents, Needed needed, Values &gradients) {
  gradients.push_back(needed[0] ? ReverseOp::create(builder, getLoc(), cotangents[0], getDims()).getResult() : Value());
  return success();
}

} // namespace pocket
