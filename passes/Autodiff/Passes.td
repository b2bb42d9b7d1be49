#ifndef POCKET_PASSES_AUTODIFF
#define POCKET_PASSES_AUTODIFF
include "mlir/Pass/PassBase.td"

def VerifyDifferentiable : Pass<"pocket-verify-differentiable", "::mlir::ModuleOp"> {
  let summary = "Report every op between a trained parameter and the loss that has no gradient";
  let description = [{
    Looks at all ops of `@forward` that depend on a parameter with
    `pocket.needs_grad = true` and that the loss depends on, and names every one
    that does not implement `DifferentiableOpInterface`, with its place in the
    model, in one error. It reports the same mistakes in `@forward` as
    `pocket-autodiff`: no loss, a loss that is no scalar, nothing to train.

    The program does not change.

    ```mlir
    func.func @forward(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = true})
        -> (tensor<f32> {pocket.role = "loss"}) {
      %0 = "other.cumsum"(%w) : (tensor<4xf32>) -> tensor<4xf32> loc("head.scan")
      %1 = pocket.sum %0 dims = [0] : (tensor<4xf32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    ```

    ends in

    ```
    error: 1 op between the trained parameters and the loss without a gradient
    note: 'other.cumsum' in head.scan has no gradient
    ```
  }];
  let dependentDialects = ["::pocket::PocketDialect"];
}

def Autodiff : Pass<"pocket-autodiff", "::mlir::ModuleOp"> {
  let summary = "Turn @forward into @train_step, which returns the gradients that lead to an update";
  let description = [{
    Differentiates the loss of `@forward` in reverse mode. An activity analysis
    finds what lies between the trained parameters and the loss; only gradients
    of such values are built. `@train_step` returns the loss, the new values of
    buffers and one gradient for every trained parameter, in the order of the
    arguments; outputs are no longer returned and what only they needed is
    dropped. `@forward` is gone afterwards, other functions stay as they are.

    Of a parameter with `pocket.needs_grad = #pocket.channels<...>` the gradient is that
    of these channels. `pocket.gradient_seed` stands for the loss's own gradient, 1: what
    depends on it is the backward pass.

    A parameter that should be trained but does not reach the loss gets no
    gradient and a warning: PyTorch, too, leaves it as it is.

    Before:

    ```mlir
    func.func @forward(%w: tensor<4x8xf32> {pocket.param = "w", pocket.needs_grad = true},
                       %x: tensor<2x8xf32> {pocket.role = "input", pocket.name = "x"})
        -> (tensor<f32> {pocket.role = "loss"}, tensor<2x4xf32> {pocket.role = "output", pocket.name = "y"}) {
      %y = pocket.matmul %x, %w transposed : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
      %loss = pocket.sum %y dims = [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
      return %loss, %y : tensor<f32>, tensor<2x4xf32>
    }
    ```

    After:

    ```mlir
    func.func @train_step(%w: ..., %x: ...)
        -> (tensor<f32> {pocket.role = "loss"}, tensor<4x8xf32> {pocket.param = "w", pocket.role = "gradient"}) {
      %y = pocket.matmul %x, %w transposed : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
      %loss = pocket.sum %y dims = [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
      %one = pocket.gradient_seed : tensor<f32>
      %0 = pocket.reshape %one : (tensor<f32>) -> tensor<1x1xf32>
      %1 = pocket.broadcast %0 : (tensor<1x1xf32>) -> tensor<2x4xf32>
      %dw = pocket.matmul %1 transposed, %x : (tensor<2x4xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
      return %loss, %dw : tensor<f32>, tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::pocket::PocketDialect"];
  let options = [Option<"checkReads", "check-reads", "bool", "false",
                        "For tests: fail where a gradient reads a value that its op does not declare">];
  let statistics = [
    Statistic<"numGradients", "gradients", "Gradients of parameters returned">,
    Statistic<"numDropped", "dropped-ops", "Ops dropped because nothing reads them any more">
  ];
}
#endif
