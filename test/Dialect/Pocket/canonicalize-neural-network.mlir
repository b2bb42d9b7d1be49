// RUN: pocket-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @transposes_of_factors
// CHECK-SAME: %[[A:.*]]: tensor<5x4x3xf32>, %[[B:.*]]: tensor<5x6x4xf32>
func.func @transposes_of_factors(%a: tensor<5x4x3xf32>, %b: tensor<5x6x4xf32>) -> tensor<5x3x6xf32> {
  // CHECK-NEXT: pocket.matmul %[[A]] transposed, %[[B]] transposed : (tensor<5x4x3xf32>, tensor<5x6x4xf32>) -> tensor<5x3x6xf32>
  %0 = pocket.transpose %a permutation = [0, 2, 1] : (tensor<5x4x3xf32>) -> tensor<5x3x4xf32>
  %1 = pocket.transpose %b permutation = [0, 2, 1] : (tensor<5x6x4xf32>) -> tensor<5x4x6xf32>
  %2 = pocket.matmul %0, %1 : (tensor<5x3x4xf32>, tensor<5x4x6xf32>) -> tensor<5x3x6xf32>
  return %2 : tensor<5x3x6xf32>
}

// CHECK-LABEL: @transpose_of_transposed
func.func @transpose_of_transposed(%a: tensor<4x3xf32>, %b: tensor<3x6xf32>) -> tensor<4x6xf32> {
  // CHECK-NEXT: pocket.matmul %{{.*}}, %{{.*}} : (tensor<4x3xf32>, tensor<3x6xf32>)
  %0 = pocket.transpose %a permutation = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %1 = pocket.matmul %0 transposed, %b : (tensor<3x4xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// Moving a leading dimension is no transpose of matrices.
// CHECK-LABEL: @other_transposes
func.func @other_transposes(%a: tensor<3x5x4xf32>, %b: tensor<5x4x6xf32>) -> tensor<5x3x6xf32> {
  // CHECK: pocket.transpose
  // CHECK: pocket.matmul
  %0 = pocket.transpose %a permutation = [1, 0, 2] : (tensor<3x5x4xf32>) -> tensor<5x3x4xf32>
  %1 = pocket.matmul %0, %b : (tensor<5x3x4xf32>, tensor<5x4x6xf32>) -> tensor<5x3x6xf32>
  return %1 : tensor<5x3x6xf32>
}
