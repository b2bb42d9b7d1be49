// RUN: pocket-opt %s --split-input-file --pocket-autodiff --pocket-prune-gradients | FileCheck %s

// Input channels: of the input only these are read.
// CHECK-LABEL: func.func @train_step
// CHECK: %[[S:.*]] = pocket.take_channels %arg1 <dim = 1, [1 to 3]> : (tensor<2x4x6x6xf32>) -> tensor<2x2x6x6xf32>
// CHECK: %[[DW:.*]] = pocket.conv2d_weight_grad %[[S]], %{{.*}} -> tensor<8x2x3x3xf32>
// CHECK: return %{{.*}}, %[[DW]]
func.func @forward(%w: tensor<8x4x3x3xf32> {pocket.param = "w", pocket.needs_grad = #pocket.channels<dim = 1, [1 to 3]>},
    %x: tensor<2x4x6x6xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.conv2d %x, %w : (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x4x4xf32>
  %1 = pocket.mul %0, %0 : (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %2 = pocket.sum %1 dims = [0, 1, 2, 3] : (tensor<2x8x4x4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Output channels: of the result's gradient only these are read.
// CHECK-LABEL: func.func @train_step
// CHECK: pocket.take_channels %{{.*}} <dim = 1, [0 to 1], [7 to 8]>
// CHECK: %[[DW:.*]] = pocket.conv2d_weight_grad {{.*}} -> tensor<2x4x3x3xf32>
// CHECK: return %{{.*}}, %[[DW]]
func.func @forward(%w: tensor<8x4x3x3xf32> {pocket.param = "w", pocket.needs_grad = #pocket.channels<dim = 0, [0 to 1], [7 to 8]>},
    %x: tensor<2x4x6x6xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.conv2d %x, %w : (tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x4x4xf32>
  %1 = pocket.mul %0, %0 : (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %2 = pocket.sum %1 dims = [0, 1, 2, 3] : (tensor<2x8x4x4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Two groups are no depthwise convolution: the whole gradient is computed, then cut.
// CHECK-LABEL: func.func @train_step
// CHECK: %[[W:.*]] = pocket.conv2d_weight_grad {{.*}} -> tensor<8x2x3x3xf32>
// CHECK: %[[DW:.*]] = pocket.take_channels %[[W]] <dim = 0, [0 to 2]> : (tensor<8x2x3x3xf32>) -> tensor<2x2x3x3xf32>
// CHECK: return %{{.*}}, %[[DW]]
func.func @forward(%w: tensor<8x2x3x3xf32> {pocket.param = "w", pocket.needs_grad = #pocket.channels<dim = 0, [0 to 2]>},
    %x: tensor<2x4x6x6xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.conv2d %x, %w groups = 2 : (tensor<2x4x6x6xf32>, tensor<8x2x3x3xf32>) -> tensor<2x8x4x4xf32>
  %1 = pocket.mul %0, %0 : (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %2 = pocket.sum %1 dims = [0, 1, 2, 3] : (tensor<2x8x4x4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
