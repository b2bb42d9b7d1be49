// Which values lie between what is trained and the loss. Knows no op.
#ifndef POCKET_PASSES_AUTODIFF_ACTIVITY_H
#define POCKET_PASSES_AUTODIFF_ACTIVITY_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace pocket {

/// A value is active if it depends on something trained and the loss depends
/// on it, both through floating-point tensors and ops that pass gradients.
class Activity {
public:
  Activity(mlir::Block &block, mlir::ArrayRef<mlir::BlockArgument> trained, mlir::Value loss);

  bool isActive(mlir::Value value) const { return varied.contains(value) && useful.contains(value); }

  /// The ops, in order, that stand between active values and have no gradient.
  mlir::ArrayRef<mlir::Operation *> getMissing() const { return missing; }

private:
  llvm::DenseSet<mlir::Value> varied, useful;
  llvm::SmallVector<mlir::Operation *> missing;
};

} // namespace pocket

#endif // POCKET_PASSES_AUTODIFF_ACTIVITY_H
