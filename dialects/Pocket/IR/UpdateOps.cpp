#include "Pocket/IR/Pocket.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "Pocket/IR/UpdateOps.cpp.inc"

namespace pocket {

unsigned AssignOp::getOverwrittenOperand(unsigned) { return 0; }

unsigned SgdOp::getOverwrittenOperand(unsigned result) { return result == 0 ? 0 : 3; }

LogicalResult SgdOp::verify() {
  Value buffer = getMomentumBuffer(), newBuffer = getNewMomentumBuffer();
  if (!buffer != !newBuffer)
    return emitOpError() << "returns a new momentum buffer exactly if it takes one";
  if (buffer && (buffer.getType() != getParameter().getType() || newBuffer.getType() != buffer.getType()))
    return emitOpError() << "expects momentum buffers of the parameter's type " << getParameter().getType();
  if (!buffer && (!getMomentum().isZero() || getNesterov()))
    return emitOpError() << "needs a momentum buffer for momentum and nesterov";
  return success();
}

unsigned AdamwOp::getOverwrittenOperand(unsigned result) { return result == 0 ? 0 : result + 1; }

} // namespace pocket
