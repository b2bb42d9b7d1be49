// RUN: pocket-opt %s --pocket-to-linalg | FileCheck %s

// An op without an element to compute is an empty tensor; the usual forms would
// divide by its sizes.

// CHECK-LABEL: func.func @table_without_rows
func.func @table_without_rows(%w: tensor<0x4xf32>, %i: tensor<0xi64>) -> (tensor<0x4xf32>, tensor<0x4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = tensor.empty() : tensor<0x4xf32>
  // CHECK-NEXT: %[[B:.*]] = tensor.empty() : tensor<0x4xf32>
  // CHECK-NEXT: return %[[A]], %[[B]]
  %0 = pocket.embedding %w, %i : (tensor<0x4xf32>, tensor<0xi64>) -> tensor<0x4xf32>
  %1 = pocket.embedding_grad %w, %i : (tensor<0x4xf32>, tensor<0xi64>) -> tensor<0x4xf32>
  return %0, %1 : tensor<0x4xf32>, tensor<0x4xf32>
}

// CHECK-LABEL: func.func @batch_without_samples
func.func @batch_without_samples(%x: tensor<0x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) -> tensor<0x6x6x16xf32> {
  // CHECK-NEXT: %[[Y:.*]] = tensor.empty() : tensor<0x6x6x16xf32>
  // CHECK-NEXT: return %[[Y]]
  %0 = pocket.conv2d %x, %w layout = nhwc : (tensor<0x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<0x6x6x16xf32>
  return %0 : tensor<0x6x6x16xf32>
}

// A sum of nothing is a zero: not empty.
// CHECK-LABEL: func.func @sum_of_nothing
func.func @sum_of_nothing(%x: tensor<0x4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.fill
  %0 = pocket.sum %x dims = [0] : (tensor<0x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
