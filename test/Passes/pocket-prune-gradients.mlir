// RUN: pocket-opt %s --pocket-autodiff --pocket-prune-gradients | FileCheck %s
// RUN: pocket-opt %s --pocket-autodiff --pocket-prune-gradients | FileCheck %s --check-prefix=WHOLE

// Input channels of a linear layer: the product takes three channels of x, once.
// CHECK-LABEL: func.func @train_step
// CHECK-SAME: %[[X:[^:]*]]: tensor<32x8xf32> {pocket.name = "x"
// CHECK: %[[S:.*]] = pocket.take_channels %[[X]] <dim = 1, [0 to 2], [5 to 6]> : (tensor<32x8xf32>) -> tensor<32x3xf32>
// CHECK-NEXT: %[[DW:.*]] = pocket.matmul %{{.*}} transposed, %[[S]] : (tensor<32x16xf32>, tensor<32x3xf32>) -> tensor<16x3xf32>
// CHECK-NOT: pocket.take_channels
// CHECK: return %{{.*}}, %[[DW]], %{{.*}} : tensor<f32>, tensor<16x3xf32>, tensor<4x16xf32>
// The gradient for the whole of it is not there.
// WHOLE-LABEL: func.func @train_step
// WHOLE-NOT: -> tensor<16x8xf32>
// WHOLE: return
func.func @forward(%w0: tensor<16x8xf32> {pocket.param = "a", pocket.needs_grad = #pocket.channels<dim = 1, [0 to 2], [5 to 6]>},
    %w1: tensor<4x16xf32> {pocket.param = "b", pocket.needs_grad = true},
    %x: tensor<32x8xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.matmul %x, %w0 transposed : (tensor<32x8xf32>, tensor<16x8xf32>) -> tensor<32x16xf32>
  %1 = pocket.relu %0 : tensor<32x16xf32>
  %2 = pocket.matmul %1, %w1 transposed : (tensor<32x16xf32>, tensor<4x16xf32>) -> tensor<32x4xf32>
  %3 = pocket.sum %2 dims = [0, 1] : (tensor<32x4xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}
