// RUN: pocket-opt %s --split-input-file --pocket-to-linalg --canonicalize --cse | FileCheck %s

// The taps of all windows are strided slices, compared in one elementwise op. Nothing
// reads the places, so none are computed, and NaN passes by itself.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @max_value(
// CHECK-SAME: %[[X:.*]]: tensor<2x5x4x8xf32>)
// CHECK: %[[READ:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [2, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[T0:.*]] = tensor.extract_slice %[[READ]][0, 0, 0, 0] [2, 2, 2, 8] [1, 2, 2, 1]
// CHECK: %[[T1:.*]] = tensor.extract_slice %[[READ]][0, 0, 1, 0] [2, 2, 2, 8] [1, 2, 2, 1]
// CHECK: %[[T2:.*]] = tensor.extract_slice %[[READ]][0, 1, 0, 0] [2, 2, 2, 8] [1, 2, 2, 1]
// CHECK: %[[T3:.*]] = tensor.extract_slice %[[READ]][0, 1, 1, 0] [2, 2, 2, 8] [1, 2, 2, 1]
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ID]], #[[ID]], #[[ID]], #[[ID]]], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
// CHECK-SAME: ins(%[[T0]], %[[T1]], %[[T2]], %[[T3]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[AB:.*]] = arith.maximumf %[[A]], %[[B]]
// CHECK-NEXT: %[[ABC:.*]] = arith.maximumf %[[AB]], %[[C]]
// CHECK-NEXT: arith.maximumf %[[ABC]], %[[D]]
// CHECK-NOT: i8
func.func @max_value(%x: tensor<2x5x4x8xf32>) -> tensor<2x2x2x8xf32> {
  %0, %1 = pocket.max_pool2d %x kernel = [2, 2] strides = [2, 2] layout = nhwc : (tensor<2x5x4x8xf32>) -> (tensor<2x2x2x8xf32>, tensor<2x2x2x8xi8>)
  return %0 : tensor<2x2x2x8xf32>
}

// -----

// With places: the first of equal values stays, and of NaNs the last. The border is
// -infinity, so no place in it is the maximum; where all else is that too, the place is
// the first one inside, here tap 1 - 2 * column, or 0.
// CHECK-LABEL: func.func @max_place(
// CHECK-SAME: %[[X:.*]]: tensor<2x5x5x8xf32>)
// CHECK-DAG: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[PAD:.*]] = tensor.pad %[[X]] low[0, 0, 1, 0] high[0, 0, 0, 0]
// CHECK: tensor.yield %[[LOW]]
// CHECK: %[[T0:.*]] = tensor.extract_slice %[[PAD]][0, 0, 0, 0] [2, 3, 3, 8] [1, 2, 2, 1]
// CHECK: %[[T1:.*]] = tensor.extract_slice %[[PAD]][0, 0, 1, 0] [2, 3, 3, 8] [1, 2, 2, 1]
// CHECK: %[[R:.*]]:2 = linalg.generic {{.*}} ins(%[[T0]], %[[T1]] : {{.*}} outs(%{{.*}}, %{{.*}} : tensor<2x3x3x8xf32>, tensor<2x3x3x8xi8>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32, %{{.*}}: i8):
// CHECK-NEXT: %[[COLUMN:.*]] = linalg.index 2
// CHECK-NEXT: %[[START:.*]] = arith.muli %[[COLUMN]], %c2
// CHECK-NEXT: %[[OUTSIDE:.*]] = arith.subi %c1, %[[START]]
// CHECK-NEXT: %[[INSIDE:.*]] = arith.maxsi %[[OUTSIDE]], %c0
// CHECK-NEXT: %[[FIRST:.*]] = arith.index_cast %[[INSIDE]] : index to i8
// CHECK-DAG: %[[LARGER:.*]] = arith.cmpf ogt, %[[B]], %[[A]]
// CHECK-DAG: %[[NAN:.*]] = arith.cmpf uno, %[[B]], %[[B]]
// CHECK: %[[TAKES:.*]] = arith.ori %[[LARGER]], %[[NAN]]
// CHECK: %[[V:.*]] = arith.select %[[TAKES]], %[[B]], %[[A]]
// CHECK: %[[I:.*]] = arith.select %[[TAKES]], %c1_i8, %[[FIRST]]
// CHECK: linalg.yield %[[V]], %[[I]]
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @max_place(%x: tensor<2x5x5x8xf32>) -> (tensor<2x3x3x8xf32>, tensor<2x3x3x8xi8>) {
  %0, %1 = pocket.max_pool2d %x kernel = [1, 2] strides = [2, 2] padding = [0, 1] layout = nhwc : (tensor<2x5x5x8xf32>) -> (tensor<2x3x3x8xf32>, tensor<2x3x3x8xi8>)
  return %0, %1 : tensor<2x3x3x8xf32>, tensor<2x3x3x8xi8>
}

