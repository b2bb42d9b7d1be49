// RUN: pocket-opt %s --split-input-file --pocket-schedule --pocket-verify-inplace | FileCheck %s

// An update whose gradient nothing else delays runs right behind it, before all that
// follows; two updates of one gradient keep their order.
// CHECK-LABEL: func.func @early(
// CHECK-NEXT: %[[DW:.*]] = pocket.sum
// CHECK-NEXT: pocket.sgd %arg0, %[[DW]]
// CHECK-NEXT: pocket.sgd %arg1, %[[DW]]
// CHECK-NEXT: pocket.exp
// CHECK-NEXT: pocket.sum
// CHECK-NEXT: return
func.func @early(%a: tensor<4xf32> {pocket.param = "a"}, %b: tensor<4xf32> {pocket.param = "b"}, %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<8x4xf32>)
    -> (tensor<f32>, tensor<4xf32> {pocket.param = "a"}, tensor<4xf32> {pocket.param = "b"}) {
  %dw = pocket.sum %x dims = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  %e = pocket.exp %x : tensor<8x4xf32>
  %loss = pocket.sum %e dims = [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  %newa = pocket.sgd %a, %dw learning_rate %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %newb = pocket.sgd %b, %dw learning_rate %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %loss, %newa, %newb : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// An update that needs only arguments is the first op, behind no read.
// CHECK-LABEL: func.func @from_arguments(
// CHECK-NEXT: pocket.sgd %arg0, %arg2
// CHECK-NEXT: pocket.exp
// CHECK-NEXT: return
func.func @from_arguments(%w: tensor<4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"}, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> {pocket.param = "w"}) {
  %e = pocket.exp %g : tensor<4xf32>
  %new = pocket.sgd %w, %g learning_rate %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %e, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// Momentum overwrites two values: the update waits for the last read of both.
// CHECK-LABEL: func.func @state(
// CHECK-NEXT: pocket.matmul %arg3, %arg0
// CHECK-NEXT: pocket.matmul %arg3, %arg1
// CHECK-NEXT: pocket.sgd %arg0, %arg4 learning_rate %arg2 momentum_buffer %arg1
// CHECK-NEXT: pocket.neg
// CHECK-NEXT: return
func.func @state(%w: tensor<4x4xf32> {pocket.param = "w"}, %m: tensor<4x4xf32> {pocket.param = "w", pocket.state = "momentum_buffer"},
                 %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<4x4xf32>, %g: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32> {pocket.param = "w"}, tensor<4x4xf32> {pocket.param = "w", pocket.state = "momentum_buffer"}) {
  %y = pocket.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = pocket.matmul %x, %m : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = pocket.neg %x : tensor<4x4xf32>
  %new, %newm = pocket.sgd %w, %g learning_rate %lr momentum_buffer %m momentum = 0.9
      : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return %n, %z, %new, %newm : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Of momentum's two values one is returned as it was: that one gets storage of its own,
// the other stays in place.
// CHECK-LABEL: func.func @one_of_two(
// CHECK-SAME: tensor<4xf32> {pocket.param = "w"}, tensor<4xf32> {pocket.inplace = false, pocket.param = "w", pocket.state = "momentum_buffer"})
func.func @one_of_two(%w: tensor<4xf32> {pocket.param = "w"}, %m: tensor<4xf32> {pocket.param = "w", pocket.state = "momentum_buffer"},
                      %lr: tensor<f32> {pocket.role = "learning_rate"}, %g: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> {pocket.param = "w"}, tensor<4xf32> {pocket.param = "w", pocket.state = "momentum_buffer"}) {
  %new, %newm = pocket.sgd %w, %g learning_rate %lr momentum_buffer %m momentum = 0.9
      : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %m, %new, %newm : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A gradient that reads the weight transposed reads elements that its own loop has
// written: no order helps.
// CHECK-LABEL: func.func @transposed_weight(
// CHECK-SAME: tensor<4x4xf32> {pocket.inplace = false, pocket.param = "w"})
func.func @transposed_weight(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"})
    -> (tensor<4x4xf32> {pocket.param = "w"}) {
  %t = pocket.transpose %w permutation = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %new = pocket.sgd %w, %t learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %new : tensor<4x4xf32>
}

// -----

// A gradient that something else needs is not fused with the update, so that the product
// before it need not move; only the update waits for the read.
// CHECK-LABEL: func.func @gradient_needed_twice(
// CHECK-NEXT: %[[DW:.*]] = pocket.matmul %arg2 transposed, %arg2
// CHECK-NEXT: pocket.matmul %arg2, %arg0
// CHECK-NEXT: pocket.sgd %arg0, %[[DW]]
// CHECK-NEXT: pocket.sum %[[DW]]
// CHECK-NEXT: return
func.func @gradient_needed_twice(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32> {pocket.param = "w"}) {
  %dw = pocket.matmul %x transposed, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dx = pocket.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %norm = pocket.sum %dw dims = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %dx, %norm, %new : tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>
}

// -----

// AdamW's step count is a value of its own, whose new value the updates read: they follow
// it, and come before what follows.
// CHECK-LABEL: func.func @adamw(
// CHECK: %[[NEXT:.*]] = pocket.add %arg3,
// CHECK-NEXT: %[[STEP:.*]] = pocket.assign %arg3 with %[[NEXT]]
// CHECK-NEXT: pocket.adamw %arg0, %arg5 exp_avg %arg1 exp_avg_sq %arg2 learning_rate %arg4 step %[[STEP]]
// CHECK-NEXT: pocket.sum
// CHECK-NEXT: return
func.func @adamw(%w: tensor<4xf32> {pocket.param = "w"}, %m: tensor<4xf32> {pocket.param = "w", pocket.state = "exp_avg"},
                 %v: tensor<4xf32> {pocket.param = "w", pocket.state = "exp_avg_sq"}, %step: tensor<f32> {pocket.state = "step"},
                 %lr: tensor<f32> {pocket.role = "learning_rate"}, %g: tensor<4xf32>)
    -> (tensor<f32>, tensor<4xf32> {pocket.param = "w"}, tensor<4xf32> {pocket.param = "w", pocket.state = "exp_avg"},
        tensor<4xf32> {pocket.param = "w", pocket.state = "exp_avg_sq"}, tensor<f32> {pocket.state = "step"}) {
  %one = pocket.constant dense<1.0> : tensor<f32>
  %next = pocket.add %step, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %newstep = pocket.assign %step with %next : tensor<f32>
  %loss = pocket.sum %g dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %0, %1, %2 = pocket.adamw %w, %g exp_avg %m exp_avg_sq %v learning_rate %lr step %newstep beta1 = 0.9 beta2 = 0.999 epsilon = 1.0e-8 weight_decay = 0.0
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %loss, %0, %1, %2, %newstep : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
}

// -----

// What is marked already is left alone: it has storage of its own and may stand anywhere.
// CHECK-LABEL: func.func @marked(
// CHECK-SAME: tensor<4x4xf32> {pocket.inplace = false, pocket.param = "w"})
// CHECK-NEXT: pocket.sgd %arg0
// CHECK-NEXT: pocket.matmul %arg2, %arg0
func.func @marked(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> {pocket.param = "w", pocket.inplace = false}) {
  %new = pocket.sgd %w, %x learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %y = pocket.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y, %new : tensor<4x4xf32>, tensor<4x4xf32>
}
