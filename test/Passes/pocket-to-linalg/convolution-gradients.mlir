// RUN: pocket-opt %s --split-input-file --pocket-to-linalg --canonicalize --cse | FileCheck %s

//===----------------------------------------------------------------------===//
// For the input
//===----------------------------------------------------------------------===//

// A stride of 2 divides the input into 2 x 2 phases; each is an unstrided product
// with the taps that reach it: the middle one, two of its row, two of its column, the
// four corners. Taps are picked from last to first.
// CHECK-LABEL: func.func @phases(
// CHECK-SAME: %[[DY:.*]]: tensor<2x4x4x8xf32>, %[[W:.*]]: tensor<3x3x4x8xf32>)
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[BACK:.*]] = arith.constant -2 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32) {{.*}} -> tensor<2x8x8x4xf32>

// Even rows, even columns: pixel (q, s) of the cotangent as it is.
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x8x4xf32>)
// CHECK-DAG: %[[O:.*]] = linalg.index 3
// CHECK-DAG: %[[I:.*]] = linalg.index 2
// CHECK: tensor.extract %[[W]][%[[C1]], %[[C1]], %[[O]], %[[I]]]
// CHECK: %[[R0:.*]] = tensor.collapse_shape %[[DY]] {{.*}} into tensor<32x8xf32>
// CHECK: %[[P0:.*]] = linalg.generic {{.*}} ins(%[[R0]], %{{.*}} : tensor<32x8xf32>, tensor<8x4xf32>)
// CHECK: %[[I0:.*]] = tensor.expand_shape %[[P0]]
// CHECK: %[[S0:.*]] = tensor.insert_slice %[[I0]] into %[[ZEROS]][0, 0, 0, 0] [2, 4, 4, 4] [1, 2, 2, 1]

// Even rows, odd columns: taps 2 and 0 of the middle row, at columns s and s + 1.
// CHECK: %[[PAD1:.*]] = tensor.pad %[[DY]] low[0, 0, 0, 0] high[0, 0, 1, 0]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x2x8x4xf32>)
// CHECK: %[[J:.*]] = linalg.index 1
// CHECK: %[[STEP:.*]] = arith.muli %[[J]], %[[BACK]]
// CHECK: %[[TAP:.*]] = arith.addi %[[STEP]], %[[C2]]
// CHECK: tensor.extract %[[W]][%[[C1]], %[[TAP]], %{{.*}}, %{{.*}}]
// CHECK: tensor.extract_slice %[[PAD1]][0, 0, 0, 0] [2, 4, 4, 8]
// CHECK: tensor.extract_slice %[[PAD1]][0, 0, 1, 0] [2, 4, 4, 8]
// CHECK: %[[S1:.*]] = tensor.insert_slice %{{.*}} into %[[S0]][0, 0, 1, 0] [2, 4, 4, 4] [1, 2, 2, 1]

// Odd rows, even columns.
// CHECK: %[[PAD2:.*]] = tensor.pad %[[DY]] low[0, 0, 0, 0] high[0, 1, 0, 0]
// CHECK: tensor.extract %[[W]][%{{.*}}, %[[C1]], %{{.*}}, %{{.*}}]
// CHECK: tensor.extract_slice %[[PAD2]][0, 1, 0, 0] [2, 4, 4, 8]
// CHECK: %[[S2:.*]] = tensor.insert_slice %{{.*}} into %[[S1]][0, 1, 0, 0] [2, 4, 4, 4] [1, 2, 2, 1]

// Odd rows, odd columns: four taps.
// CHECK: tensor.pad %[[DY]] low[0, 0, 0, 0] high[0, 1, 1, 0]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2x8x4xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<32x32xf32>, tensor<32x4xf32>)
// CHECK: %[[S3:.*]] = tensor.insert_slice %{{.*}} into %[[S2]][0, 1, 1, 0] [2, 4, 4, 4] [1, 2, 2, 1]
// CHECK-NEXT: return %[[S3]]
func.func @phases(%dy: tensor<2x4x4x8xf32>, %w: tensor<3x3x4x8xf32>) -> tensor<2x8x8x4xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w strides = [2, 2] padding = [1, 1, 1, 1] layout = nhwc : (tensor<2x4x4x8xf32>, tensor<3x3x4x8xf32>) -> tensor<2x8x8x4xf32>
  return %0 : tensor<2x8x8x4xf32>
}

// -----

