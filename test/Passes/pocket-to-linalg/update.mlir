// RUN: pocket-opt %s --pocket-to-linalg --canonicalize | FileCheck %s

// One pass writes the parameter and its buffer.
// CHECK-LABEL: func.func @sgd
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK-SAME: ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<4x8xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @sgd(%p: tensor<4x8xf32>, %g: tensor<4x8xf32>, %lr: tensor<f32>, %m: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0, %1 = pocket.sgd %p, %g learning_rate %lr momentum_buffer %m momentum = 0.9 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// 1 - beta^step as -expm1(step log(beta)), once, with log(beta) from here:
// log(0.999) is -1.0005e-3.
// CHECK-LABEL: func.func @adamw
// CHECK: %[[LOG:.*]] = arith.constant -0.00100050028 : f32
// CHECK: %[[S:.*]]:2 = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<f32>, tensor<f32>)
// CHECK: arith.mulf %{{.*}}, %[[LOG]]
// CHECK-NEXT: math.expm1
// CHECK: linalg.generic {{.*}} ins({{.*}}%[[S]]#0, %[[S]]#1
// CHECK-NOT: math.expm1
// CHECK: math.sqrt
func.func @adamw(%p: tensor<64xf32>, %g: tensor<64xf32>, %m: tensor<64xf32>, %v: tensor<64xf32>, %lr: tensor<f32>, %t: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0, %1, %2 = pocket.adamw %p, %g exp_avg %m exp_avg_sq %v learning_rate %lr step %t beta1 = 0.9 beta2 = 0.999 epsilon = 1.0e-8 weight_decay = 0.0 : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
  return %0, %1, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// CHECK-LABEL: func.func @assign
// CHECK-SAME: (%{{.*}}: tensor<2xf32>, %[[NEW:.*]]: tensor<2xf32>)
// CHECK-NEXT: return %[[NEW]]
func.func @assign(%old: tensor<2xf32>, %new: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pocket.assign %old with %new : tensor<2xf32>
  return %0 : tensor<2xf32>
}