// -----

// Sixteen taps at a time. The pool and the places of the first ones are operands of the
// op over the rest, which counts on from tap 16.
// CHECK-LABEL: func.func @max_many_taps(
// CHECK: %[[FIRST:.*]]:2 = linalg.generic
// CHECK: %[[T16:.*]] = tensor.extract_slice %arg0[0, 0, 16, 0] [2, 3, 3, 8]
// CHECK: linalg.generic {{.*}} ins(%[[FIRST]]#0, %[[FIRST]]#1, %[[T16]] :
// CHECK-NEXT: ^bb0(%[[V:.*]]: f32, %[[I:.*]]: i8, %[[X:.*]]: f32, %{{.*}}: f32, %{{.*}}: i8):
// CHECK: arith.cmpf ogt, %[[X]], %[[V]]
// CHECK: %[[TAKES:.*]] = arith.ori
// CHECK: arith.select %[[TAKES]], %[[X]], %[[V]]
// CHECK: arith.select %[[TAKES]], %c16_i8, %[[I]]
func.func @max_many_taps(%x: tensor<2x3x19x8xf32>) -> (tensor<2x3x3x8xf32>, tensor<2x3x3x8xi8>) {
  %0, %1 = pocket.max_pool2d %x kernel = [1, 17] strides = [1, 1] layout = nhwc : (tensor<2x3x19x8xf32>) -> (tensor<2x3x3x8xf32>, tensor<2x3x3x8xi8>)
  return %0, %1 : tensor<2x3x3x8xf32>, tensor<2x3x3x8xi8>
}

// -----

// Dilated taps lie apart, and windows that ceil_mode lets reach over the edge read a
// border there.
// CHECK-LABEL: func.func @max_dilated(
// CHECK: %[[PAD:.*]] = tensor.pad %arg0 low[0, 0, 0, 0] high[0, 0, 1, 0]
// CHECK: tensor.extract_slice %[[PAD]][0, 0, 0, 0] [2, 4, 3, 8] [1, 1, 2, 1]
// CHECK: tensor.extract_slice %[[PAD]][0, 0, 3, 0] [2, 4, 3, 8] [1, 1, 2, 1]
func.func @max_dilated(%x: tensor<2x4x7x8xf32>) -> tensor<2x4x3x8xf32> {
  %0, %1 = pocket.max_pool2d %x kernel = [1, 2] strides = [1, 2] dilations = [1, 3] ceil_mode layout = nhwc : (tensor<2x4x7x8xf32>) -> (tensor<2x4x3x8xf32>, tensor<2x4x3x8xi8>)
  return %0 : tensor<2x4x3x8xf32>
}

// -----

