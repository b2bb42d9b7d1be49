// Where there is nothing to export, nothing of IREE's is made and none need be allowed.
// RUN: pocket-opt %s --pocket-export-tiles | FileCheck %s

// CHECK: linalg.copy ins
// CHECK-NOT: compilation_info
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.copy ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
