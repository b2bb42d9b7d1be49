// Which ops of a training step are its backward pass.
#ifndef POCKET_PASSES_BACKWARD_BACKWARDPASS_H
#define POCKET_PASSES_BACKWARD_BACKWARDPASS_H

#include "Pocket/IR/Pocket.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pocket {

/// Every op is one of:
enum class Phase {
  /// The loss or a buffer's new value needs it.
  Forward,
  /// It depends on no gradient, but only gradients need it: `y > 0` of a ReLU.
  Between,
  /// It depends on `pocket.gradient_seed`.
  Backward,
};

class BackwardPass {
public:
  explicit BackwardPass(mlir::func::FuncOp function);

  Phase of(mlir::Operation *op) const { return phases.lookup(op); }
  /// Whether the forward pass makes `value` and would have to keep it: arguments,
  /// constants and movements of those are there anyhow.
  bool isMadeByForward(mlir::Value value) const;

private:
  llvm::DenseMap<mlir::Operation *, Phase> phases;
};

/// The `@train_step` that pocket-autodiff made; null after an error where there is none.
mlir::func::FuncOp findTrainStep(mlir::ModuleOp module);

/// The value whose storage `value` is a view of.
mlir::Value storageOf(mlir::Value value);

/// Bytes of a tensor as it is stored, booleans one each; very many for what is none.
int64_t bytesOf(mlir::Value value);

} // namespace pocket

#endif // POCKET_PASSES_BACKWARD_BACKWARDPASS_H
