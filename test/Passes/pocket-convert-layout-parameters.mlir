// RUN: pocket-opt %s --split-input-file --pocket-convert-layout --canonicalize | FileCheck %s

// A parameter has one storage in all functions: where one reads it as a filter, the
// others see it in that order, and turn it back if they read it otherwise.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %[[W:[^:]*]]: tensor<3x3x4x8xf32> {pocket.layout = array<i64: 2, 3, 1, 0>, pocket.param = "w"}
// CHECK-NOT: pocket.transpose %[[W]]
// CHECK: pocket.conv2d %{{.*}}, %[[W]] layout = nhwc
func.func @forward(%x: tensor<2x4x8x8xf32>, %w: tensor<8x4x3x3xf32> {pocket.param = "w"}) -> tensor<2x8x6x6xf32> {
  %0 = pocket.conv2d %x, %w : (tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x6x6xf32>
  return %0 : tensor<2x8x6x6xf32>
}
// CHECK-LABEL: func.func @norm(
// CHECK-SAME: %[[W:[^:]*]]: tensor<3x3x4x8xf32> {pocket.layout = array<i64: 2, 3, 1, 0>, pocket.param = "w"}
// CHECK: %[[OLD:.*]] = pocket.transpose %[[W]] permutation = [3, 2, 0, 1] : (tensor<3x3x4x8xf32>) -> tensor<8x4x3x3xf32>
// CHECK: pocket.mul %[[OLD]], %[[OLD]]
// CHECK: pocket.reshape %[[OLD]]
func.func @norm(%w: tensor<8x4x3x3xf32> {pocket.param = "w"}) -> (tensor<8x4x3x3xf32>, tensor<8x36xf32>) {
  %0 = pocket.mul %w, %w : (tensor<8x4x3x3xf32>, tensor<8x4x3x3xf32>) -> tensor<8x4x3x3xf32>
  %1 = pocket.reshape %w : (tensor<8x4x3x3xf32>) -> tensor<8x36xf32>
  return %0, %1 : tensor<8x4x3x3xf32>, tensor<8x36xf32>
}

// -----

// Two convolutions with one filter read the same storage.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[W:[^:]*]]: tensor<3x3x4x4xf32> {pocket.layout
// CHECK: %[[Y:.*]] = pocket.conv2d %{{.*}}, %[[W]] padding
// CHECK: pocket.conv2d %[[Y]], %[[W]] padding
func.func @shared(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xf32> {pocket.param = "w"}) -> tensor<2x4x8x8xf32> {
  %0 = pocket.conv2d %x, %w padding = [1, 1, 1, 1] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x8xf32>
  %1 = pocket.conv2d %0, %w padding = [1, 1, 1, 1] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x8xf32>
  return %1 : tensor<2x4x8x8xf32>
}

// -----

// What the session does not store, an input or a computed filter, is transposed in the
// program. So is a parameter whose storage is settled already.
// CHECK-LABEL: func.func @not_stored(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x4x8x8xf32> {pocket.name = "x", pocket.role = "input"}
// CHECK-SAME: %[[F:[^:]*]]: tensor<8x4x3x3xf32> {pocket.name = "f", pocket.role = "input"}
// CHECK-SAME: %[[W:[^:]*]]: tensor<8x4x3x3xf32> {pocket.param = "w"}
// CHECK-SAME: %[[V:[^:]*]]: tensor<8x4x3x3xf32> {pocket.layout = array<i64: 0, 1, 2, 3>, pocket.param = "v"}
// CHECK-DAG: %[[F2:.*]] = pocket.transpose %[[F]] permutation = [2, 3, 1, 0]
// CHECK-DAG: pocket.conv2d %{{.*}}, %[[F2]]
// CHECK-DAG: %[[COMPUTED:.*]] = pocket.tanh %[[W]]
// CHECK-DAG: %[[W2:.*]] = pocket.transpose %[[COMPUTED]] permutation = [2, 3, 1, 0]
// CHECK-DAG: pocket.conv2d %{{.*}}, %[[W2]]
// CHECK-DAG: %[[V2:.*]] = pocket.transpose %[[V]] permutation = [2, 3, 1, 0]
// CHECK-DAG: pocket.conv2d %{{.*}}, %[[V2]]
// CHECK: return
func.func @not_stored(%x: tensor<2x4x8x8xf32> {pocket.role = "input", pocket.name = "x"}, %f: tensor<8x4x3x3xf32> {pocket.role = "input", pocket.name = "f"},
                      %w: tensor<8x4x3x3xf32> {pocket.param = "w"}, %v: tensor<8x4x3x3xf32> {pocket.param = "v", pocket.layout = array<i64: 0, 1, 2, 3>})
    -> (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) {
  %0 = pocket.conv2d %x, %f : (tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x6x6xf32>
  %1 = pocket.tanh %w : tensor<8x4x3x3xf32>
  %2 = pocket.conv2d %x, %1 : (tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x6x6xf32>
  %3 = pocket.conv2d %x, %v : (tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x6x6xf32>
  return %0, %2, %3 : tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>
}

// -----

// A buffer that is read as a filter and gets a new value keeps its order.
// CHECK-LABEL: func.func @buffer(
// CHECK-SAME: %[[B:[^:]*]]: tensor<8x4x3x3xf32> {pocket.buffer = "b"}
// CHECK-SAME: -> (tensor<2x8x6x6xf32>, tensor<8x4x3x3xf32> {pocket.buffer = "b"})
// CHECK: pocket.transpose %[[B]] permutation = [2, 3, 1, 0]
// CHECK: return %{{.*}}, %arg2
func.func @buffer(%x: tensor<2x4x8x8xf32>, %b: tensor<8x4x3x3xf32> {pocket.buffer = "b"}, %new: tensor<8x4x3x3xf32>)
    -> (tensor<2x8x6x6xf32>, tensor<8x4x3x3xf32> {pocket.buffer = "b"}) {
  %0 = pocket.conv2d %x, %b : (tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x6x6xf32>
  return %0, %new : tensor<2x8x6x6xf32>, tensor<8x4x3x3xf32>
}

// -----

// A depthwise filter: its dimension of one is a dimension all the same.
// CHECK-LABEL: func.func @depthwise(
// CHECK-SAME: tensor<3x3x1x8xf32> {pocket.layout = array<i64: 2, 3, 1, 0>, pocket.param = "w"}
// CHECK: pocket.conv2d %{{.*}}, %arg1 groups = 8 layout = nhwc : (tensor<2x6x6x8xf32>, tensor<3x3x1x8xf32>) -> tensor<2x4x4x8xf32>
func.func @depthwise(%x: tensor<2x8x6x6xf32>, %w: tensor<8x1x3x3xf32> {pocket.param = "w"}) -> tensor<2x8x4x4xf32> {
  %0 = pocket.conv2d %x, %w groups = 8 : (tensor<2x8x6x6xf32>, tensor<8x1x3x3xf32>) -> tensor<2x8x4x4xf32>
  return %0 : tensor<2x8x4x4xf32>
}
