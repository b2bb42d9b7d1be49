#include "Pocket/IR/Pocket.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Pocket/IR/UpdateOps.cpp.inc"

namespace pocket {

unsigned AssignOp::getOverwrittenOperand(unsigned) { return 0; }

unsigned AssignChannelsOp::getOverwrittenOperand(unsigned) { return 0; }

LogicalResult AssignChannelsOp::verify() {
  FailureOr<RankedTensorType> slice = getChannels().sliceOf(getType(), [&] { return emitOpError(); });
  if (failed(slice))
    return failure();
  if (*slice != getNewChannels().getType())
    return emitOpError() << "expects new channels of type " << *slice << ", found " << getNewChannels().getType();
  return success();
}

unsigned SgdOp::getOverwrittenOperand(unsigned result) { return result == 0 ? 0 : 3; }

/// Checks a hyper-parameter against [0, limit), or [0, inf) where there is no limit.
static LogicalResult checkRange(Operation *op, StringRef name, const APFloat &value,
                                std::optional<double> limit = std::nullopt) {
  double x = value.convertToDouble();
  if (x >= 0.0 && (!limit || x < *limit))
    return success();
  auto diagnostic = op->emitOpError() << "expects " << name << " from 0 on";
  if (limit)
    diagnostic << " and below " << *limit;
  return diagnostic << ", found " << x;
}

LogicalResult SgdOp::verify() {
  if (failed(checkRange(*this, "momentum", getMomentum())) ||
      failed(checkRange(*this, "weight_decay", getWeightDecay())))
    return failure();
  Value buffer = getMomentumBuffer(), newBuffer = getNewMomentumBuffer();
  if (!buffer != !newBuffer)
    return emitOpError() << "returns a new momentum buffer exactly if it takes one";
  if (buffer && (buffer.getType() != getParameter().getType() || newBuffer.getType() != buffer.getType()))
    return emitOpError() << "expects momentum buffers of the parameter's type " << getParameter().getType();
  if (!buffer && (!getMomentum().isZero() || getNesterov()))
    return emitOpError() << "needs a momentum buffer for momentum and nesterov";
  return success();
}

LogicalResult AdamwOp::verify() {
  if (failed(checkRange(*this, "beta1", getBeta1(), 1.0)) || failed(checkRange(*this, "beta2", getBeta2(), 1.0)) ||
      failed(checkRange(*this, "epsilon", getEpsilon())) ||
      failed(checkRange(*this, "weight_decay", getWeightDecay())))
    return failure();
  return success();
}

unsigned AdamwOp::getOverwrittenOperand(unsigned result) { return result == 0 ? 0 : result + 1; }

} // namespace pocket
