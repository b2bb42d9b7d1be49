// RUN: pocket-opt %s --pocket-to-linalg --canonicalize | FileCheck %s

// Each group gathers its taps from the whole filter: from a slice of one output
// channel, IREE fails on that.
// CHECK-LABEL: func.func @grouped_input_grad
// CHECK-SAME: %[[DY:.*]]: tensor<1x7x7x3xf32>, %[[W:.*]]: tensor<3x3x2x3xf32>
// CHECK-NOT: tensor.extract_slice %[[W]]
// CHECK: tensor.extract %[[W]][%{{.*}}, %{{.*}}, %{{.*}}, %c0]
// CHECK-NOT: tensor.extract_slice %[[W]]
// CHECK: tensor.extract %[[W]][%{{.*}}, %{{.*}}, %{{.*}}, %c1]
// CHECK-NOT: tensor.extract_slice %[[W]]
// CHECK: tensor.extract %[[W]][%{{.*}}, %{{.*}}, %{{.*}}, %c2]
// CHECK-NOT: tensor.extract_slice %[[W]]
// CHECK: return
func.func @grouped_input_grad(%dy: tensor<1x7x7x3xf32>, %w: tensor<3x3x2x3xf32>) -> tensor<1x7x7x6xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w padding = [1, 1, 1, 1] groups = 3 layout = nhwc : (tensor<1x7x7x3xf32>, tensor<3x3x2x3xf32>) -> tensor<1x7x7x6xf32>
  return %0 : tensor<1x7x7x6xf32>
}

// Products read their group's slice.
// CHECK-LABEL: func.func @pointwise_input_grad
// CHECK-SAME: %[[DY:.*]]: tensor<1x7x7x4xf32>, %[[W:.*]]: tensor<1x1x3x4xf32>
// CHECK: tensor.extract_slice %[[W]][0, 0, 0, 0] [1, 1, 3, 2]
// CHECK: tensor.extract_slice %[[W]][0, 0, 0, 2] [1, 1, 3, 2]
func.func @pointwise_input_grad(%dy: tensor<1x7x7x4xf32>, %w: tensor<1x1x3x4xf32>) -> tensor<1x7x7x6xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w groups = 2 layout = nhwc : (tensor<1x7x7x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x7x7x6xf32>
  return %0 : tensor<1x7x7x6xf32>
}
