// RUN: pocket-opt %s --split-input-file --pocket-attach-optimizer --verify-diagnostics
// RUN: not pocket-opt %S/pocket-attach-optimizer.mlir --pocket-attach-optimizer="optimizer=lion" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not pocket-opt %S/pocket-attach-optimizer.mlir --pocket-attach-optimizer="nesterov=true" 2>&1 | FileCheck %s --check-prefix=NESTEROV
// RUN: not pocket-opt %S/pocket-attach-optimizer.mlir --pocket-attach-optimizer="optimizer=adamw beta2=1.0" 2>&1 | FileCheck %s --check-prefix=BETA

// UNKNOWN: unknown optimizer "lion"; known are sgd and adamw
// NESTEROV: nesterov needs a momentum
// BETA: beta1 and beta2 must lie in [0, 1)

// expected-error @+1 {{has no @train_step with gradients; run pocket-autodiff first}}
module {
}

// -----

// expected-error @+1 {{returns no gradient: there is nothing to update}}
func.func @train_step(%x: tensor<f32>) -> (tensor<f32> {pocket.role = "loss"}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{has an optimizer already: argument 1 is its learning rate}}
func.func @train_step(%x: tensor<f32> {pocket.param = "x"}, %lr: tensor<f32> {pocket.role = "learning_rate"})
    -> (tensor<f32> {pocket.param = "x", pocket.role = "gradient"}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{result 0 is the gradient of a parameter that is no argument}}
func.func @train_step(%x: tensor<f32> {pocket.param = "x"}) -> (tensor<f32> {pocket.param = "y", pocket.role = "gradient"}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{result 0 is the gradient of a parameter that is no argument}}
func.func @train_step(%x: tensor<f32> {pocket.param = "x"}) -> (tensor<f32> {pocket.role = "gradient"}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{result 0 is a gradient of type 'tensor<f32>' for a parameter of type 'tensor<4xf32>'}}
func.func @train_step(%x: tensor<4xf32> {pocket.param = "x"}, %g: tensor<f32>) -> (tensor<f32> {pocket.param = "x", pocket.role = "gradient"}) {
  return %g : tensor<f32>
}