// A stride longer than the kernel leaves phases that no tap reaches: they stay zero.
// CHECK-LABEL: func.func @unreached(
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<2x8x8x4xf32>
// CHECK: %[[S0:.*]] = tensor.insert_slice %{{.*}} into %[[ZEROS]][0, 0, 0, 0] [2, 3, 3, 4] [1, 3, 3, 1]
// CHECK: %[[S1:.*]] = tensor.insert_slice %{{.*}} into %[[S0]][0, 0, 1, 0] [2, 3, 3, 4] [1, 3, 3, 1]
// CHECK-NEXT: return %[[S1]]
func.func @unreached(%dy: tensor<2x3x3x8xf32>, %w: tensor<1x2x4x8xf32>) -> tensor<2x8x8x4xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w strides = [3, 3] layout = nhwc : (tensor<2x3x3x8xf32>, tensor<1x2x4x8xf32>) -> tensor<2x8x8x4xf32>
  return %0 : tensor<2x8x8x4xf32>
}

// -----

// A small image: one product with the transposed filter, whose columns are taps and
// channels; then each tap's part is put at its place (what falls on the border is cut
// off) and all are added in one pass.
// CHECK-LABEL: func.func @small(
// CHECK-SAME: %[[DY:.*]]: tensor<2x4x4x8xf32>, %[[W:.*]]: tensor<1x2x8x8xf32>)
// CHECK-DAG: %[[F:.*]] = tensor.collapse_shape %[[W]] {{.*}} into tensor<16x8xf32>
// CHECK-DAG: %[[R:.*]] = tensor.collapse_shape %[[DY]] {{.*}} into tensor<32x8xf32>
// CHECK: %[[PACK:.*]] = linalg.pack %[[F]] outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [16]
// CHECK: %[[PANEL:.*]] = tensor.collapse_shape %[[PACK]] {{\[\[}}0, 1], [2]]
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[R]], %[[PANEL]] : tensor<32x8xf32>, tensor<8x16xf32>)
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %[[P]] {{\[\[}}0, 1, 2], [3, 4]] output_shape [2, 4, 4, 2, 8]
// CHECK: %[[T0:.*]] = tensor.extract_slice %[[PARTS]][0, 0, 0, 0, 0] [2, 4, 4, 1, 8]
// CHECK: %[[I0:.*]] = tensor.collapse_shape %[[T0]]
// CHECK: %[[CUT:.*]] = tensor.extract_slice %[[I0]][0, 0, 1, 0] [2, 4, 3, 8]
// CHECK: %[[D0:.*]] = tensor.pad %[[CUT]] low[0, 0, 0, 0] high[0, 0, 1, 0]
// CHECK: %[[T1:.*]] = tensor.extract_slice %[[PARTS]][0, 0, 0, 1, 0] [2, 4, 4, 1, 8]
// CHECK: %[[D1:.*]] = tensor.collapse_shape %[[T1]]
// CHECK: linalg.generic {{.*}} ins(%[[D0]], %[[D1]] : tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>)
// CHECK: arith.addf
func.func @small(%dy: tensor<2x4x4x8xf32>, %w: tensor<1x2x8x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w padding = [0, 0, 1, 0] layout = nhwc : (tensor<2x4x4x8xf32>, tensor<1x2x8x8xf32>) -> tensor<2x4x4x8xf32>
  return %0 : tensor<2x4x4x8xf32>
}

// -----

// Otherwise a convolution of the cotangent, between borders of kernel size - 1, with
// the filter turned around and its channels swapped.
// CHECK-LABEL: func.func @direct(
// CHECK-SAME: %[[DY:.*]]: tensor<2x8x8x4xf32>, %[[W:.*]]: tensor<3x3x16x4xf32>)
// CHECK: %[[LAST:.*]] = arith.constant 2 : index
// CHECK: %[[PAD:.*]] = tensor.pad %[[DY]] low[0, 2, 2, 0] high[0, 2, 2, 0]
// CHECK: %[[F:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x3x4x16xf32>)
// CHECK: %[[O:.*]] = linalg.index 3
// CHECK: %[[I:.*]] = linalg.index 2
// CHECK: %[[H:.*]] = linalg.index 0
// CHECK: %[[KH:.*]] = arith.subi %[[LAST]], %[[H]]
// CHECK: %[[V:.*]] = linalg.index 1
// CHECK: %[[KW:.*]] = arith.subi %[[LAST]], %[[V]]
// CHECK: tensor.extract %[[W]][%[[KH]], %[[KW]], %[[O]], %[[I]]]
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}}pocket.tiles{{.*}} ins(%[[PAD]], %[[F]] : tensor<2x12x12x4xf32>, tensor<3x3x4x16xf32>)
func.func @direct(%dy: tensor<2x8x8x4xf32>, %w: tensor<3x3x16x4xf32>) -> tensor<2x10x10x16xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w layout = nhwc : (tensor<2x8x8x4xf32>, tensor<3x3x16x4xf32>) -> tensor<2x10x10x16xf32>
  return %0 : tensor<2x10x10x16xf32>
}

