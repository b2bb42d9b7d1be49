// @forward as the passes of this group see it.
#ifndef POCKET_PASSES_AUTODIFF_FORWARD_H
#define POCKET_PASSES_AUTODIFF_FORWARD_H

#include "Pocket/IR/Pocket.h"
#include "passes/Autodiff/Activity.h"
#include "passes/Autodiff/Passes.h"

namespace pocket {

struct Forward {
  mlir::func::FuncOp function;
  mlir::func::ReturnOp terminator;
  unsigned lossResult;
  /// Parameters that are trained, wholly or some channels of them.
  llvm::SmallVector<mlir::BlockArgument> trained;

  mlir::Value getLoss() { return terminator.getOperand(lossResult); }
  mlir::Block &getBody() { return function.getBody().front(); }
};

/// Finds @forward, its loss and what is trained, or reports what is missing.
mlir::FailureOr<Forward> findForward(mlir::ModuleOp module);

/// Reports every op without a gradient in one diagnostic.
mlir::LogicalResult verifyDifferentiable(Forward &forward, const Activity &activity);

/// Which channels of parameter `argument` are trained; null where all are.
ChannelsAttr trainedChannels(mlir::BlockArgument argument);

/// The name of parameter `argument`, for messages.
llvm::StringRef parameterName(mlir::BlockArgument argument);

} // namespace pocket

#endif // POCKET_PASSES_AUTODIFF_FORWARD_H
