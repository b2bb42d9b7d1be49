// RUN: pocket-opt %s --split-input-file --pocket-to-linalg --canonicalize --cse | FileCheck %s

// Elements by index: held within the dimension, the others are the loops'.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:.*]]: tensor<5x3xf32>, %[[I:.*]]: tensor<2x3xi64>)
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ID]]], {{.*}} ins(%[[I]] :
// CHECK-NEXT: ^bb0(%[[INDEX:.*]]: i64, %{{.*}}: f32):
// CHECK-NEXT: %[[COLUMN:.*]] = linalg.index 1
// CHECK-NEXT: %[[HIGH:.*]] = arith.minsi %[[INDEX]], %c4_i64
// CHECK-NEXT: %[[HELD:.*]] = arith.maxsi %[[HIGH]], %c0_i64
// CHECK-NEXT: %[[AT:.*]] = arith.index_cast %[[HELD]]
// CHECK-NEXT: tensor.extract %[[X]][%[[AT]], %[[COLUMN]]]
func.func @gather(%x: tensor<5x3xf32>, %i: tensor<2x3xi64>) -> tensor<2x3xf32> {
  %0 = pocket.gather %x, %i dim = 0 : (tensor<5x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Its gradient: place (v, column) is the sum over the column's indices that are v. Columns
// that have no indices get zeros.
// CHECK-DAG: #[[READ:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[SUMS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @gather_grad(
// CHECK-SAME: %[[DY:.*]]: tensor<2x3xf32>, %[[I:.*]]: tensor<2x3xi64>)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK: %[[S:.*]] = linalg.generic {indexing_maps = [#[[READ]], #[[READ]], #[[SUMS]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[I]], %[[DY]] : {{.*}} outs(%[[ZEROS]] : tensor<5x3xf32>)
// CHECK-NEXT: ^bb0(%[[INDEX:.*]]: i64, %[[G:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-NEXT: %[[V:.*]] = linalg.index 0
// CHECK-NEXT: %[[ROW:.*]] = arith.index_cast %[[V]] : index to i64
// CHECK-NEXT: %[[HERE:.*]] = arith.cmpi eq, %[[INDEX]], %[[ROW]]
// CHECK-NEXT: %[[TERM:.*]] = arith.select %[[HERE]], %[[G]], %[[ZERO]]
// CHECK-NEXT: arith.addf %[[SUM]], %[[TERM]]
// CHECK: tensor.pad %[[S]] low[0, 0] high[0, 1]
func.func @gather_grad(%dy: tensor<2x3xf32>, %i: tensor<2x3xi64>) -> tensor<5x4xf32> {
  %0 = pocket.gather_grad %dy, %i dim = 0 : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

// CHECK-LABEL: func.func @pad(
// CHECK: %[[V:.*]] = arith.constant 3.000000e+00 : f32
// CHECK: tensor.pad %arg0 low[1, 0] high[0, 2]
// CHECK: tensor.yield %[[V]]
func.func @pad(%x: tensor<2x3xf32>) -> tensor<3x5xf32> {
  %0 = pocket.pad %x low = [1, 0] high = [0, 2] value = 3.0 : (tensor<2x3xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// From the last element on, along that dimension only.
// CHECK-LABEL: func.func @reverse(
// CHECK: %[[LAST:.*]] = arith.constant 2 : index
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[BACK:.*]] = arith.subi %[[LAST]], %[[J]]
// CHECK: tensor.extract %arg0[%[[I]], %[[BACK]]]
func.func @reverse(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = pocket.reverse %x dims = [1] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// What is repeated is no loop of the input's map.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @broadcast(
// CHECK: %[[R:.*]] = tensor.collapse_shape %arg0 {{.*}} into tensor<3xf32>
// CHECK: linalg.generic {indexing_maps = [#[[IN]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[R]] : tensor<3xf32>) outs(%{{.*}} : tensor<2x3x4xf32>)
// CHECK-NEXT: ^bb0(%[[V:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[V]]
func.func @broadcast(%x: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %0 = pocket.broadcast %x : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// Shapes of one rank meet in one dimension; others have a reassociation.
// CHECK-LABEL: func.func @reshapes(
// CHECK-DAG: %[[FLAT:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<2x6xf32> into tensor<12xf32>
// CHECK-DAG: %[[A:.*]] = tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] output_shape [3, 4]
// CHECK-DAG: %[[B:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [2, 2, 3]
// CHECK: return %[[A]], %[[B]]
func.func @reshapes(%x: tensor<2x6xf32>) -> (tensor<3x4xf32>, tensor<2x2x3xf32>) {
  %0 = pocket.reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %1 = pocket.reshape %x : (tensor<2x6xf32>) -> tensor<2x2x3xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<2x2x3xf32>
}

// -----

// Dimensions that lie apart are summed one after the other, from the inside out; each is
// one reduction between what is before and what is behind.
// CHECK-DAG: #[[MIDDLE:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG: #[[KEPT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[DOWN:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @apart(
// CHECK: %[[V:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2], [3]] : tensor<2x8x5x3xf32> into tensor<16x5x3xf32>
// CHECK: %[[INNER:.*]] = linalg.generic {indexing_maps = [#[[MIDDLE]], #[[KEPT]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[V]] : {{.*}} outs(%{{.*}} : tensor<16x3xf32>)
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[INNER]]
// CHECK: %[[W:.*]] = tensor.expand_shape %[[FLAT]] {{.*}} into tensor<2x24xf32>
// CHECK: %[[OUTER:.*]] = linalg.generic {indexing_maps = [#[[DOWN]], #[[COLUMN]]], iterator_types = ["parallel", "reduction"]} ins(%[[W]] :
// CHECK: tensor.expand_shape %[[OUTER]] {{.*}} output_shape [8, 3]
func.func @apart(%x: tensor<2x8x5x3xf32>) -> tensor<8x3xf32> {
  %0 = pocket.sum %x dims = [0, 2] : (tensor<2x8x5x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// -----

// A mean is the sum divided, not multiplied by an inverse that is rounded.
// CHECK-LABEL: func.func @mean(
// CHECK: %[[COUNT:.*]] = arith.constant 5.000000e+00 : f32
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 :
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK: arith.divf %{{.*}}, %[[COUNT]]
func.func @mean(%x: tensor<8x5xf32>) -> tensor<8xf32> {
  %0 = pocket.mean %x dims = [1] : (tensor<8x5xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A transpose that no product takes is one.
// CHECK-LABEL: func.func @transpose(
// CHECK: linalg.transpose ins(%arg0 : tensor<2x3x4xf32>) outs(%{{.*}} : tensor<4x2x3xf32>) permutation = [2, 0, 1]
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = pocket.transpose %x permutation = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}
