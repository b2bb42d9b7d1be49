// RUN: pocket-opt %s --split-input-file --pocket-autodiff=check-reads --verify-diagnostics | FileCheck %s

// A perceptron: the loss first, then gradients in the order of the arguments.
// The output and what only it needs are dropped; no gradient of the input is
// built.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %[[W0:[^:]*]]: tensor<8x4xf32>
// CHECK-SAME: %[[W1:[^:]*]]: tensor<3x8xf32>
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x4xf32>
// CHECK-SAME: %[[T:[^:]*]]: tensor<2xi64>
// CHECK-SAME: -> (tensor<f32> {pocket.role = "loss"}, tensor<8x4xf32> {pocket.param = "0.weight", pocket.role = "gradient"}, tensor<3x8xf32> {pocket.param = "1.weight", pocket.role = "gradient"})
// CHECK-NEXT: %[[H:.*]] = pocket.matmul %[[X]], %[[W0]] transposed
// CHECK-NEXT: %[[R:.*]] = pocket.relu %[[H]]
// CHECK-NEXT: %[[Y:.*]] = pocket.matmul %[[R]], %[[W1]] transposed
// CHECK-NEXT: %[[LOSS:.*]], %[[LSE:.*]] = pocket.cross_entropy %[[Y]], %[[T]]
// CHECK-NEXT: %[[ONE:.*]] = pocket.gradient_seed : tensor<f32>
// CHECK-NEXT: %[[DY:.*]] = pocket.cross_entropy_grad %[[ONE]], %[[Y]], %[[T]], %[[LSE]]
// CHECK-NEXT: %[[DR:.*]] = pocket.matmul %[[DY]], %[[W1]] :
// CHECK-NEXT: %[[DW1:.*]] = pocket.matmul %[[DY]] transposed, %[[R]] :
// CHECK: pocket.compare le %[[R]]
// CHECK: %[[DH:.*]] = pocket.select {{.*}}, %[[DR]] :
// CHECK-NEXT: %[[DW0:.*]] = pocket.matmul %[[DH]] transposed, %[[X]] :
// CHECK-NEXT: return %[[LOSS]], %[[DW0]], %[[DW1]]
func.func @forward(%w0: tensor<8x4xf32> {pocket.param = "0.weight", pocket.needs_grad = true},
                   %w1: tensor<3x8xf32> {pocket.param = "1.weight", pocket.needs_grad = true},
                   %x: tensor<2x4xf32> {pocket.role = "input", pocket.name = "x"},
                   %t: tensor<2xi64> {pocket.role = "target", pocket.name = "target"})
    -> (tensor<2x3xf32> {pocket.role = "output", pocket.name = "output0"}, tensor<f32> {pocket.role = "loss"}) {
  %h = pocket.matmul %x, %w0 transposed : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  %r = pocket.relu %h : tensor<2x8xf32>
  %y = pocket.matmul %r, %w1 transposed : (tensor<2x8xf32>, tensor<3x8xf32>) -> tensor<2x3xf32>
  %loss, %lse = pocket.cross_entropy %y, %t : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
  %p = pocket.softmax %y dim = 1 : tensor<2x3xf32>
  return %p, %loss : tensor<2x3xf32>, tensor<f32>
}

// Other functions stay as they are.
// CHECK-LABEL: func.func @predict(
// CHECK-NEXT: pocket.softmax
// CHECK-NEXT: return
func.func @predict(%x: tensor<2x3xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<2x3xf32> {pocket.role = "output", pocket.name = "output0"}) {
  %p = pocket.softmax %x dim = 1 : tensor<2x3xf32>
  return %p : tensor<2x3xf32>
}

// CHECK-NOT: @forward

// -----