// The gradient of windows that do not overlap: place (q, r) of a window gets its
// cotangent if its tap is the window's maximum. One op, no scattering.
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d5)>
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
// CHECK-LABEL: func.func @max_gradient(
// CHECK-SAME: %[[DY:.*]]: tensor<2x2x2x8xf32>, %[[PLACE:.*]]: tensor<2x2x2x8xi8>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[G:.*]] = linalg.generic {indexing_maps = [#[[WINDOW]], #[[WINDOW]], #[[ALL]]],
// CHECK-SAME: ins(%[[DY]], %[[PLACE]] : {{.*}} outs(%{{.*}} : tensor<2x2x2x2x2x8xf32>)
// CHECK-NEXT: ^bb0(%[[D:.*]]: f32, %[[I:.*]]: i8, %{{.*}}: f32):
// CHECK-DAG: %[[R:.*]] = linalg.index 2
// CHECK-DAG: %[[S:.*]] = linalg.index 4
// CHECK: %[[ROW:.*]] = arith.muli %[[R]], %[[C2]]
// CHECK: %[[TAP:.*]] = arith.addi %[[ROW]], %[[S]]
// CHECK: %[[T8:.*]] = arith.index_cast %[[TAP]] : index to i8
// CHECK: %[[HIT:.*]] = arith.cmpi eq, %[[I]], %[[T8]]
// CHECK: arith.select %[[HIT]], %[[D]], %[[ZERO]]
// CHECK: %[[DX:.*]] = tensor.collapse_shape %[[G]] {{\[\[}}0], [1, 2], [3, 4], [5]] : tensor<2x2x2x2x2x8xf32> into tensor<2x4x4x8xf32>
// CHECK-NEXT: return %[[DX]]
func.func @max_gradient(%dy: tensor<2x2x2x8xf32>, %i: tensor<2x2x2x8xi8>) -> tensor<2x4x4x8xf32> {
  %0 = pocket.max_pool2d_grad %dy, %i kernel = [2, 2] strides = [2, 2] layout = nhwc : (tensor<2x2x2x8xf32>, tensor<2x2x2x8xi8>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// -----

// Windows that overlap: a place is reached by the window at q and by the one before it,
// at its tap + stride. Past the edge lies tap -1, which none is. A tap of the second
// window that is past the kernel (3 rows) would pass for the next row's and is ruled
// out. The column that no window reaches gets zeros.
// CHECK-LABEL: func.func @max_gradient_overlapping(
// CHECK-SAME: %[[DY:.*]]: tensor<2x2x2x8xf32>, %[[PLACE:.*]]: tensor<2x2x2x8xi8>)
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[NONE:.*]] = arith.constant -1 : i8
// CHECK: %[[WIDE:.*]] = tensor.pad %[[DY]] low[0, 1, 0, 0] high[0, 1, 0, 0]
// CHECK: %[[D0:.*]] = tensor.extract_slice %[[WIDE]][0, 1, 0, 0] [2, 3, 2, 8]
// CHECK: %[[D1:.*]] = tensor.extract_slice %[[WIDE]][0, 0, 0, 0] [2, 3, 2, 8]
// CHECK: %[[WIDE_PLACE:.*]] = tensor.pad %[[PLACE]] low[0, 1, 0, 0] high[0, 1, 0, 0]
// CHECK: tensor.yield %[[NONE]]
// CHECK: %[[I0:.*]] = tensor.extract_slice %[[WIDE_PLACE]][0, 1, 0, 0] [2, 3, 2, 8]
// CHECK: %[[I1:.*]] = tensor.extract_slice %[[WIDE_PLACE]][0, 0, 0, 0] [2, 3, 2, 8]
// CHECK: linalg.generic {{.*}} ins(%[[D0]], %[[D1]], %[[I0]], %[[I1]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[I:.*]]: i8, %[[J:.*]]: i8, %{{.*}}: f32):
// CHECK-DAG: %[[R:.*]] = linalg.index 2
// CHECK-DAG: %[[S:.*]] = linalg.index 4
// CHECK: %[[HIT0:.*]] = arith.cmpi eq, %[[I]],
// CHECK: %[[IN0:.*]] = arith.cmpi slt, %[[R]], %[[C3]]
// CHECK: %[[TAKE0:.*]] = arith.andi %[[HIT0]], %[[IN0]]
// CHECK: %[[G0:.*]] = arith.select %[[TAKE0]], %[[A]],
// CHECK: %[[R2:.*]] = arith.addi %[[R]], %[[C2]]
// CHECK: %[[HIT1:.*]] = arith.cmpi eq, %[[J]],
// CHECK: %[[IN1:.*]] = arith.cmpi slt, %[[R2]], %[[C3]]
// CHECK: %[[TAKE1:.*]] = arith.andi %[[HIT1]], %[[IN1]]
// CHECK: %[[G1:.*]] = arith.select %[[TAKE1]], %[[B]],
// CHECK: arith.addf %[[G0]], %[[G1]]
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %{{.*}} into tensor<2x6x4x8xf32>
// CHECK: %[[ALL:.*]] = tensor.pad %[[ROWS]] low[0, 0, 0, 0] high[0, 0, 1, 0]
// CHECK: tensor.extract_slice %[[ALL]][0, 0, 0, 0] [2, 5, 5, 8] [1, 1, 1, 1]
func.func @max_gradient_overlapping(%dy: tensor<2x2x2x8xf32>, %i: tensor<2x2x2x8xi8>) -> tensor<2x5x5x8xf32> {
  %0 = pocket.max_pool2d_grad %dy, %i kernel = [3, 2] strides = [2, 2] layout = nhwc : (tensor<2x2x2x8xf32>, tensor<2x2x2x8xi8>) -> tensor<2x5x5x8xf32>
  return %0 : tensor<2x5x5x8xf32>
}

// -----

// Dilated windows: each tap's cotangents put at its places, and added up.
// CHECK-LABEL: func.func @max_gradient_dilated(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i8
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i8
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32) {{.*}} -> tensor<2x4x5x8xf32>
// CHECK: arith.cmpi eq, %{{.*}}, %[[C0]]
// CHECK: %[[P0:.*]] = tensor.insert_slice %{{.*}} into %[[ZEROS]][0, 0, 0, 0] [2, 2, 3, 8] [1, 1, 2, 1]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[ZEROS]], %[[P0]] :
// CHECK: arith.cmpi eq, %{{.*}}, %[[C1]]
// CHECK: %[[P1:.*]] = tensor.insert_slice %{{.*}} into %[[ZEROS]][0, 2, 0, 0] [2, 2, 3, 8] [1, 1, 2, 1]
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[P1]] :
func.func @max_gradient_dilated(%dy: tensor<2x2x3x8xf32>, %i: tensor<2x2x3x8xi8>) -> tensor<2x4x5x8xf32> {
  %0 = pocket.max_pool2d_grad %dy, %i kernel = [2, 1] strides = [1, 2] dilations = [2, 1] layout = nhwc : (tensor<2x2x3x8xf32>, tensor<2x2x3x8xi8>) -> tensor<2x4x5x8xf32>
  return %0 : tensor<2x4x5x8xf32>
}

