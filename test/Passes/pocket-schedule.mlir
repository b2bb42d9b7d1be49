// RUN: pocket-opt %s --split-input-file --pocket-schedule --pocket-verify-inplace | FileCheck %s

// Each update right after its gradient; that of the first weight, whose
// gradient stands before the last read, is moved behind that read together with
// its gradient. All else keeps its order.
// CHECK-LABEL: func.func @products(
// CHECK-SAME: %[[W0:[^:]*]]: tensor<4x4xf32> {pocket.param = "w0"}
// CHECK-SAME: %[[W1:[^:]*]]: tensor<4x4xf32> {pocket.param = "w1"}
// CHECK: %[[H:.*]] = pocket.matmul %{{.*}}, %[[W0]] :
// CHECK-NEXT: %[[G:.*]] = pocket.matmul %[[H]], %[[W1]] :
// CHECK-NEXT: %[[DX:.*]] = pocket.matmul %[[G]], %[[W1]] transposed
// CHECK-NEXT: %[[DW1:.*]] = pocket.matmul %[[H]] transposed, %[[G]]
// CHECK-NEXT: pocket.sgd %[[W1]], %[[DW1]]
// CHECK-NEXT: %[[DW0:.*]] = pocket.matmul %{{.*}} transposed, %[[DX]]
// CHECK-NEXT: pocket.sgd %[[W0]], %[[DW0]]
// CHECK-NEXT: %[[LOSS:.*]] = pocket.sum
// CHECK-NEXT: return %[[LOSS]]
func.func @products(%w0: tensor<4x4xf32> {pocket.param = "w0"}, %w1: tensor<4x4xf32> {pocket.param = "w1"},
                    %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<4x4xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<4x4xf32> {pocket.param = "w0"}, tensor<4x4xf32> {pocket.param = "w1"}) {
  %h = pocket.matmul %x, %w0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = pocket.matmul %h, %w1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dw1 = pocket.matmul %h transposed, %g : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dx = pocket.matmul %g, %w1 transposed : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dw0 = pocket.matmul %x transposed, %dx : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss = pocket.sum %h dims = [0, 1] : (tensor<4x4xf32>) -> tensor<f32>
  %new0 = pocket.sgd %w0, %dw0 learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %new1 = pocket.sgd %w1, %dw1 learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %loss, %new0, %new1 : tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The scale's gradient comes of a reduction that nothing else needs: the update
// would run there. It is moved behind the product that reads the scale (through
// the elementwise op before it), and both updates follow it.
// CHECK-LABEL: func.func @scale(
// CHECK: pocket.sum
// CHECK-NEXT: %[[DX:.*]] = pocket.mul
// CHECK-NEXT: %[[DW:.*]] = pocket.matmul %{{.*}} transposed, %[[DX]]
// CHECK-NEXT: %[[SUM:.*]], %[[CENTERED:.*]] = pocket.batch_norm_reduce_grad
// CHECK-NEXT: pocket.sgd %arg1, %[[SUM]]
// CHECK-NEXT: %[[DS:.*]] = pocket.mul %[[CENTERED]]
// CHECK-NEXT: pocket.sgd %arg0, %[[DS]]
// CHECK-NEXT: return
func.func @scale(%scale: tensor<4xf32> {pocket.param = "scale"}, %bias: tensor<4xf32> {pocket.param = "bias"},
                 %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<8x4xf32> {pocket.role = "input", pocket.name = "x"},
                 %mean: tensor<4xf32> {pocket.buffer = "mean"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<4x4xf32> {pocket.role = "output", pocket.name = "dw"},
        tensor<4xf32> {pocket.param = "scale"}, tensor<4xf32> {pocket.param = "bias"}) {
  %loss = pocket.sum %x dims = [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  %sum, %centered = pocket.batch_norm_reduce_grad %x, %x mean %mean channel_dim = 1
      : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %dscale = pocket.mul %centered, %mean : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %dx = pocket.mul %x, %scale : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %dw = pocket.matmul %x transposed, %dx : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %news = pocket.sgd %scale, %dscale learning_rate %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %newb = pocket.sgd %bias, %sum learning_rate %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %loss, %dw, %news, %newb : tensor<f32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A reshape is moved into what uses it: the read is the product's.
// CHECK-LABEL: func.func @view(
// CHECK: %[[V:.*]] = pocket.reshape %arg0
// CHECK-NEXT: pocket.matmul %{{.*}}, %[[V]]
// CHECK-NEXT: pocket.sum
// CHECK-NEXT: pocket.sgd
func.func @view(%w: tensor<16xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"},
                %x: tensor<4x4xf32> {pocket.role = "input", pocket.name = "x"}, %y: tensor<4x16xf32> {pocket.role = "input", pocket.name = "y"})
    -> (tensor<4x4xf32> {pocket.role = "output", pocket.name = "z"}, tensor<16xf32> {pocket.param = "w"}) {
  %v = pocket.reshape %w : (tensor<16xf32>) -> tensor<4x4xf32>
  %dw = pocket.sum %y dims = [0] : (tensor<4x16xf32>) -> tensor<16xf32>
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<16xf32>, tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  %z = pocket.matmul %x, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %z, %new : tensor<4x4xf32>, tensor<16xf32>
}

// -----

// Two parameters whose gradients read each other: one gets storage of its own.
// CHECK-LABEL: func.func @low_rank(
// CHECK-SAME: tensor<4x2xf32> {pocket.inplace = false, pocket.param = "a"}, tensor<2x4xf32> {pocket.param = "b"})
// CHECK: %[[DA:.*]] = pocket.matmul %{{.*}}, %arg1 transposed
// CHECK-NEXT: pocket.sgd %arg0, %[[DA]]
// CHECK-NEXT: %[[DB:.*]] = pocket.matmul %arg0 transposed
// CHECK-NEXT: pocket.sgd %arg1, %[[DB]]
func.func @low_rank(%a: tensor<4x2xf32> {pocket.param = "a"}, %b: tensor<2x4xf32> {pocket.param = "b"},
                    %lr: tensor<f32> {pocket.role = "learning_rate"}, %g: tensor<4x4xf32> {pocket.role = "input", pocket.name = "g"})
    -> (tensor<4x2xf32> {pocket.param = "a"}, tensor<2x4xf32> {pocket.param = "b"}) {
  %da = pocket.matmul %g, %b transposed : (tensor<4x4xf32>, tensor<2x4xf32>) -> tensor<4x2xf32>
  %db = pocket.matmul %a transposed, %g : (tensor<4x2xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %newa = pocket.sgd %a, %da learning_rate %lr : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %newb = pocket.sgd %b, %db learning_rate %lr : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %newa, %newb : tensor<4x2xf32>, tensor<2x4xf32>
}

// -----

// The old value is returned: no order helps.
// CHECK-LABEL: func.func @returned(
// CHECK-SAME: tensor<4xf32> {pocket.inplace = false, pocket.param = "w"})
func.func @returned(%w: tensor<4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"})
    -> (tensor<4xf32> {pocket.role = "output", pocket.name = "old"}, tensor<4xf32> {pocket.param = "w"}) {
  %new = pocket.sgd %w, %w learning_rate %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %w, %new : tensor<4xf32>, tensor<4xf32>
}

// -----

// A counter and running statistics read their old value in the loop that
// overwrites it, and go first. A function without updates stays as it is.
// CHECK-LABEL: func.func @buffers(
// CHECK-SAME: -> (tensor<f32> {pocket.role = "loss"}, tensor<4xf32> {pocket.buffer = "mean"})
// CHECK: %[[A:.*]] = pocket.mul %arg0
// CHECK-NEXT: %[[B:.*]] = pocket.add %[[A]]
// CHECK-NEXT: pocket.assign %arg0 with %[[B]]
// CHECK-NEXT: pocket.sum
func.func @buffers(%mean: tensor<4xf32> {pocket.buffer = "mean"}, %x: tensor<4xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<4xf32> {pocket.buffer = "mean"}) {
  %c = pocket.constant dense<0.9> : tensor<f32>
  %a = pocket.mul %mean, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = pocket.add %a, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %loss = pocket.sum %x dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %new = pocket.assign %mean with %b : tensor<4xf32>
  return %loss, %new : tensor<f32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @predict(
// CHECK-NEXT: pocket.exp
// CHECK-NEXT: pocket.neg
// CHECK-NEXT: return
func.func @predict(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.exp %x : tensor<4xf32>
  %1 = pocket.neg %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// The loss' gradient reads the bias (through the elementwise sum) and is made
// along with its first user. That shall not be the bias' own gradient.
// CHECK-LABEL: func.func @last_bias(
// CHECK-SAME: tensor<4xf32> {pocket.param = "bias"})
// CHECK: %[[DY:.*]] = pocket.cross_entropy_grad
// CHECK-NEXT: %[[DW:.*]] = pocket.matmul %[[DY]] transposed
// CHECK-NEXT: %[[DB:.*]] = pocket.sum %[[DY]]
// CHECK-NEXT: pocket.sgd %{{.*}}, %[[DB]]
func.func @last_bias(%bias: tensor<4xf32> {pocket.param = "bias"}, %lr: tensor<f32> {pocket.role = "learning_rate"},
                     %x: tensor<2x4xf32> {pocket.role = "input", pocket.name = "x"}, %t: tensor<2xi64> {pocket.role = "target", pocket.name = "t"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<4x4xf32> {pocket.role = "output", pocket.name = "dw"}, tensor<4xf32> {pocket.param = "bias"}) {
  %one = pocket.constant dense<1.0> : tensor<f32>
  %y = pocket.add %x, %bias : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %loss, %lse = pocket.cross_entropy %y, %t : (tensor<2x4xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
  %dy = pocket.cross_entropy_grad %one, %y, %t, %lse
      : (tensor<f32>, tensor<2x4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2x4xf32>
  %db = pocket.sum %dy dims = [0] : (tensor<2x4xf32>) -> tensor<4xf32>
  %dw = pocket.matmul %dy transposed, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %new = pocket.sgd %bias, %db learning_rate %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %loss, %dw, %new : tensor<f32>, tensor<4x4xf32>, tensor<4xf32>
}

// -----

// A transpose is folded into the product before it, which then runs where the
// transpose stands: the gradient waits for that.
// CHECK-LABEL: func.func @folded(
// CHECK: pocket.matmul %{{.*}}, %arg0 :
// CHECK-NEXT: pocket.transpose
// CHECK-NEXT: %[[DW:.*]] = pocket.matmul
// CHECK-NEXT: pocket.sgd %arg0, %[[DW]]
func.func @folded(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> {pocket.param = "w"}) {
  %dx = pocket.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dw = pocket.matmul %x transposed, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = pocket.transpose %dx permutation = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %t, %new : tensor<4x4xf32>, tensor<4x4xf32>
}