// The frozen parameter costs nothing: neither its gradient nor that of what
// comes before it. A parameter that is used twice has its gradients added.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %[[A:[^:]*]]: tensor<4xf32>
// CHECK-SAME: %[[FROZEN:[^:]*]]: tensor<4xf32>
// CHECK-NEXT: %[[E:.*]] = pocket.exp %[[FROZEN]]
// CHECK-NEXT: %[[M:.*]] = pocket.mul %[[A]], %[[E]]
// CHECK-NEXT: %[[N:.*]] = pocket.mul %[[M]], %[[A]]
// CHECK-NEXT: pocket.sum %[[N]]
// CHECK: %[[G:.*]] = pocket.broadcast
// CHECK-NEXT: %[[DM:.*]] = pocket.mul %[[G]], %[[A]]
// CHECK-NEXT: %[[DA0:.*]] = pocket.mul %[[G]], %[[M]]
// CHECK-NEXT: %[[DA1:.*]] = pocket.mul %[[DM]], %[[E]]
// CHECK-NEXT: %[[DA:.*]] = pocket.add %[[DA0]], %[[DA1]]
// CHECK-NEXT: return %{{.*}}, %[[DA]]
func.func @forward(%a: tensor<4xf32> {pocket.param = "a", pocket.needs_grad = true},
                   %frozen: tensor<4xf32> {pocket.param = "frozen", pocket.needs_grad = false})
    -> (tensor<f32> {pocket.role = "loss"}) {
  %e = pocket.exp %frozen : tensor<4xf32>
  %m = pocket.mul %a, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = pocket.mul %m, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = pocket.sum %n dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// New values of buffers are kept, after the loss.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: -> (tensor<f32> {pocket.role = "loss"}, tensor<3xf32> {pocket.buffer = "bn.running_mean"}, tensor<3xf32> {pocket.param = "bn.weight", pocket.role = "gradient"})
// CHECK: %{{.*}}, %[[MEAN:.*]], %{{.*}} = pocket.batch_norm_training
// CHECK: %[[NEW:.*]] = pocket.assign %{{.*}} with %[[MEAN]]
// CHECK: pocket.batch_norm_reduce_grad
// CHECK: return %{{.*}}, %[[NEW]], %{{.*}}
func.func @forward(%scale: tensor<3xf32> {pocket.param = "bn.weight", pocket.needs_grad = true},
                   %bias: tensor<3xf32> {pocket.param = "bn.bias", pocket.needs_grad = false},
                   %running: tensor<3xf32> {pocket.buffer = "bn.running_mean"},
                   %x: tensor<2x3xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<3xf32> {pocket.buffer = "bn.running_mean"}) {
  %y, %mean, %variance = pocket.batch_norm_training %x scale %scale bias %bias epsilon = 1.0e-5
      : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %new = pocket.assign %running with %mean : tensor<3xf32>
  %e = pocket.exp %y : tensor<2x3xf32>
  %s = pocket.sum %e dims = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %s, %new : tensor<f32>, tensor<3xf32>
}

// -----

// A convolution's input gradient comes before its filter's: the update that
// follows may then overwrite the filter.
// CHECK-LABEL: func.func @train_step(
// CHECK: pocket.conv2d %
// CHECK: pocket.conv2d %
// CHECK: pocket.conv2d_input_grad %{{.*}}, %arg1
// CHECK-NEXT: pocket.conv2d_weight_grad
// CHECK-NEXT: pocket.sum %{{.*}} dims = [0, 2, 3]
// CHECK-NEXT: pocket.conv2d_weight_grad
// CHECK-NOT: pocket.conv2d_input_grad
func.func @forward(%w0: tensor<4x2x3x3xf32> {pocket.param = "0.weight", pocket.needs_grad = true},
                   %w1: tensor<2x4x3x3xf32> {pocket.param = "1.weight", pocket.needs_grad = true},
                   %b1: tensor<2xf32> {pocket.param = "1.bias", pocket.needs_grad = true},
                   %x: tensor<1x2x8x8xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.conv2d %x, %w0 : (tensor<1x2x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = pocket.conv2d %0, %w1 bias %b1 : (tensor<1x4x6x6xf32>, tensor<2x4x3x3xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %s = pocket.sum %1 dims = [0, 1, 2, 3] : (tensor<1x2x4x4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// A parameter that does not reach the loss is left alone, as PyTorch leaves it.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: pocket.needs_grad = true, pocket.param = "a"
// CHECK-SAME: pocket.needs_grad = false, pocket.param = "b"
// CHECK-SAME: pocket.needs_grad = false, pocket.param = "c"
// CHECK-SAME: -> (tensor<f32> {pocket.role = "loss"}, tensor<4xf32> {pocket.param = "a", pocket.role = "gradient"})
// expected-warning @+2 {{parameter "b" does not reach the loss and will not be trained}}
// expected-warning @+1 {{parameter "c" does not reach the loss and will not be trained}}
func.func @forward(%a: tensor<4xf32> {pocket.param = "a", pocket.needs_grad = true},
                   %b: tensor<4xf32> {pocket.param = "b", pocket.needs_grad = true},
                   %c: tensor<4xf32> {pocket.param = "c", pocket.needs_grad = true})
    -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.stop_gradient %c : tensor<4xf32>
  %1 = pocket.mul %a, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = pocket.sum %1 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

// The loss may be a parameter itself.
// CHECK-LABEL: func.func @train_step(
// CHECK-NEXT: %[[ONE:.*]] = pocket.gradient_seed : tensor<f32>
// CHECK-NEXT: return %arg0, %[[ONE]]
func.func @forward(%a: tensor<f32> {pocket.param = "a", pocket.needs_grad = true}) -> (tensor<f32> {pocket.role = "loss"}) {
  return %a : tensor<f32>
}

// -----

// expected-error @+1 {{nothing to train: no trained parameter reaches the loss}}
func.func @forward(%a: tensor<f32> {pocket.param = "a", pocket.needs_grad = true}, %x: tensor<f32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{stands where @forward's training step would}}
func.func @train_step() {
  return
}
func.func @forward(%a: tensor<f32> {pocket.param = "a", pocket.needs_grad = true}) -> (tensor<f32> {pocket.role = "loss"}) {
  return %a : tensor<f32>
}

// -----

// expected-error @+1 {{1 op between the trained parameters and the loss without a gradient}}
func.func @forward(%a: tensor<2x3xf32> {pocket.param = "a", pocket.needs_grad = true}) -> (tensor<f32> {pocket.role = "loss"}) {
  // expected-note @+1 {{'pocket.softmax_grad' has no gradient}}
  %0 = pocket.softmax_grad %a, %a dim = 1 : tensor<2x3xf32>
  %s = pocket.sum %0 dims = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