// -----

// One tap: the product, put at every other pixel.
// CHECK-LABEL: func.func @pointwise(
// CHECK: %[[P:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: %[[I:.*]] = tensor.expand_shape %[[P]] {{.*}} output_shape [2, 4, 4, 8]
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<2x8x8x8xf32>
// CHECK: tensor.insert_slice %[[I]] into %[[ZEROS]][0, 0, 0, 0] [2, 4, 4, 8] [1, 2, 2, 1]
func.func @pointwise(%dy: tensor<2x4x4x16xf32>, %w: tensor<1x1x8x16xf32>) -> tensor<2x8x8x8xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w strides = [2, 2] layout = nhwc : (tensor<2x4x4x16xf32>, tensor<1x1x8x16xf32>) -> tensor<2x8x8x8xf32>
  return %0 : tensor<2x8x8x8xf32>
}

// -----

// Depthwise: zeros between the cotangent's elements, then a depthwise convolution
// with the kernels turned around; channels stay in their order.
// CHECK-LABEL: func.func @depthwise(
// CHECK-SAME: %[[DY:.*]]: tensor<2x4x4x16xf32>, %[[W:.*]]: tensor<3x3x1x16xf32>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<2x10x10x16xf32>
// CHECK: %[[WIDE:.*]] = tensor.insert_slice %[[DY]] into %[[ZEROS]][0, 1, 1, 0] [2, 4, 4, 16] [1, 2, 2, 1]
// CHECK: %[[F:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x3x1x16xf32>)
// CHECK: %[[C:.*]] = linalg.index 3
// CHECK: %[[KH:.*]] = arith.subi %[[C2]],
// CHECK: %[[KW:.*]] = arith.subi %[[C2]],
// CHECK: tensor.extract %[[W]][%[[KH]], %[[KW]], %[[C0]], %[[C]]]
// CHECK: %[[K:.*]] = tensor.collapse_shape %[[F]] {{.*}} into tensor<3x3x16xf32>
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc {{.*}} strides = dense<1> : tensor<2xi64>} ins(%[[WIDE]], %[[K]] :
func.func @depthwise(%dy: tensor<2x4x4x16xf32>, %w: tensor<3x3x1x16xf32>) -> tensor<2x8x8x16xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w strides = [2, 2] padding = [1, 1, 1, 1] groups = 16 layout = nhwc : (tensor<2x4x4x16xf32>, tensor<3x3x1x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// -----

// Groups: each group's cotangent and filters make its own channels.
// CHECK-LABEL: func.func @groups(
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<2x4x4x4xf32>
// CHECK-DAG: tensor.extract_slice %arg1[0, 0, 0, 0] [1, 1, 2, 3] [1, 1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg0[0, 0, 0, 0] [2, 4, 4, 3] [1, 1, 1, 1]
// CHECK: %[[G0:.*]] = tensor.insert_slice %{{.*}} into %[[EMPTY]][0, 0, 0, 0] [2, 4, 4, 2]
// CHECK-DAG: tensor.extract_slice %arg1[0, 0, 0, 3] [1, 1, 2, 3] [1, 1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg0[0, 0, 0, 3] [2, 4, 4, 3] [1, 1, 1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %[[G0]][0, 0, 0, 2] [2, 4, 4, 2]
func.func @groups(%dy: tensor<2x4x4x6xf32>, %w: tensor<1x1x2x6xf32>) -> tensor<2x4x4x4xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w groups = 2 layout = nhwc : (tensor<2x4x4x6xf32>, tensor<1x1x2x6xf32>) -> tensor<2x4x4x4xf32>
  return %0 : tensor<2x4x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @channels_first(
// CHECK-DAG: %[[HWIO:.*]] = linalg.transpose ins(%arg1 : {{.*}} permutation = [2, 3, 1, 0]
// CHECK-DAG: %[[NHWC:.*]] = linalg.transpose ins(%arg0 : {{.*}} permutation = [0, 2, 3, 1]
// CHECK-DAG: tensor.collapse_shape %[[HWIO]]
// CHECK-DAG: tensor.collapse_shape %[[NHWC]]
// CHECK: %[[DX:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x5x8xf32>)
// CHECK: %[[NCHW:.*]] = linalg.transpose ins(%[[DX]] : {{.*}} permutation = [0, 3, 1, 2]
// CHECK-NEXT: return %[[NCHW]]
func.func @channels_first(%dy: tensor<2x8x4x4xf32>, %w: tensor<8x8x1x2xf32>) -> tensor<2x8x4x5xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w : (tensor<2x8x4x4xf32>, tensor<8x8x1x2xf32>) -> tensor<2x8x4x5xf32>
  return %0 : tensor<2x8x4x5xf32>
}

// -----

// Each group gathers its taps from the whole filter: from a slice of one output
// channel, IREE fails on that.
// CHECK-LABEL: func.func @grouped_input_grad
// CHECK-SAME: %[[DY:.*]]: tensor<1x7x7x3xf32>, %[[W:.*]]: tensor<3x3x2x3xf32>
// CHECK-NOT: tensor.extract_slice %[[W]]
// CHECK: tensor.extract %[[W]][%{{.*}}, %{{.*}}, %{{.*}}, %c0]
// CHECK-NOT: tensor.extract_slice %[[W]]
// CHECK: tensor.extract %[[W]][%{{.*}}, %{{.*}}, %{{.*}}, %c1]
// CHECK-NOT: tensor.extract_slice %[[W]]
// CHECK: tensor.extract %[[W]][%{{.*}}, %{{.*}}, %{{.*}}, %c2]
// CHECK-NOT: tensor.extract_slice %[[W]]
// CHECK: return
func.func @grouped_input_grad(%dy: tensor<1x7x7x3xf32>, %w: tensor<3x3x2x3xf32>) -> tensor<1x7x7x6xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w padding = [1, 1, 1, 1] groups = 3 layout = nhwc : (tensor<1x7x7x3xf32>, tensor<3x3x2x3xf32>) -> tensor<1x7x7x6xf32>
  return %0 : tensor<1x7x7x6xf32>
}

// -----

// Products read their group's slice.
// CHECK-LABEL: func.func @pointwise_input_grad
// CHECK-SAME: %[[DY:.*]]: tensor<1x7x7x4xf32>, %[[W:.*]]: tensor<1x1x3x4xf32>
// CHECK: tensor.extract_slice %[[W]][0, 0, 0, 0] [1, 1, 3, 2]
// CHECK: tensor.extract_slice %[[W]][0, 0, 0, 2] [1, 1, 3, 2]
func.func @pointwise_input_grad(%dy: tensor<1x7x7x4xf32>, %w: tensor<1x1x3x4xf32>) -> tensor<1x7x7x6xf32> {
  %0 = pocket.conv2d_input_grad %dy, %w groups = 2 layout = nhwc : (tensor<1x7x7x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x7x7x6xf32>
  return %0 : tensor<1x7x7x6xf32>
}

// -----

//===----------------------------------------------------------------------===//
// For the filter
//===----------------------------------------------------------------------===//

// A product for every tap, of the pixels it reads with the cotangent, over all places.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @taps(
// CHECK-SAME: %[[X:.*]]: tensor<2x5x6x8xf32>, %[[DY:.*]]: tensor<2x5x5x16xf32>)
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<1x2x8x16xf32>
// CHECK-DAG: %[[G:.*]] = tensor.collapse_shape %[[DY]] {{.*}} into tensor<50x16xf32>
// CHECK-DAG: %[[T0:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [2, 5, 5, 8] [1, 1, 1, 1]
// CHECK-DAG: %[[R0:.*]] = tensor.collapse_shape %[[T0]] {{.*}} into tensor<50x8xf32>
// CHECK: %[[P0:.*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], {{.*}} ins(%[[R0]], %[[G]] :
// CHECK: %[[F0:.*]] = tensor.expand_shape %[[P0]] {{.*}} output_shape [1, 1, 8, 16]
// CHECK: %[[W0:.*]] = tensor.insert_slice %[[F0]] into %[[EMPTY]][0, 0, 0, 0] [1, 1, 8, 16]
// CHECK: %[[T1:.*]] = tensor.extract_slice %[[X]][0, 0, 1, 0] [2, 5, 5, 8] [1, 1, 1, 1]
// CHECK: %[[R1:.*]] = tensor.collapse_shape %[[T1]]
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], {{.*}} ins(%[[R1]], %[[G]] :
// CHECK: tensor.insert_slice %{{.*}} into %[[W0]][0, 1, 0, 0] [1, 1, 8, 16]
func.func @taps(%x: tensor<2x5x6x8xf32>, %dy: tensor<2x5x5x16xf32>) -> tensor<1x2x8x16xf32> {
  %0 = pocket.conv2d_weight_grad %x, %dy layout = nhwc : (tensor<2x5x6x8xf32>, tensor<2x5x5x16xf32>) -> tensor<1x2x8x16xf32>
  return %0 : tensor<1x2x8x16xf32>
}

// -----

// Up to four channels, as of a picture, make such products too narrow: one product for
// all the taps, laid beside each other.
// CHECK-LABEL: func.func @few_channels(
// CHECK: %[[C0:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0, 0] [2, 5, 5, 3]
// CHECK: %[[C1:.*]] = tensor.insert_slice %{{.*}} into %[[C0]][0, 0, 0, 3] [2, 5, 5, 3]
// CHECK: %[[R:.*]] = tensor.collapse_shape %[[C1]] {{.*}} into tensor<50x6xf32>
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[R]], %{{.*}} : tensor<50x6xf32>, tensor<50x16xf32>)
// CHECK-NOT: linalg.generic
// CHECK: tensor.expand_shape %[[P]] {{\[\[}}0, 1, 2], [3]] output_shape [1, 2, 3, 16]
func.func @few_channels(%x: tensor<2x5x6x3xf32>, %dy: tensor<2x5x5x16xf32>) -> tensor<1x2x3x16xf32> {
  %0 = pocket.conv2d_weight_grad %x, %dy layout = nhwc : (tensor<2x5x6x3xf32>, tensor<2x5x5x16xf32>) -> tensor<1x2x3x16xf32>
  return %0 : tensor<1x2x3x16xf32>
}

