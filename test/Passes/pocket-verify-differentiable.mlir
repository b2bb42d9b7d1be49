// RUN: pocket-opt %s --split-input-file --allow-unregistered-dialect --pocket-verify-differentiable --verify-diagnostics | FileCheck %s

// Nothing to report, and nothing changes.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: -> (tensor<f32> {pocket.role = "loss"})
// CHECK-NEXT: pocket.mul
// CHECK-NEXT: pocket.sum
// CHECK-NEXT: return
func.func @forward(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = true}, %x: tensor<4xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.mul %w, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = pocket.sum %0 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// All ops in one diagnostic, each with its module path. Those off the path
// (before the frozen parameter, behind stop_gradient, through integers, not
// leading to the loss) do not count.
// expected-error @+1 {{2 ops between the trained parameters and the loss without a gradient}}
func.func @forward(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = true},
                   %frozen: tensor<4xf32> {pocket.param = "frozen", pocket.needs_grad = false})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<4xf32> {pocket.role = "output", pocket.name = "y"}) {
  // expected-note@unknown {{'other.scan' in features.3.scan has no gradient}}
  %0 = "other.scan"(%w) : (tensor<4xf32>) -> tensor<4xf32> loc("features.3.scan")
  %1 = "other.scan"(%frozen) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = pocket.mul %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-note@unknown {{'other.sort' in head has no gradient}}
  %3 = "other.sort"(%2) : (tensor<4xf32>) -> tensor<4xf32> loc(fused<"x">["head", "inner"])
  %4 = pocket.stop_gradient %2 : tensor<4xf32>
  %5 = "other.scan"(%4) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = "other.rank"(%w) : (tensor<4xf32>) -> tensor<4xi64>
  %7 = pocket.convert %6 : (tensor<4xi64>) -> tensor<4xf32>
  %8 = "other.scan"(%7) : (tensor<4xf32>) -> tensor<4xf32>
  %9 = pocket.mul %5, %8 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %10 = pocket.mul %3, %9 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %11 = pocket.sum %10 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %12 = "other.scan"(%w) : (tensor<4xf32>) -> tensor<4xf32>
  return %11, %12 : tensor<f32>, tensor<4xf32>
}

// -----

// expected-error @+1 {{expects a function @forward}}
module {
}

// -----

// expected-error @+1 {{@forward has no result with pocket.role = "loss"}}
func.func @forward(%w: tensor<f32> {pocket.param = "w", pocket.needs_grad = true}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{@forward has 2 losses, one is expected}}
func.func @forward(%w: tensor<f32> {pocket.param = "w", pocket.needs_grad = true})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<f32> {pocket.role = "loss"}) {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{expects a loss that is a floating-point scalar, tensor<f32>, found 'tensor<4xf32>'}}
func.func @forward(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = true}) -> (tensor<4xf32> {pocket.role = "loss"}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @+1 {{expects a loss that is a floating-point scalar, tensor<f32>, found 'tensor<i64>'}}
func.func @forward(%w: tensor<i64> {pocket.param = "w"}) -> (tensor<i64> {pocket.role = "loss"}) {
  return %w : tensor<i64>
}

// -----

// expected-error @+1 {{nothing to train: no parameter has pocket.needs_grad = true}}
func.func @forward(%w: tensor<f32> {pocket.param = "w", pocket.needs_grad = false}) -> (tensor<f32> {pocket.role = "loss"}) {
  return %w : tensor<f32>
}

// -----

// The channels of a parameter are taken from its gradient: no error.
func.func @forward(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = #pocket.channels<dim = 0, [0 to 2]>})
    -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.sum %w dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{parameter "w" trains 5.000000e-01 of its channels and does not say which: resolve the ratio to #pocket.channels<...>}}
func.func @forward(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = 0.5}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.sum %w dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{argument 0 has pocket.needs_grad but is no parameter}}
func.func @forward(%w: tensor<f32> {pocket.needs_grad = true}) -> (tensor<f32> {pocket.role = "loss"}) {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{cannot train a 'tensor<2xi64>': 'pocket.needs_grad' needs floating-point elements}}
func.func @forward(%w: tensor<2xi64> {pocket.param = "w", pocket.needs_grad = true}, %x: tensor<f32>) -> (tensor<f32> {pocket.role = "loss"}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{@forward expects a body of one block}}
func.func private @forward(tensor<f32>) -> (tensor<f32> {pocket.role = "loss"})