// -----

// An average of whole windows: the sum of the taps times one number.
// CHECK-LABEL: func.func @average(
// CHECK: %[[PART:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: %[[T0:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0, 0] [2, 2, 2, 8] [1, 2, 2, 1]
// CHECK: %[[T1:.*]] = tensor.extract_slice %{{.*}}[0, 0, 1, 0] [2, 2, 2, 8] [1, 2, 2, 1]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[T0]], %[[T1]] :
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK: arith.mulf %{{.*}}, %[[PART]]
func.func @average(%x: tensor<2x4x4x8xf32>) -> tensor<2x2x2x8xf32> {
  %0 = pocket.avg_pool2d %x kernel = [1, 2] strides = [2, 2] layout = nhwc : (tensor<2x4x4x8xf32>) -> tensor<2x2x2x8xf32>
  return %0 : tensor<2x2x2x8xf32>
}

// -----

// Without the padding in the count, windows at the edge divide by less: a table of
// factors by place, the same for all samples and channels.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[PLACE:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
// CHECK-LABEL: func.func @average_at_edges(
// CHECK: %[[PARTS:.*]] = arith.constant dense<{{\[\[}}1.000000e+00, 5.000000e-01, 5.000000e-01, 1.000000e+00], [1.000000e+00, 5.000000e-01, 5.000000e-01, 1.000000e+00]]> : tensor<2x4xf32>
// CHECK: %[[PAD:.*]] = tensor.pad %arg0 low[0, 0, 1, 0] high[0, 0, 1, 0]
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[PLACE]], #[[ID]]], {{.*}} ins(%[[SUM]], %[[PARTS]] :
func.func @average_at_edges(%x: tensor<2x2x3x8xf32>) -> tensor<2x2x4x8xf32> {
  %0 = pocket.avg_pool2d %x kernel = [1, 2] strides = [1, 1] padding = [0, 1] count_include_pad = false layout = nhwc : (tensor<2x2x3x8xf32>) -> tensor<2x2x4x8xf32>
  return %0 : tensor<2x2x4x8xf32>
}

// -----

// With the padding in the count all windows are alike, even those at the edge.
// CHECK-LABEL: func.func @average_with_padding(
// CHECK-NOT: dense
// CHECK: arith.constant 5.000000e-01 : f32
// CHECK-NOT: dense
// CHECK: return
func.func @average_with_padding(%x: tensor<2x2x3x8xf32>) -> tensor<2x2x4x8xf32> {
  %0 = pocket.avg_pool2d %x kernel = [1, 2] strides = [1, 1] padding = [0, 1] layout = nhwc : (tensor<2x2x3x8xf32>) -> tensor<2x2x4x8xf32>
  return %0 : tensor<2x2x4x8xf32>
}

// -----

