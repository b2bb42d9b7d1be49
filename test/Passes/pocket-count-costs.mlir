// RUN: pocket-opt %s --split-input-file --pocket-autodiff --pocket-count-costs | FileCheck %s

// y = x w^T: 2 * 8 * 4 * 16 operations; the sum has 32 elements. Backward: the cotangent
// of the sum is moved, none; the weight's gradient is 2 * 4 * 16 * 8. The input is there
// anyhow: nothing is kept.
// CHECK: pocket.costs = {"<model>" = {forward_flops = 1056 : i64, gradient_flops = 1024 : i64, saved_bytes = 0 : i64}}
func.func @forward(%w: tensor<4x16xf32> {pocket.param = "w", pocket.needs_grad = true},
    %x: tensor<8x16xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.matmul %x, %w transposed : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
  %1 = pocket.sum %0 dims = [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// By layer. Forward: "conv" 2 * (2 * 8 * 4 * 4) * (4 * 3 * 3) = 18432, its square and its sum
// 256 each. Backward: the weight's gradient as much as the convolution; the square keeps its
// input, 1024 bytes, and computes two products and their sum, 256 each.
// CHECK: pocket.costs =
// CHECK-SAME: conv = {forward_flops = 18432 : i64, gradient_flops = 18432 : i64, saved_bytes = 0 : i64}
// CHECK-SAME: square = {forward_flops = 256 : i64, gradient_flops = 768 : i64, saved_bytes = 1024 : i64}
// CHECK-SAME: total = {forward_flops = 256 : i64, gradient_flops = 0 : i64, saved_bytes = 0 : i64}
func.func @forward(%w: tensor<8x4x3x3xf32> {pocket.param = "w", pocket.needs_grad = true},
    %x: tensor<2x4x6x6xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.conv2d %x, %w : (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x4x4xf32> loc("conv")
  %1 = pocket.mul %0, %0 : (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32> loc("square")
  %2 = pocket.sum %1 dims = [0, 1, 2, 3] : (tensor<2x8x4x4xf32>) -> tensor<f32> loc("total")
  return %2 : tensor<f32>
}

// -----

// A depthwise convolution has one channel's taps: 2 * (8 * 4 * 4) * 9; channels-last, where the
// filter's last dimension is the result's.
// CHECK: conv = {forward_flops = 2304 : i64, gradient_flops = 2304 : i64
func.func @forward(%w: tensor<3x3x1x8xf32> {pocket.param = "w", pocket.needs_grad = true},
    %x: tensor<1x6x6x8xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.conv2d %x, %w groups = 8 layout = nhwc : (tensor<1x6x6x8xf32>, tensor<3x3x1x8xf32>) -> tensor<1x4x4x8xf32> loc("conv")
  %1 = pocket.sum %0 dims = [0, 1, 2, 3] : (tensor<1x4x4x8xf32>) -> tensor<f32> loc("total")
  return %1 : tensor<f32>
}
