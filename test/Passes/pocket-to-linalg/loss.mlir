// RUN: pocket-opt %s --pocket-to-linalg --canonicalize | FileCheck %s

// The label's logit is read by index; ignored rows (class -1) count for nothing.
// CHECK-LABEL: func.func @cross_entropy
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: math.log
// CHECK: arith.cmpi ne, %{{.*}}, %c-100_i64
// CHECK: tensor.extract
// CHECK: arith.select
// CHECK: arith.divf
func.func @cross_entropy(%x: tensor<8x10xf32>, %t: tensor<8xi64>) -> (tensor<f32>, tensor<8xf32>) {
  %0, %1 = pocket.cross_entropy %x, %t : (tensor<8x10xf32>, tensor<8xi64>) -> (tensor<f32>, tensor<8xf32>)
  return %0, %1 : tensor<f32>, tensor<8xf32>
}

// One pass over the logits; the one-hot target is a comparison.
// CHECK-LABEL: func.func @cross_entropy_grad
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: %[[C:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: %[[HOT:.*]] = arith.cmpi eq, %[[C]], %{{.*}} : i32
// CHECK: arith.select %[[HOT]]
// CHECK: math.exp
func.func @cross_entropy_grad(%d: tensor<f32>, %x: tensor<8x10xf32>, %t: tensor<8xi64>, %lse: tensor<8xf32>) -> tensor<8x10xf32> {
  %0 = pocket.cross_entropy_grad %d, %x, %t, %lse label_smoothing = 1.0e-01 : (tensor<f32>, tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> tensor<8x10xf32>
  return %0 : tensor<8x10xf32>
}
