// Placeholder: rules that are still to be written.
#include "Pocket/IR/Pocket.h"
using namespace mlir;
namespace pocket {
#define MISSING(Op)                                                                                                    \
  LogicalResult Op::buildVjp(OpBuilder &, ArrayRef<Value>, ArrayRef<bool>, SmallVectorImpl<Value> &) {                 \
    return emitOpError() << "has no gradient yet";                                                                     \
  }                                                                                                                    \
  void Op::getBackwardReads(ArrayRef<bool>, SmallVectorImpl<Value> &) {}
MISSING(ConvertOp) MISSING(SelectOp) MISSING(SumOp) MISSING(MeanOp) MISSING(ReduceMaxOp) MISSING(ReduceMinOp)
MISSING(ReshapeOp) MISSING(TransposeOp) MISSING(BroadcastOp) MISSING(SliceOp) MISSING(SliceGradOp) MISSING(ConcatOp)
MISSING(PadOp) MISSING(ReverseOp) MISSING(EmbeddingOp) MISSING(GatherOp) MISSING(MatmulOp) MISSING(Conv2dOp)
MISSING(Conv2dInputGradOp) MISSING(MaxPool2dOp) MISSING(AvgPool2dOp) MISSING(BatchNormInferenceOp)
MISSING(BatchNormTrainingOp) MISSING(LayerNormOp) MISSING(SoftmaxOp) MISSING(LogSoftmaxOp) MISSING(AttentionOp)
MISSING(CrossEntropyOp)
} // namespace pocket
