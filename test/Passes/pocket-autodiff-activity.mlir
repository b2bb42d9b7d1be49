// RUN: pocket-opt %s --split-input-file --pocket-autodiff=check-reads --verify-diagnostics | FileCheck %s

// Behind a frozen weight and in front of a trained one: the gradient passes through the
// frozen weight (the input's gradient), but none is built for it.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %[[W0:[^:]*]]: tensor<4x4xf32> {pocket.needs_grad = true, pocket.param = "0"}, %[[W1:[^:]*]]: tensor<4x4xf32> {pocket.needs_grad = false, pocket.param = "1"}, %[[X:[^:]*]]: tensor<2x4xf32>
// CHECK-SAME: -> (tensor<f32> {pocket.role = "loss"}, tensor<4x4xf32> {pocket.param = "0", pocket.role = "gradient"}) {
// CHECK-NEXT: %[[H:.*]] = pocket.matmul %[[X]], %[[W0]]
// CHECK-NEXT: pocket.matmul %[[H]], %[[W1]]
// CHECK: %[[DY:.*]] = pocket.broadcast
// CHECK-NEXT: %[[DH:.*]] = pocket.matmul %[[DY]], %[[W1]] transposed
// CHECK-NEXT: %[[DW0:.*]] = pocket.matmul %[[X]] transposed, %[[DH]]
// CHECK-NEXT: return %{{.*}}, %[[DW0]]
func.func @forward(%w0: tensor<4x4xf32> {pocket.param = "0", pocket.needs_grad = true},
                   %w1: tensor<4x4xf32> {pocket.param = "1", pocket.needs_grad = false},
                   %x: tensor<2x4xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %h = pocket.matmul %x, %w0 : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %y = pocket.matmul %h, %w1 : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %loss = pocket.sum %y dims = [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// In front of the first trained weight nothing is differentiated: a frozen backbone
// costs its forward pass, here a convolution, a norm and an op that has no gradient.
// CHECK-LABEL: func.func @train_step(
// CHECK: pocket.conv2d
// CHECK-NEXT: pocket.batch_norm_inference
// CHECK-NEXT: %[[F:.*]] = pocket.reshape
// CHECK-NEXT: %[[P:.*]] = pocket.softmax_grad %[[F]], %[[F]]
// CHECK-NEXT: pocket.matmul %[[P]], %arg2
// CHECK-NEXT: pocket.sum
// CHECK-NEXT: pocket.gradient_seed
// CHECK-NEXT: pocket.reshape
// CHECK-NEXT: %[[G:.*]] = pocket.broadcast
// CHECK-NEXT: %[[DW:.*]] = pocket.matmul %[[P]] transposed, %[[G]]
// CHECK-NEXT: return %{{.*}}, %[[DW]]
func.func @forward(%k: tensor<2x1x2x2xf32> {pocket.param = "conv", pocket.needs_grad = false}, %s: tensor<2xf32> {pocket.param = "bn"},
                   %w: tensor<8x3xf32> {pocket.param = "head", pocket.needs_grad = true}, %x: tensor<1x1x3x3xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.conv2d %x, %k : (tensor<1x1x3x3xf32>, tensor<2x1x2x2xf32>) -> tensor<1x2x2x2xf32>
  %1 = pocket.batch_norm_inference %0 mean %s variance %s scale %s bias %s epsilon = 1.0e-5 : (tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  %2 = pocket.reshape %1 : (tensor<1x2x2x2xf32>) -> tensor<1x8xf32>
  %3 = pocket.softmax_grad %2, %2 dim = 1 : tensor<1x8xf32>
  %4 = pocket.matmul %3, %w : (tensor<1x8xf32>, tensor<8x3xf32>) -> tensor<1x3xf32>
  %loss = pocket.sum %4 dims = [0, 1] : (tensor<1x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A frozen scale, a trained bias: of the norm's gradients the bias' sum alone. No pass
// over the input, no gradient of it.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: -> (tensor<f32> {pocket.role = "loss"}, tensor<3xf32> {pocket.param = "bias", pocket.role = "gradient"})
// CHECK: pocket.batch_norm_training
// CHECK: %[[G:.*]] = pocket.broadcast
// CHECK-NEXT: %[[DB:.*]] = pocket.sum %[[G]] dims = [0]
// CHECK-NEXT: return %{{.*}}, %[[DB]]
func.func @forward(%scale: tensor<3xf32> {pocket.param = "scale", pocket.needs_grad = false}, %bias: tensor<3xf32> {pocket.param = "bias", pocket.needs_grad = true},
                   %x: tensor<2x3xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %y, %mean, %variance = pocket.batch_norm_training %x scale %scale bias %bias epsilon = 1.0e-5
      : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %loss = pocket.sum %y dims = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A weight that two layers share: the gradients of both places are added, once.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %[[W:[^:]*]]: tensor<4x4xf32> {{.*}}, %[[X:[^:]*]]: tensor<2x4xf32>
// CHECK-NEXT: %[[H:.*]] = pocket.matmul %[[X]], %[[W]]
// CHECK-NEXT: %[[Y:.*]] = pocket.matmul %[[H]], %[[W]]
// CHECK: %[[DY:.*]] = pocket.broadcast
// CHECK-NEXT: %[[DH:.*]] = pocket.matmul %[[DY]], %[[W]] transposed
// CHECK-NEXT: %[[SECOND:.*]] = pocket.matmul %[[H]] transposed, %[[DY]]
// CHECK-NEXT: %[[FIRST:.*]] = pocket.matmul %[[X]] transposed, %[[DH]]
// CHECK-NEXT: %[[DW:.*]] = pocket.add %[[SECOND]], %[[FIRST]]
// CHECK-NEXT: return %{{.*}}, %[[DW]]
func.func @forward(%w: tensor<4x4xf32> {pocket.param = "w", pocket.needs_grad = true}, %x: tensor<2x4xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}) {
  %h = pocket.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %y = pocket.matmul %h, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %loss = pocket.sum %y dims = [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Both operands of one op, too.
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[G:.*]] = pocket.broadcast
// CHECK-NEXT: %[[L:.*]] = pocket.mul %[[G]], %arg0
// CHECK-NEXT: %[[R:.*]] = pocket.mul %[[G]], %arg0
// CHECK-NEXT: %[[D:.*]] = pocket.add %[[L]], %[[R]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @forward(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = true}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.mul %w, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %loss = pocket.sum %0 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// What does not lead to the loss is no longer computed: an output and all that only it
// needed, and an op that nothing read to begin with. Neither is differentiated, although
// both depend on the parameter.
// CHECK-LABEL: func.func @train_step(
// CHECK-NEXT: %[[E:.*]] = pocket.exp %arg0
// CHECK-NEXT: pocket.sum %[[E]]
// CHECK-NOT: pocket.tanh
// CHECK-NOT: pocket.sin
// CHECK: %[[G:.*]] = pocket.broadcast
// CHECK-NEXT: %[[D:.*]] = pocket.mul %[[G]], %[[E]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @forward(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = true})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<4xf32> {pocket.role = "output", pocket.name = "y"}) {
  %0 = pocket.exp %w : tensor<4xf32>
  %1 = pocket.tanh %0 : tensor<4xf32>
  %2 = pocket.tanh %1 : tensor<4xf32>
  %dead = pocket.sin %0 : tensor<4xf32>
  %loss = pocket.sum %0 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %loss, %2 : tensor<f32>, tensor<4xf32>
}

// -----

// A value that the backward pass reads stays, although the loss does not come of it: the
// second result of the pool.
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[Y:.*]], %[[I:.*]] = pocket.max_pool2d
// CHECK: %[[DX:.*]] = pocket.max_pool2d_grad %{{.*}}, %[[I]] kernel = [2, 2] strides = [2, 2]
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @forward(%w: tensor<1x1x4x4xf32> {pocket.param = "w", pocket.needs_grad = true}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0, %1 = pocket.max_pool2d %w kernel = [2, 2] strides = [2, 2] : (tensor<1x1x4x4xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi8>)
  %loss = pocket.sum %0 dims = [0, 1, 2, 3] : (tensor<1x1x2x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Two results that both lead to the loss: a norm whose mean is part of it. Both
// cotangents reach the input.
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[Y:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = pocket.layer_norm
// CHECK-DAG: %[[D0:.*]] = pocket.layer_norm_input_grad %{{.*}}, %arg0 mean %[[MEAN]] rstd %[[RSTD]] axis = 1
// CHECK-DAG: %[[D1:.*]] = pocket.broadcast %{{.*}} : (tensor<2x1xf32>) -> tensor<2x3xf32>
// CHECK: %[[D:.*]] = pocket.add %[[D0]], %[[D1]]
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @forward(%w: tensor<2x3xf32> {pocket.param = "w", pocket.needs_grad = true}) -> (tensor<f32> {pocket.role = "loss"}) {
  %y, %mean, %rstd = pocket.layer_norm %w axis = 1 epsilon = 1.0e-5 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  %e = pocket.exp %y : tensor<2x3xf32>
  %a = pocket.sum %e dims = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  %b = pocket.sum %mean dims = [0] : (tensor<2xf32>) -> tensor<f32>
  %loss = pocket.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Integers end the path: a comparison picks, and only what is picked has a gradient.
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[M:.*]] = pocket.compare gt %arg0, %arg1
// CHECK: pocket.select %[[M]], %arg0, %arg1
// CHECK: %[[G:.*]] = pocket.broadcast
// CHECK: %[[D:.*]] = pocket.select %[[M]], %[[G]], %{{.*}}
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @forward(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = true}, %x: tensor<4xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}) {
  %m = pocket.compare gt %w, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %y = pocket.select %m, %w, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %loss = pocket.sum %y dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Gradients are returned in the parameters' order, whatever the order of their use, and
// a parameter without pocket.needs_grad is frozen.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: tensor<f32> {pocket.param = "a", pocket.role = "gradient"}, tensor<f32> {pocket.param = "c", pocket.role = "gradient"})
// CHECK: %[[E:.*]] = pocket.exp %arg2
// CHECK: %[[ONE:.*]] = pocket.gradient_seed
// CHECK-NEXT: %[[DA:.*]] = pocket.mul %[[ONE]], %arg1
// CHECK-NEXT: %[[DC:.*]] = pocket.mul %[[ONE]], %[[E]]
// CHECK-NEXT: return %{{.*}}, %[[DA]], %[[DC]]
func.func @forward(%a: tensor<f32> {pocket.param = "a", pocket.needs_grad = true}, %b: tensor<f32> {pocket.param = "b"},
                   %c: tensor<f32> {pocket.param = "c", pocket.needs_grad = true}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.exp %c : tensor<f32>
  %1 = pocket.mul %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = pocket.add %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
