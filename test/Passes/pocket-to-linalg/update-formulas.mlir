// RUN: pocket-opt %s --pocket-to-linalg --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[SCALAR:.*]] = affine_map<(d0) -> ()>

// Weight decay is added to the gradient; the learning rate is read once for each element,
// from a tensor of rank 0.
// CHECK-LABEL: func.func @weight_decay(
// CHECK: %[[DECAY:.*]] = arith.constant 2.500000e-01 : f32
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ID]], #[[SCALAR]], #[[ID]]], iterator_types = ["parallel"]} ins(%arg0, %arg1, %arg2 :
// CHECK-NEXT: ^bb0(%[[P:.*]]: f32, %[[G:.*]]: f32, %[[LR:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[D:.*]] = arith.mulf %[[P]], %[[DECAY]]
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[G]], %[[D]]
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[LR]], %[[T]]
// CHECK-NEXT: arith.subf %[[P]], %[[S]]
func.func @weight_decay(%p: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> tensor<4xf32> {
  %0 = pocket.sgd %p, %g learning_rate %lr weight_decay = 0.25 : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// m = momentum m + g; the parameter moves by m, with Nesterov by g + momentum m.
// CHECK-LABEL: func.func @momentum(
// CHECK: %[[MU:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ID]], #[[SCALAR]], #[[ID]], #[[ID]], #[[ID]]], {{.*}} ins(%arg0, %arg1, %arg2, %arg3 :
// CHECK-NEXT: ^bb0(%[[P:.*]]: f32, %[[G:.*]]: f32, %[[LR:.*]]: f32, %[[M:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[OLD:.*]] = arith.mulf %[[M]], %[[MU]]
// CHECK-NEXT: %[[NEW:.*]] = arith.addf %[[OLD]], %[[G]]
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[LR]], %[[NEW]]
// CHECK-NEXT: %[[Q:.*]] = arith.subf %[[P]], %[[S]]
// CHECK-NEXT: linalg.yield %[[Q]], %[[NEW]]
func.func @momentum(%p: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>, %m: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0, %1 = pocket.sgd %p, %g learning_rate %lr momentum_buffer %m momentum = 0.5 : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @nesterov(
// CHECK: %[[MU:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: ^bb0(%[[P:.*]]: f32, %[[G:.*]]: f32, %[[LR:.*]]: f32, %[[M:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[OLD:.*]] = arith.mulf %[[M]], %[[MU]]
// CHECK-NEXT: %[[NEW:.*]] = arith.addf %[[OLD]], %[[G]]
// CHECK-NEXT: %[[AHEAD:.*]] = arith.mulf %[[NEW]], %[[MU]]
// CHECK-NEXT: %[[STEP:.*]] = arith.addf %[[G]], %[[AHEAD]]
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[LR]], %[[STEP]]
// CHECK-NEXT: %[[Q:.*]] = arith.subf %[[P]], %[[S]]
// CHECK-NEXT: linalg.yield %[[Q]], %[[NEW]]
func.func @nesterov(%p: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>, %m: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0, %1 = pocket.sgd %p, %g learning_rate %lr momentum_buffer %m momentum = 0.5 nesterov : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// What is the same for all elements is computed once: the learning rate over 1 - beta1^t,
// 1 / sqrt(1 - beta2^t), and what weight decay leaves of a parameter. Both moments are
// further results.
// CHECK-LABEL: func.func @adamw(
// CHECK-DAG: %[[EPSILON:.*]] = arith.constant 1.250000e-01 : f32
// CHECK-DAG: %[[BETA2:.*]] = arith.constant 7.500000e-01 : f32
// CHECK-DAG: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG: %[[QUARTER:.*]] = arith.constant 2.500000e-01 : f32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[LOG2:.*]] = arith.constant -0.287682086 : f32
// CHECK-DAG: %[[LOG1:.*]] = arith.constant -0.693147182 : f32
// CHECK: %[[ONCE:.*]]:3 = linalg.generic {{.*}} iterator_types = []} ins(%arg4, %arg5 : tensor<f32>, tensor<f32>)
// CHECK-NEXT: ^bb0(%[[LR:.*]]: f32, %[[T:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[A:.*]] = arith.mulf %[[T]], %[[LOG1]]
// CHECK-NEXT: %[[B:.*]] = math.expm1 %[[A]]
// CHECK-NEXT: %[[C:.*]] = arith.negf %[[B]]
// CHECK-NEXT: %[[RATE:.*]] = arith.divf %[[LR]], %[[C]]
// CHECK-NEXT: %[[D:.*]] = arith.mulf %[[T]], %[[LOG2]]
// CHECK-NEXT: %[[E:.*]] = math.expm1 %[[D]]
// CHECK-NEXT: %[[F:.*]] = arith.negf %[[E]]
// CHECK-NEXT: %[[R:.*]] = math.sqrt %[[F]]
// CHECK-NEXT: %[[CORRECTION:.*]] = arith.divf %[[ONE]], %[[R]]
// CHECK-NEXT: %[[H:.*]] = arith.mulf %[[LR]], %[[QUARTER]]
// CHECK-NEXT: %[[KEPT:.*]] = arith.subf %[[ONE]], %[[H]]
// CHECK-NEXT: linalg.yield %[[RATE]], %[[CORRECTION]], %[[KEPT]]
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ID]], #[[ID]], #[[ID]], #[[SCALAR]], #[[SCALAR]], #[[SCALAR]], #[[ID]], #[[ID]], #[[ID]]],
// CHECK-SAME: ins(%arg0, %arg1, %arg2, %arg3, %[[ONCE]]#0, %[[ONCE]]#1, %[[ONCE]]#2 :
// CHECK-NEXT: ^bb0(%[[P:.*]]: f32, %[[G:.*]]: f32, %[[M:.*]]: f32, %[[V:.*]]: f32, %[[RATE:.*]]: f32, %[[CORRECTION:.*]]: f32, %[[KEPT:.*]]: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-DAG: %[[D:.*]] = arith.subf %[[G]], %[[M]]
// CHECK-DAG: %[[DH:.*]] = arith.mulf %[[D]], %[[HALF]]
// CHECK-DAG: %[[NEWM:.*]] = arith.addf %[[M]], %[[DH]]
// CHECK-DAG: %[[GG:.*]] = arith.mulf %[[G]], %[[G]]
// CHECK-DAG: %[[GQ:.*]] = arith.mulf %[[GG]], %[[QUARTER]]
// CHECK-DAG: %[[VB:.*]] = arith.mulf %[[V]], %[[BETA2]]
// CHECK-DAG: %[[NEWV:.*]] = arith.addf %[[VB]], %[[GQ]]
// CHECK-DAG: %[[LEFT:.*]] = arith.mulf %[[P]], %[[KEPT]]
// CHECK-DAG: %[[ROOT:.*]] = math.sqrt %[[NEWV]]
// CHECK-DAG: %[[RC:.*]] = arith.mulf %[[ROOT]], %[[CORRECTION]]
// CHECK-DAG: %[[DEN:.*]] = arith.addf %[[RC]], %[[EPSILON]]
// CHECK-DAG: %[[NUM:.*]] = arith.mulf %[[RATE]], %[[NEWM]]
// CHECK-DAG: %[[STEP:.*]] = arith.divf %[[NUM]], %[[DEN]]
// CHECK: %[[NEWP:.*]] = arith.subf %[[LEFT]], %[[STEP]]
// CHECK-NEXT: linalg.yield %[[NEWP]], %[[NEWM]], %[[NEWV]]
func.func @adamw(%p: tensor<64xf32>, %g: tensor<64xf32>, %m: tensor<64xf32>, %v: tensor<64xf32>, %lr: tensor<f32>, %t: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0, %1, %2 = pocket.adamw %p, %g exp_avg %m exp_avg_sq %v learning_rate %lr step %t beta1 = 0.5 beta2 = 0.75 epsilon = 0.125 weight_decay = 0.25 : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
  return %0, %1, %2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