// -----

// Depthwise: sums along the rows for all taps in one pass, each with a zero between
// product and sum (or it would be taken for a matrix product); then over rows and
// samples. Taps lead, so that each one's sums lie together.
// CHECK-DAG: #[[WHOLE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[SUMS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG: #[[TAP:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @depthwise_filter(
// CHECK-SAME: %[[X:.*]]: tensor<2x8x8x16xf32>, %[[DY:.*]]: tensor<2x8x7x16xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[T0:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [2, 8, 7, 16] [1, 1, 1, 1]
// CHECK-DAG: %[[T1:.*]] = tensor.extract_slice %[[X]][0, 0, 1, 0] [2, 8, 7, 16] [1, 1, 1, 1]
// CHECK: %[[R:.*]]:2 = linalg.generic {indexing_maps = [#[[WHOLE]], #[[WHOLE]], #[[WHOLE]], #[[ROW]], #[[ROW]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[T0]], %[[T1]], %[[DY]] :
// CHECK-SAME: pocket.tiles<distribution = [1, 8, 8, 0], vector = [1, 1, 8, 0], reduction = [0, 0, 0, 1],
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[G:.*]]: f32, %[[S0:.*]]: f32, %[[S1:.*]]: f32):
// CHECK-NEXT: %[[P0:.*]] = arith.mulf %[[A]], %[[G]]
// CHECK-NEXT: %[[Q0:.*]] = arith.addf %[[P0]], %[[ZERO]]
// CHECK-NEXT: arith.addf %[[S0]], %[[Q0]]
// CHECK-NEXT: %[[P1:.*]] = arith.mulf %[[B]], %[[G]]
// CHECK-NEXT: %[[Q1:.*]] = arith.addf %[[P1]], %[[ZERO]]
// CHECK-NEXT: arith.addf %[[S1]], %[[Q1]]
// CHECK-DAG: %[[E0:.*]] = tensor.expand_shape %[[R]]#0
// CHECK-DAG: %[[E1:.*]] = tensor.expand_shape %[[R]]#1
// CHECK-DAG: %[[ALL0:.*]] = tensor.insert_slice %[[E0]] into %{{.*}}[0, 0, 0, 0] [1, 2, 8, 16] {{.*}} into tensor<2x2x8x16xf32>
// CHECK-DAG: %[[ALL:.*]] = tensor.insert_slice %[[E1]] into %[[ALL0]][1, 0, 0, 0] [1, 2, 8, 16]
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[ALL]] {{\[\[}}0], [1, 2], [3]] : tensor<2x2x8x16xf32> into tensor<2x16x16xf32>
// CHECK: %[[F:.*]] = linalg.generic {indexing_maps = [#[[SUMS]], #[[TAP]]], {{.*}} ins(%[[ROWS]] :
// CHECK: tensor.expand_shape %[[F]] {{.*}} output_shape [1, 2, 1, 16]
func.func @depthwise_filter(%x: tensor<2x8x8x16xf32>, %dy: tensor<2x8x7x16xf32>) -> tensor<1x2x1x16xf32> {
  %0 = pocket.conv2d_weight_grad %x, %dy groups = 16 layout = nhwc : (tensor<2x8x8x16xf32>, tensor<2x8x7x16xf32>) -> tensor<1x2x1x16xf32>
  return %0 : tensor<1x2x1x16xf32>
}

