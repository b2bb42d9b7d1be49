// RUN: pocket-opt %s --pocket-to-linalg --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK: arith.maximumf
// CHECK: arith.subf
// CHECK-NEXT: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
func.func @softmax(%x: tensor<2x8x128xf32>) -> tensor<2x8x128xf32> {
  %0 = pocket.softmax %x dim = 2 : tensor<2x8x128xf32>
  return %0 : tensor<2x8x128xf32>
}

// Along the first dimension: columns.
// CHECK-LABEL: func.func @log_softmax
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: math.log
func.func @log_softmax(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pocket.log_softmax %x dim = 0 : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @softmax_grad
// CHECK: %[[P:.*]] = arith.mulf
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[P]], %cst
// CHECK-NEXT: arith.addf %{{.*}}, %[[T]]
func.func @softmax_grad(%g: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pocket.softmax_grad %g, %y dim = 1 : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
