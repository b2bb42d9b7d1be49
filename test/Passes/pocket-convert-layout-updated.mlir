// RUN: pocket-opt %s --pocket-forward-pipeline --pocket-verify-inplace | FileCheck %s

// A filter that the function overwrites keeps its order: its new value has it too,
// and is written in place.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[B:[^:]*]]: tensor<8x4x3x3xf32> {pocket.buffer = "b"}
func.func @forward(%x: tensor<2x4x8x8xf32>, %b: tensor<8x4x3x3xf32> {pocket.buffer = "b"}, %new: tensor<8x4x3x3xf32>)
    -> (tensor<2x8x6x6xf32>, tensor<8x4x3x3xf32> {pocket.buffer = "b"}) {
  // CHECK: %[[R:.*]] = pocket.assign %[[B]] with
  // CHECK: return %{{.*}}, %[[R]] :
  %0 = pocket.conv2d %x, %b : (tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x6x6xf32>
  %1 = pocket.assign %b with %new : tensor<8x4x3x3xf32>
  return %0, %1 : tensor<2x8x6x6xf32>, tensor<8x4x3x3xf32>
}
