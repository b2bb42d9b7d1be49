// RUN: pocket-opt %s --split-input-file --pocket-to-linalg --canonicalize --cse | FileCheck %s

// The largest element of each row, e^(x - largest), its sum, and the quotient: the
// powers are computed once. Leading dimensions are one.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: tensor<2x8x128xf32>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<2x8x128xf32> into tensor<16x128xf32>
// CHECK: %[[LOWEST:.*]] = linalg.fill ins(%[[LOW]] : f32) outs(%{{.*}} : tensor<16xf32>)
// CHECK: %[[MAX:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[ROWS]] : {{.*}} outs(%[[LOWEST]] : tensor<16xf32>)
// CHECK-SAME: pocket.tiles<distribution = [8, 0], vector = [1, 0], reduction = [0, 64],
// CHECK: arith.maximumf
// CHECK: %[[POWERS:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ALL]]], {{.*}} ins(%[[ROWS]], %[[MAX]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[M:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[A]], %[[M]]
// CHECK-NEXT: math.exp %[[D]]
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]]], {{.*}} ins(%[[POWERS]] : {{.*}} outs(%[[ZEROS]] :
// CHECK: arith.addf
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ALL]]], {{.*}} ins(%[[POWERS]], %[[SUM]] :
// CHECK-NEXT: ^bb0(%[[P:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.divf %[[P]], %[[S]]
// CHECK: %[[RESULT:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1], [2]] output_shape [2, 8, 128]
// CHECK-NEXT: return %[[RESULT]]
func.func @softmax(%x: tensor<2x8x128xf32>) -> tensor<2x8x128xf32> {
  %0 = pocket.softmax %x dim = 2 : tensor<2x8x128xf32>
  return %0 : tensor<2x8x128xf32>
}

// -----

// Along the first dimension the reduction runs down columns. The logarithm's powers are
// only summed, never stored: x - largest - ln(sum).
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[DOWN:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @log_softmax(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>)
// CHECK: %[[MAX:.*]] = linalg.generic {indexing_maps = [#[[DOWN]], #[[OUT]]], iterator_types = ["parallel", "reduction"]} ins(%[[X]] :
// CHECK: arith.maximumf
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[DOWN]], #[[OUT]], #[[OUT]]], {{.*}} ins(%[[X]], %[[MAX]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[M:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[A]], %[[M]]
// CHECK-NEXT: %[[P:.*]] = math.exp %[[D]]
// CHECK-NEXT: arith.addf %[[S]], %[[P]]
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[COLUMN]], #[[COLUMN]], #[[ALL]]], {{.*}} ins(%[[X]], %[[MAX]], %[[SUM]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[M:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: f32):
// CHECK-DAG: %[[LOG:.*]] = math.log %[[S]]
// CHECK-DAG: %[[D:.*]] = arith.subf %[[A]], %[[M]]
// CHECK: arith.subf %[[D]], %[[LOG]]
func.func @log_softmax(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pocket.log_softmax %x dim = 0 : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// A dimension in the middle stays between the others, which are one before and one behind.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @middle(
// CHECK: %[[V:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] : tensor<2x3x8x4xf32> into tensor<6x8x4xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[OUT]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[V]] :
func.func @middle(%x: tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32> {
  %0 = pocket.softmax %x dim = 2 : tensor<2x3x8x4xf32>
  return %0 : tensor<2x3x8x4xf32>
}

// -----

// y (g - sum(g y)). A zero stands between product and sum, or the code generator would
// take it for a matrix product.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @softmax_grad(
// CHECK-SAME: %[[G:.*]]: tensor<8x4xf32>, %[[Y:.*]]: tensor<8x4xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ALL]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[G]], %[[Y]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[P]], %[[ZERO]]
// CHECK-NEXT: arith.addf %[[S]], %[[T]]
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[ALL]], #[[ROW]], #[[ALL]]], {{.*}} ins(%[[G]], %[[Y]], %[[SUM]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[A]], %[[S]]
// CHECK-NEXT: arith.mulf %[[B]], %[[D]]
func.func @softmax_grad(%g: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pocket.softmax_grad %g, %y dim = 1 : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// g - e^y sum(g): the sum needs the cotangent only.
// CHECK-LABEL: func.func @log_softmax_grad(
// CHECK-SAME: %[[G:.*]]: tensor<8x4xf32>, %[[Y:.*]]: tensor<8x4xf32>)
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[G]], %[[Y]], %[[SUM]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[E:.*]] = math.exp %[[B]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[E]], %[[S]]
// CHECK-NEXT: arith.subf %[[A]], %[[P]]
func.func @log_softmax_grad(%g: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = pocket.log_softmax_grad %g, %y dim = 1 : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