// The gradient: a window's cotangent, divided, for each of its places. Channels first
// is a transpose before and behind.
// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d5)>
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
// CHECK-LABEL: func.func @average_gradient(
// CHECK: %[[PART:.*]] = arith.constant 2.500000e-01 : f32
// CHECK: %[[DY:.*]] = linalg.transpose ins(%arg0 : {{.*}} permutation = [0, 2, 3, 1]
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%[[DY]] :
// CHECK: arith.mulf %{{.*}}, %[[PART]]
// CHECK: %[[G:.*]] = linalg.generic {indexing_maps = [#[[WINDOW]], #[[ALL]]], {{.*}} ins(%[[SCALED]] : {{.*}} outs(%{{.*}} : tensor<2x2x2x2x2x8xf32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[IN]]
// CHECK: %[[DX:.*]] = tensor.collapse_shape %[[G]] {{\[\[}}0], [1, 2], [3, 4], [5]]
// CHECK: linalg.transpose ins(%[[DX]] : {{.*}} permutation = [0, 3, 1, 2]
func.func @average_gradient(%dy: tensor<2x8x2x2xf32>) -> tensor<2x8x4x4xf32> {
  %0 = pocket.avg_pool2d_grad %dy kernel = [2, 2] strides = [2, 2] : (tensor<2x8x2x2xf32>) -> tensor<2x8x4x4xf32>
  return %0 : tensor<2x8x4x4xf32>
}

// -----

// Windows that overlap add up, as far as the kernel reaches.
// CHECK-LABEL: func.func @average_gradient_overlapping(
// CHECK: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %[[WIDE:.*]] = tensor.pad %{{.*}} low[0, 0, 1, 0] high[0, 0, 1, 0]
// CHECK: %[[D0:.*]] = tensor.extract_slice %[[WIDE]][0, 0, 1, 0] [2, 2, 4, 8]
// CHECK: %[[D1:.*]] = tensor.extract_slice %[[WIDE]][0, 0, 0, 0] [2, 2, 4, 8]
// CHECK: linalg.generic {{.*}} ins(%[[D0]], %[[D1]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[S:.*]] = linalg.index 4
// CHECK: %[[IN0:.*]] = arith.cmpi slt, %[[S]], %[[C3]]
// CHECK: %[[G0:.*]] = arith.select %[[IN0]], %[[A]],
// CHECK: %[[S2:.*]] = arith.addi %[[S]],
// CHECK: %[[IN1:.*]] = arith.cmpi slt, %[[S2]], %[[C3]]
// CHECK: %[[G1:.*]] = arith.select %[[IN1]], %[[B]],
// CHECK: arith.addf %[[G0]], %[[G1]]
func.func @average_gradient_overlapping(%dy: tensor<2x2x3x8xf32>) -> tensor<2x2x7x8xf32> {
  %0 = pocket.avg_pool2d_grad %dy kernel = [1, 3] strides = [1, 2] layout = nhwc : (tensor<2x2x3x8xf32>) -> tensor<2x2x7x8xf32>
  return %0 : tensor<2x2x7x8xf32>
}

// -----

// The index starts at the window's first tap outside the padding, which stays where
// the input is -infinity, too. The last NaN wins.
// CHECK-LABEL: func.func @padded
// CHECK-DAG: %[[MINUS_INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK: tensor.pad
// CHECK: tensor.yield %[[MINUS_INF]]
// CHECK: linalg.generic
// CHECK: linalg.index 1
// CHECK: arith.maxsi
// CHECK: linalg.index 2
// CHECK: arith.maxsi
// CHECK: arith.index_cast %{{.*}} : index to i8
// CHECK: %[[LARGER:.*]] = arith.cmpf ogt, %[[SEEN:.*]], %[[HELD:.*]] : f32
// CHECK-NEXT: %[[NAN:.*]] = arith.cmpf uno, %[[SEEN]], %[[SEEN]] : f32
// CHECK-NEXT: %[[TAKES:.*]] = arith.ori %[[LARGER]], %[[NAN]]
// CHECK-NEXT: arith.select %[[TAKES]], %[[SEEN]], %[[HELD]]
func.func @padded(%x: tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>) {
  %0, %1 = pocket.max_pool2d %x kernel = [3, 3] strides = [2, 2] padding = [1, 1] layout = nhwc : (tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>)
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>
}

// -----

// Without padding every window starts with its first tap.
// CHECK-LABEL: func.func @unpadded
// CHECK-NOT: linalg.index
// CHECK: return
func.func @unpadded(%x: tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>) {
  %0, %1 = pocket.max_pool2d %x kernel = [2, 2] strides = [2, 2] layout = nhwc : (tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>)
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>
}

// -----

// Nobody reads the index.
// CHECK-LABEL: func.func @value_only
// CHECK-NOT: linalg.index
// CHECK: arith.maximumf
func.func @value_only(%x: tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32> {
  %0, %1 = pocket.max_pool2d %x kernel = [3, 3] strides = [2, 2] padding = [1, 1] layout = nhwc : (tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>)
  return %0 : tensor<1x4x4x4xf32>
}
