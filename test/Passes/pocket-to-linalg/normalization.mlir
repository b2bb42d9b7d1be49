// RUN: pocket-opt %s --pocket-to-linalg --canonicalize | FileCheck %s

// Two sums in one pass, and no `sum + a * b`: the code generator would take it
// for a matrix product.
// CHECK-LABEL: func.func @batch_norm_reduce_grad
// CHECK: %[[SUMS:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK-SAME: pocket.tiles
// CHECK: ^bb0(%[[DY:.*]]: f32, %[[X:.*]]: f32, %[[M:.*]]: f32, %[[S0:.*]]: f32, %[[S1:.*]]: f32):
// CHECK: %[[D:.*]] = arith.subf %[[X]], %[[M]]
// CHECK: %[[P:.*]] = arith.mulf %[[DY]], %[[D]]
// CHECK: %[[T:.*]] = arith.addf %[[P]], %cst
// CHECK-DAG: arith.addf %[[S0]], %[[DY]]
// CHECK-DAG: arith.addf %[[S1]], %[[T]]
func.func @batch_norm_reduce_grad(%dy: tensor<2x8x8x64xf32>, %x: tensor<2x8x8x64xf32>, %m: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0, %1 = pocket.batch_norm_reduce_grad %dy, %x mean %m channel_dim = 3 : (tensor<2x8x8x64xf32>, tensor<2x8x8x64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// Two passes: the mean, then squares of what is left.
// CHECK-LABEL: func.func @layer_norm
// CHECK: arith.addf
// CHECK: %[[Q:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK: arith.subf
// CHECK: math.absf
// CHECK: math.sqrt
func.func @layer_norm(%x: tensor<4x6x32xf32>, %g: tensor<32xf32>, %b: tensor<32xf32>) -> (tensor<4x6x32xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0, %1, %2 = pocket.layer_norm %x scale %g bias %b axis = 2 epsilon = 1.0e-5 : (tensor<4x6x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<4x6x32xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
  return %0, %1, %2 : tensor<4x6x32xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// Statistics and scale meet per channel; the tensor sees one factor.
// CHECK-LABEL: func.func @batch_norm_inference
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]}
// CHECK: math.sqrt
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK: arith.subf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NOT: math.sqrt
func.func @batch_norm_inference(%x: tensor<2x3x4x4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %g: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3x4x4xf32> {
  %0 = pocket.batch_norm_inference %x mean %m variance %v scale %g bias %b epsilon = 1.0e-5 : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
  return %0 : tensor<2x3x4x4xf32>
}