// -----

// More than nine taps have no registers left for operands: nine at a time.
// CHECK-LABEL: func.func @many_taps(
// CHECK: %{{.*}}:9 = linalg.generic
// CHECK: %{{.*}} = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK: tensor.insert_slice {{.*}}[9, 0, 0, 0] [1, 2, 8, 16] {{.*}} into tensor<10x2x8x16xf32>
func.func @many_taps(%x: tensor<2x9x12x16xf32>, %dy: tensor<2x8x8x16xf32>) -> tensor<2x5x1x16xf32> {
  %0 = pocket.conv2d_weight_grad %x, %dy groups = 16 layout = nhwc : (tensor<2x9x12x16xf32>, tensor<2x8x8x16xf32>) -> tensor<2x5x1x16xf32>
  return %0 : tensor<2x5x1x16xf32>
}

// -----

// CHECK-LABEL: func.func @filter_groups(
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<1x1x2x6xf32>
// CHECK-DAG: tensor.extract_slice %arg1[0, 0, 0, 0] [2, 5, 5, 3] [1, 1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg0[0, 0, 0, 0] [2, 5, 5, 2] [1, 1, 1, 1]
// CHECK: %[[G0:.*]] = tensor.insert_slice %{{.*}} into %[[EMPTY]][0, 0, 0, 0] [1, 1, 2, 3]
// CHECK-DAG: tensor.extract_slice %arg1[0, 0, 0, 3] [2, 5, 5, 3] [1, 1, 1, 1]
// CHECK-DAG: tensor.extract_slice %arg0[0, 0, 0, 2] [2, 5, 5, 2] [1, 1, 1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %[[G0]][0, 0, 0, 3] [1, 1, 2, 3]
func.func @filter_groups(%x: tensor<2x5x5x4xf32>, %dy: tensor<2x5x5x6xf32>) -> tensor<1x1x2x6xf32> {
  %0 = pocket.conv2d_weight_grad %x, %dy groups = 2 layout = nhwc : (tensor<2x5x5x4xf32>, tensor<2x5x5x6xf32>) -> tensor<1x1x2x6xf32>
  return %0 : tensor<1x1x2x6xf32>
}

// -----

// CHECK-LABEL: func.func @filter_channels_first(
// CHECK-DAG: %[[DY:.*]] = linalg.transpose ins(%arg1 : {{.*}} permutation = [0, 2, 3, 1]
// CHECK-DAG: %[[X:.*]] = linalg.transpose ins(%arg0 : {{.*}} permutation = [0, 2, 3, 1]
// CHECK-DAG: %[[G:.*]] = tensor.collapse_shape %[[DY]]
// CHECK-DAG: %[[R:.*]] = tensor.collapse_shape %[[X]]
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[R]], %[[G]] : tensor<50x8xf32>, tensor<50x4xf32>)
// CHECK: %[[HWIO:.*]] = tensor.expand_shape %[[P]] {{.*}} output_shape [1, 1, 8, 4]
// CHECK: linalg.transpose ins(%[[HWIO]] : {{.*}} permutation = [3, 2, 0, 1]
func.func @filter_channels_first(%x: tensor<2x8x5x5xf32>, %dy: tensor<2x4x5x5xf32>) -> tensor<4x8x1x1xf32> {
  %0 = pocket.conv2d_weight_grad %x, %dy : (tensor<2x8x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<4x8x1x1xf32>
  return %0 : tensor<4x8x1x1xf32>
}
