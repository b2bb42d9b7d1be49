// RUN: pocket-opt %s --canonicalize | FileCheck %s

// Functions that the target's own library decides are not computed here, not even of a
// constant. Nor is rounding, and a sign whose zero and NaN PyTorch sees in its own way.
// CHECK-LABEL: @functions
// CHECK-NEXT: %[[C:.*]] = pocket.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: pocket.sign %[[C]]
// CHECK-NEXT: pocket.exp %[[C]]
// CHECK-NEXT: pocket.expm1 %[[C]]
// CHECK-NEXT: pocket.log %[[C]]
// CHECK-NEXT: pocket.log1p %[[C]]
// CHECK-NEXT: pocket.sqrt %[[C]]
// CHECK-NEXT: pocket.rsqrt %[[C]]
// CHECK-NEXT: pocket.reciprocal %[[C]]
// CHECK-NEXT: pocket.tanh %[[C]]
// CHECK-NEXT: pocket.sigmoid %[[C]]
// CHECK-NEXT: pocket.erf %[[C]]
// CHECK-NEXT: pocket.sin %[[C]]
// CHECK-NEXT: pocket.cos %[[C]]
// CHECK-NEXT: pocket.round %[[C]]
// CHECK-NEXT: pocket.leaky_relu %[[C]] slope = 1.000000e-01
// CHECK-NEXT: pocket.elu %[[C]] alpha = 1.000000e+00
// CHECK-NEXT: pocket.hardtanh %[[C]] min = 0.000000e+00 max = 6.000000e+00
// CHECK-NEXT: pocket.clamp %[[C]] min = 0.000000e+00 max = 6.000000e+00
// CHECK-NEXT: pocket.hardsigmoid %[[C]]
// CHECK-NEXT: pocket.hardswish %[[C]]
// CHECK-NEXT: pocket.silu %[[C]]
// CHECK-NEXT: pocket.gelu %[[C]]
// CHECK-NEXT: pocket.softplus %[[C]]
// CHECK-NEXT: pocket.pow %[[C]], %[[C]]
// CHECK-NEXT: pocket.maximum %[[C]], %[[C]]
// CHECK-NEXT: pocket.minimum %[[C]], %[[C]]
func.func @functions() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
    tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = pocket.constant dense<2.0> : tensor<4xf32>
  %0 = pocket.sign %c : tensor<4xf32>
  %1 = pocket.exp %c : tensor<4xf32>
  %2 = pocket.expm1 %c : tensor<4xf32>
  %3 = pocket.log %c : tensor<4xf32>
  %4 = pocket.log1p %c : tensor<4xf32>
  %5 = pocket.sqrt %c : tensor<4xf32>
  %6 = pocket.rsqrt %c : tensor<4xf32>
  %7 = pocket.reciprocal %c : tensor<4xf32>
  %8 = pocket.tanh %c : tensor<4xf32>
  %9 = pocket.sigmoid %c : tensor<4xf32>
  %10 = pocket.erf %c : tensor<4xf32>
  %11 = pocket.sin %c : tensor<4xf32>
  %12 = pocket.cos %c : tensor<4xf32>
  %13 = pocket.round %c : tensor<4xf32>
  %14 = pocket.leaky_relu %c slope = 0.1 : tensor<4xf32>
  %15 = pocket.elu %c alpha = 1.0 : tensor<4xf32>
  %16 = pocket.hardtanh %c min = 0.0 max = 6.0 : tensor<4xf32>
  %17 = pocket.clamp %c min = 0.0 max = 6.0 : tensor<4xf32>
  %18 = pocket.hardsigmoid %c : tensor<4xf32>
  %19 = pocket.hardswish %c : tensor<4xf32>
  %20 = pocket.silu %c : tensor<4xf32>
  %21 = pocket.gelu %c : tensor<4xf32>
  %22 = pocket.softplus %c : tensor<4xf32>
  %23 = pocket.pow %c, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %24 = pocket.maximum %c, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %25 = pocket.minimum %c, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25
    : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
      tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
      tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Reads by index and their gradients: the index of the largest element, rows of a table,
