// RUN: pocket-opt %s --split-input-file --pocket-to-linalg --canonicalize --cse | FileCheck %s

// logsumexp from the largest logit on; the label's logit is read by index, held within
// the classes; a row with the ignored label (class -1 here) counts neither in the sum nor
// in its divisor.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @cross_entropy(
// CHECK-SAME: %[[X:.*]]: tensor<8x10xf32>, %[[T:.*]]: tensor<8xi64>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[IGNORED:.*]] = arith.constant -100 : i64
// CHECK-DAG: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[LOWEST:.*]] = linalg.fill ins(%[[LOW]] : f32)
// CHECK: %[[MAX:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]]], {{.*}} ins(%[[X]] : {{.*}} outs(%[[LOWEST]] :
// CHECK: arith.maximumf
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ROW]]], {{.*}} ins(%[[X]], %[[MAX]] :
// CHECK: math.exp
// CHECK: %[[LSE:.*]] = linalg.generic {{.*}} ins(%[[MAX]], %[[SUM]] :
// CHECK-NEXT: ^bb0(%[[M:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[L:.*]] = math.log %[[S]]
// CHECK-NEXT: arith.addf %[[M]], %[[L]]
// CHECK: %[[CLASS:.*]] = linalg.generic {{.*}} ins(%[[T]] : tensor<8xi64>) outs(%{{.*}} : tensor<8xi32>)
// CHECK-NEXT: ^bb0(%[[LABEL:.*]]: i64, %{{.*}}: i32):
// CHECK: %[[VALID:.*]] = arith.cmpi ne, %[[LABEL]], %[[IGNORED]]
// CHECK: arith.select %[[VALID]], %{{.*}}, %c-1_i32
// CHECK: %[[LOSSES:.*]] = linalg.generic {{.*}} ins(%[[CLASS]], %[[LSE]] :
// CHECK-NEXT: ^bb0(%[[C:.*]]: i32, %[[L:.*]]: f32, %{{.*}}: f32):
// CHECK-DAG: %[[N:.*]] = linalg.index 0
// CHECK-DAG: %[[HIGH:.*]] = arith.minsi %[[C]], %c9_i32
// CHECK-DAG: %[[HELD:.*]] = arith.maxsi %[[HIGH]], %c0_i32
// CHECK-DAG: %[[AT:.*]] = arith.index_cast %[[HELD]]
// CHECK: %[[LOGIT:.*]] = tensor.extract %[[X]][%[[N]], %[[AT]]]
// CHECK: %[[D:.*]] = arith.subf %[[L]], %[[LOGIT]]
// CHECK: %[[SKIP:.*]] = arith.cmpi slt, %[[C]], %c0_i32
// CHECK: arith.select %[[SKIP]], %[[ZERO]], %[[D]]
// CHECK: %[[TOTAL:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[LOSSES]] :
// CHECK: %[[ONES:.*]] = linalg.generic {{.*}} ins(%[[CLASS]] :
// CHECK: arith.cmpi sge
// CHECK: %[[COUNT:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[ONES]] :
// CHECK: %[[LOSS:.*]] = linalg.generic {{.*}} ins(%[[TOTAL]], %[[COUNT]] :
// CHECK: arith.divf
// CHECK: return %[[LOSS]], %[[LSE]]
func.func @cross_entropy(%x: tensor<8x10xf32>, %t: tensor<8xi64>) -> (tensor<f32>, tensor<8xf32>) {
  %0, %1 = pocket.cross_entropy %x, %t : (tensor<8x10xf32>, tensor<8xi64>) -> (tensor<f32>, tensor<8xf32>)
  return %0, %1 : tensor<f32>, tensor<8xf32>
}

// -----

// A sum has no divisor, so nothing is counted; another label is ignored.
// CHECK-LABEL: func.func @sum(
// CHECK: arith.cmpi ne, %{{.*}}, %c3_i64
// CHECK: %[[LOSSES:.*]] = linalg.generic
// CHECK: tensor.extract
// CHECK: %[[LOSS:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[LOSSES]] :
// CHECK-NOT: arith.divf
// CHECK: return %[[LOSS]]
func.func @sum(%x: tensor<8x10xf32>, %t: tensor<8xi64>) -> tensor<f32> {
  %0, %1 = pocket.cross_entropy %x, %t ignore_index = 3 reduction = sum : (tensor<8x10xf32>, tensor<8xi64>) -> (tensor<f32>, tensor<8xf32>)
  return %0 : tensor<f32>
}

// -----

// Each row's loss on its own: none is added up.
// CHECK-LABEL: func.func @none(
// CHECK: %[[LOSSES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK: tensor.extract
// CHECK-NOT: "reduction"
// CHECK: return %{{.*}} : tensor<8xf32>
func.func @none(%x: tensor<8x10xf32>, %t: tensor<8xi64>) -> tensor<8xf32> {
  %0, %1 = pocket.cross_entropy %x, %t reduction = none : (tensor<8x10xf32>, tensor<8xi64>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0 : tensor<8xf32>
}

// -----

// One pass over the logits; the one-hot target is a comparison. Of a smoothing of 0.1,
// each of ten classes gets 0.01 and the label 0.9 more. The cotangent is divided by the
// rows that count before it meets them.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[SCALAR:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @cross_entropy_grad(
// CHECK-SAME: %[[DY:.*]]: tensor<f32>, %[[X:.*]]: tensor<8x10xf32>, %[[T:.*]]: tensor<8xi64>, %[[LSE:.*]]: tensor<8xf32>)
// CHECK-DAG: %[[ON:.*]] = arith.constant 9.100000e-01 : f32
// CHECK-DAG: %[[OFF:.*]] = arith.constant 0.00999999977 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[CLASS:.*]] = linalg.generic {{.*}} ins(%[[T]] :
// CHECK: %[[COUNT:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]}
// CHECK: %[[G:.*]] = linalg.generic {{.*}} ins(%[[DY]], %[[COUNT]] :
// CHECK: arith.divf
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ROW]], #[[SCALAR]], #[[ALL]]], iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[LSE]], %[[CLASS]], %[[G]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[L:.*]]: f32, %[[C:.*]]: i32, %[[D:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[I:.*]] = linalg.index 1
// CHECK-NEXT: %[[AT:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-NEXT: %[[HOT:.*]] = arith.cmpi eq, %[[AT]], %[[C]] : i32
// CHECK-NEXT: %[[TARGET:.*]] = arith.select %[[HOT]], %[[ON]], %[[OFF]]
// CHECK-NEXT: %[[S:.*]] = arith.subf %[[A]], %[[L]]
// CHECK-NEXT: %[[P:.*]] = math.exp %[[S]]
// CHECK-NEXT: %[[E:.*]] = arith.subf %[[P]], %[[TARGET]]
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[E]], %[[D]]
// CHECK-NEXT: %[[SKIP:.*]] = arith.cmpi slt, %[[C]], %c0_i32
// CHECK-NEXT: arith.select %[[SKIP]], %[[ZERO]], %[[Q]]
func.func @cross_entropy_grad(%d: tensor<f32>, %x: tensor<8x10xf32>, %t: tensor<8xi64>, %lse: tensor<8xf32>) -> tensor<8x10xf32> {
  %0 = pocket.cross_entropy_grad %d, %x, %t, %lse label_smoothing = 1.0e-01 : (tensor<f32>, tensor<8x10xf32>, tensor<8xi64>, tensor<8xf32>) -> tensor<8x10xf32>
  return %0 : tensor<8x10xf32>
}
