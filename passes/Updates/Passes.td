#ifndef POCKET_PASSES_UPDATES
#define POCKET_PASSES_UPDATES
include "mlir/Pass/PassBase.td"

def AttachOptimizer : Pass<"pocket-attach-optimizer", "::mlir::ModuleOp"> {
  let summary = "Replace the gradients that @train_step returns by updated parameters and optimizer state";
  let description = [{
    Every gradient becomes a step of the optimizer. The learning rate is an
    argument, given anew in each step; what the optimizer keeps from step to step
    are arguments too, stored as their parameter is, and the new values are
    results with the same identity.

    With `optimizer=sgd momentum=0.9`

    ```mlir
    func.func @train_step(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = true})
        -> (tensor<f32> {pocket.role = "loss"}, tensor<4xf32> {pocket.param = "w", pocket.role = "gradient"}) {
      ...
      return %loss, %g : tensor<f32>, tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @train_step(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = true},
                          %m: tensor<4xf32> {pocket.param = "w", pocket.state = "momentum_buffer"},
                          %lr: tensor<f32> {pocket.role = "learning_rate"})
        -> (tensor<f32> {pocket.role = "loss"}, tensor<4xf32> {pocket.param = "w"},
            tensor<4xf32> {pocket.param = "w", pocket.state = "momentum_buffer"}) {
      ...
      %w1, %m1 = pocket.sgd %w, %g learning_rate %lr momentum_buffer %m momentum = 0.9 : ...
      return %loss, %w1, %m1 : tensor<f32>, tensor<4xf32>, tensor<4xf32>
    }
    ```

    Of a parameter that trains channels only these are taken, updated and put back, and
    state is kept for these:

    ```mlir
    %s = pocket.take_channels %w <dim = 1, [0 to 4]> : (tensor<8x16xf32>) -> tensor<8x4xf32>
    %s1, %m1 = pocket.sgd %s, %g learning_rate %lr momentum_buffer %m momentum = 0.9 : ...
    %w1 = pocket.assign_channels %w <dim = 1, [0 to 4]> with %s1 : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<8x16xf32>
    ```
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"sgd\"", "The optimizer: sgd or adamw">,
    Option<"momentum", "momentum", "double", "0.0", "Momentum of sgd">,
    Option<"nesterov", "nesterov", "bool", "false", "Nesterov's form of momentum (sgd)">,
    Option<"weightDecay", "weight-decay", "double", "0.0",
           "Weight decay: added to the gradient (sgd), decoupled from it (adamw)">,
    Option<"beta1", "beta1", "double", "0.9", "Decay of the first moment (adamw)">,
    Option<"beta2", "beta2", "double", "0.999", "Decay of the second moment (adamw)">,
    Option<"epsilon", "epsilon", "double", "1e-8", "Added to the denominator (adamw)">
  ];
  let statistics = [
    Statistic<"numUpdates", "updates", "Parameters updated">,
    Statistic<"numStateElements", "state-elements", "Elements of optimizer state">
  ];
  let dependentDialects = ["::pocket::PocketDialect"];
}
#endif