// elements along a dimension, a slice put back among zeros.
// CHECK-LABEL: @indexed
// CHECK: pocket.argmax %{{.*}} dim = 1
// CHECK: pocket.slice_grad %{{.*}} offsets = [0, 0] strides = [1, 1]
// CHECK: pocket.embedding %{{.*}}, %{{.*}} :
// CHECK: pocket.embedding_grad
// CHECK: pocket.gather %{{.*}} dim = 0
// CHECK: pocket.gather_grad %{{.*}} dim = 0
func.func @indexed(%i: tensor<2x3xi64>, %x: tensor<2x3xf32>) -> (tensor<2xi64>, tensor<2x3xf32>, tensor<2x3x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %c = pocket.constant dense<2.0> : tensor<2x3xf32>
  %r = pocket.constant dense<2.0> : tensor<2x3x3xf32>
  %0 = pocket.argmax %c dim = 1 : (tensor<2x3xf32>) -> tensor<2xi64>
  %1 = pocket.slice_grad %x offsets = [0, 0] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = pocket.embedding %c, %i : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x3x3xf32>
  %3 = pocket.embedding_grad %r, %i : (tensor<2x3x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  %4 = pocket.gather %c, %i dim = 0 : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  %5 = pocket.gather_grad %c, %i dim = 0 : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2xi64>, tensor<2x3xf32>, tensor<2x3x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// A convolution with one tap, a pool of one: they stay what they are, and so do their
// gradients. A result that is not read does not change an op.
// CHECK-LABEL: @images
// CHECK: pocket.conv2d %{{.*}} bias
// CHECK: pocket.conv2d_input_grad
// CHECK: pocket.conv2d_weight_grad
// CHECK: %{{.*}}, %{{.*}} = pocket.max_pool2d
// CHECK: pocket.max_pool2d_grad
// CHECK: pocket.avg_pool2d
// CHECK: pocket.avg_pool2d_grad
func.func @images(%x: tensor<1x1x3x3xf32>, %w: tensor<1x1x1x1xf32>, %i: tensor<1x1x3x3xi8>)
    -> (tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>) {
  %b = pocket.constant dense<0.0> : tensor<1xf32>
  %0 = pocket.conv2d %x, %w bias %b : (tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1xf32>) -> tensor<1x1x3x3xf32>
  %1 = pocket.conv2d_input_grad %x, %w : (tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x3x3xf32>
  %2 = pocket.conv2d_weight_grad %x, %x : (tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x1x1xf32>
  %3, %j = pocket.max_pool2d %x kernel = [1, 1] strides = [1, 1] : (tensor<1x1x3x3xf32>) -> (tensor<1x1x3x3xf32>, tensor<1x1x3x3xi8>)
  %4 = pocket.max_pool2d_grad %x, %i kernel = [1, 1] strides = [1, 1] : (tensor<1x1x3x3xf32>, tensor<1x1x3x3xi8>) -> tensor<1x1x3x3xf32>
  %5 = pocket.avg_pool2d %x kernel = [1, 1] strides = [1, 1] : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
  %6 = pocket.avg_pool2d_grad %x kernel = [1, 1] strides = [1, 1] : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>, tensor<1x1x3x3xf32>
}

// Norms with a scale of one and a bias of zero keep both: they are usually parameters,
// and what they are now is not what they will be.
// CHECK-LABEL: @norms
// CHECK: pocket.batch_norm_inference {{.*}} scale %{{.*}} bias %{{.*}} epsilon
// CHECK: pocket.batch_norm_training {{.*}} scale %{{.*}} bias %{{.*}} epsilon
// CHECK: pocket.batch_norm_reduce_grad
// CHECK: pocket.layer_norm {{.*}} scale %{{.*}} bias %{{.*}} axis = 1
// CHECK: pocket.layer_norm_input_grad {{.*}} scale %{{.*}} axis = 1
func.func @norms(%x: tensor<2x3xf32>, %m: tensor<3xf32>, %s: tensor<2xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %one = pocket.constant dense<1.0> : tensor<3xf32>
  %zero = pocket.constant dense<0.0> : tensor<3xf32>
  %0 = pocket.batch_norm_inference %x mean %zero variance %one scale %one bias %zero epsilon = 0.0
      : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1, %2, %3 = pocket.batch_norm_training %x scale %one bias %zero epsilon = 1.0e-5
      : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %4, %5 = pocket.batch_norm_reduce_grad %x, %x mean %m : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %6, %7, %8 = pocket.layer_norm %x scale %one bias %zero axis = 1 epsilon = 1.0e-5
      : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  %9 = pocket.layer_norm_input_grad %x, %x mean %s rstd %s scale %one axis = 1
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0, %1, %5, %6, %9 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// Along a dimension of one a softmax is 1, but for a NaN or an infinity: it stays.
// Attention with a scale of 1 and a loss of one class, too.
// CHECK-LABEL: @probabilities
// CHECK: pocket.softmax %{{.*}} dim = 1
// CHECK: pocket.softmax_grad
// CHECK: pocket.log_softmax
// CHECK: pocket.log_softmax_grad
// CHECK: pocket.attention {{.*}} scale = 1.000000e+00
// CHECK: pocket.cross_entropy
// CHECK: pocket.cross_entropy_grad
func.func @probabilities(%x: tensor<2x1xf32>, %q: tensor<1x1x2x3xf32>, %t: tensor<2xi64>, %d: tensor<f32>, %l: tensor<2xf32>)
    -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x1x2x3xf32>, tensor<f32>, tensor<2x1xf32>) {
  %0 = pocket.softmax %x dim = 1 : tensor<2x1xf32>
  %1 = pocket.softmax_grad %x, %x dim = 1 : tensor<2x1xf32>
  %2 = pocket.log_softmax %x dim = 1 : tensor<2x1xf32>
  %3 = pocket.log_softmax_grad %x, %x dim = 1 : tensor<2x1xf32>
  %4, %5 = pocket.attention %q, %q, %q scale = 1.0 : (tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x1x2x3xf32>, tensor<1x1x2x2xf32>)
  %6, %7 = pocket.cross_entropy %x, %t : (tensor<2x1xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
  %8 = pocket.cross_entropy_grad %d, %x, %t, %l : (tensor<f32>, tensor<2x1xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2x1xf32>
  return %0, %1, %2, %3, %4, %6, %8 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x1x2x3xf32>, tensor<f32>, tensor<2x1xf32>
}

// An update stays one even if the value does not change: it says what is overwritten.
// CHECK-LABEL: @updates
// CHECK: pocket.assign %arg0 with %arg0
// CHECK: pocket.sgd %arg0, %{{.*}} learning_rate %{{.*}} :
// CHECK: pocket.adamw %arg0,
func.func @updates(%w: tensor<3xf32>, %m: tensor<3xf32>, %lr: tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %zero = pocket.constant dense<0.0> : tensor<3xf32>
  %none = pocket.constant dense<0.0> : tensor<f32>
  %0 = pocket.assign %w with %w : tensor<3xf32>
  %1 = pocket.sgd %w, %zero learning_rate %none : (tensor<3xf32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %2, %3, %4 = pocket.adamw %w, %zero exp_avg %m exp_avg_sq %m learning_rate %none step %lr beta1 = 0.9 beta2 = 0.999 epsilon = 1.0e-8 weight_decay = 0.0
      : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Every reduction over dimensions of one is a reshape, and over none its operand.
// CHECK-LABEL: @reductions
// CHECK-SAME: %[[X:.*]]: tensor<2x1xf32>
// CHECK-NEXT: %[[R:.*]] = pocket.reshape %[[X]] : (tensor<2x1xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[S:.*]] = pocket.reshape %[[X]] : (tensor<2x1xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %[[R]], %[[S]], %[[X]], %[[X]]
func.func @reductions(%x: tensor<2x1xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %0 = pocket.mean %x dims = [1] : (tensor<2x1xf32>) -> tensor<2xf32>
  %1 = pocket.reduce_min %x dims = [1] : (tensor<2x1xf32>) -> tensor<2xf32>
  %2 = pocket.reduce_min %x dims = [] : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %3 = pocket.reduce_max %x dims = [1] keepdims : (tensor<2x1xf32>) -> tensor<2x1xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}
