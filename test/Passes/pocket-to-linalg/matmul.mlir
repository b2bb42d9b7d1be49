// RUN: pocket-opt %s --split-input-file --pocket-to-linalg --canonicalize | FileCheck %s

// The columns are cut into panels as wide as two registers, and the right operand
// is copied so that a panel lies in one piece. The left operand, whose rows lie in
// the order of the inner loop, is read where it lies; no tile is left over, so
// nothing is filled up and nothing cut away.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-LABEL: func.func @two_panels(
// CHECK-SAME: %[[X:.*]]: tensor<24x16xf32>, %[[W:.*]]: tensor<16x32xf32>)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NOT: linalg.pack %[[X]]
// CHECK: %[[PACK:.*]] = linalg.pack %[[W]] outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16]
// CHECK-SAME: tensor<16x32xf32> -> tensor<2x16x16xf32>
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%{{.*}} : tensor<24x2x16xf32>)
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[X]], %[[PACK]] : tensor<24x16xf32>, tensor<2x16x16xf32>) outs(%[[ZEROS]] : tensor<24x2x16xf32>)
// CHECK-SAME: pocket.tiles = #pocket.tiles<distribution = [1, 24, 16, 0], vector = [1, 6, 16, 0], reduction = [0, 0, 0, 4], pipeline = "DoubleTilingExpert">
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[SUM]], %[[P]] : f32
// CHECK-NEXT: linalg.yield %[[S]] : f32
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1, 2]] : tensor<24x2x16xf32> into tensor<24x32xf32>
// CHECK-NEXT: return %[[JOINED]]
func.func @two_panels(%x: tensor<24x16xf32>, %w: tensor<16x32xf32>) -> tensor<24x32xf32> {
  %0 = pocket.matmul %x, %w : (tensor<24x16xf32>, tensor<16x32xf32>) -> tensor<24x32xf32>
  return %0 : tensor<24x32xf32>
}

// -----

// A transposed right operand, a linear layer's weight, makes the same panels by
// another copy: nothing is transposed on its own.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-LABEL: func.func @transposed_rhs(
// CHECK-SAME: %[[X:.*]]: tensor<24x16xf32>, %[[W:.*]]: tensor<32x16xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: %[[PACK:.*]] = linalg.pack %[[W]] outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [16]
// CHECK-SAME: tensor<32x16xf32> -> tensor<2x16x16xf32>
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]],
// CHECK-SAME: ins(%[[X]], %[[PACK]] : tensor<24x16xf32>, tensor<2x16x16xf32>)
func.func @transposed_rhs(%x: tensor<24x16xf32>, %w: tensor<32x16xf32>) -> tensor<24x32xf32> {
  %0 = pocket.matmul %x, %w transposed : (tensor<24x16xf32>, tensor<32x16xf32>) -> tensor<24x32xf32>
  return %0 : tensor<24x32xf32>
}

// -----

// A transposed left operand, as in the gradient of a weight, would be read across
// its rows: it is packed too, so that a block of six of the result's rows lies
// together. Blocks get a loop of their own, and the result's rows are joined again.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d2)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d0, d3)>
// CHECK-LABEL: func.func @transposed_lhs(
// CHECK-SAME: %[[X:.*]]: tensor<16x24xf32>, %[[W:.*]]: tensor<16x32xf32>)
// CHECK: %[[BLOCKS:.*]] = linalg.pack %[[X]] outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [6]
// CHECK-SAME: tensor<16x24xf32> -> tensor<4x16x6xf32>
// CHECK: %[[PANELS:.*]] = linalg.pack %[[W]] {{.*}} tensor<16x32xf32> -> tensor<2x16x16xf32>
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[BLOCKS]], %[[PANELS]] : tensor<4x16x6xf32>, tensor<2x16x16xf32>) outs(%{{.*}} : tensor<4x6x2x16xf32>)
// CHECK-SAME: pocket.tiles<distribution = [1, 4, 6, 16, 0], vector = [1, 1, 6, 16, 0], reduction = [0, 0, 0, 0, 4],
// CHECK: tensor.collapse_shape %[[Y]] {{\[\[}}0, 1], [2, 3]] : tensor<4x6x2x16xf32> into tensor<24x32xf32>
// CHECK-NOT: tensor.extract_slice
func.func @transposed_lhs(%x: tensor<16x24xf32>, %w: tensor<16x32xf32>) -> tensor<24x32xf32> {
  %0 = pocket.matmul %x transposed, %w : (tensor<16x24xf32>, tensor<16x32xf32>) -> tensor<24x32xf32>
  return %0 : tensor<24x32xf32>
}

// -----

// Attention's shape. Transposes of the operand and of the result are maps: the
// heads are walked where they lie, and no transpose is left. The rows are not
// packed, for the inner loop walks them in order all the same.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1, d5)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5, d4)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1, d2, d4)>
// CHECK-LABEL: func.func @batched(
// CHECK-SAME: %[[X:.*]]: tensor<2x24x4x16xf32>, %[[W:.*]]: tensor<2x4x32x16xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: %[[PACK:.*]] = linalg.pack %[[W]] outer_dims_perm = [0, 1, 2, 3] inner_dims_pos = [2] inner_tiles = [16]
// CHECK-SAME: tensor<2x4x32x16xf32> -> tensor<2x4x2x16x16xf32>
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]],
// CHECK-SAME: ins(%[[X]], %[[PACK]] : tensor<2x24x4x16xf32>, tensor<2x4x2x16x16xf32>) outs(%{{.*}} : tensor<2x24x4x2x16xf32>)
// CHECK-SAME: pocket.tiles<distribution = [1, 1, 1, 24, 16, 0], vector = [1, 1, 1, 6, 16, 0], reduction = [0, 0, 0, 0, 0, 4],
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1], [2], [3, 4]] : tensor<2x24x4x2x16xf32> into tensor<2x24x4x32xf32>
// CHECK-NEXT: return %[[JOINED]]
func.func @batched(%x: tensor<2x24x4x16xf32>, %w: tensor<2x4x32x16xf32>) -> tensor<2x24x4x32xf32> {
  %t = pocket.transpose %x permutation = [0, 2, 1, 3] : (tensor<2x24x4x16xf32>) -> tensor<2x4x24x16xf32>
  %0 = pocket.matmul %t, %w transposed : (tensor<2x4x24x16xf32>, tensor<2x4x32x16xf32>) -> tensor<2x4x24x32xf32>
  %1 = pocket.transpose %0 permutation = [0, 2, 1, 3] : (tensor<2x4x24x32xf32>) -> tensor<2x24x4x32xf32>
  return %1 : tensor<2x24x4x32xf32>
}

// -----

// The transpose of the result swaps rows and columns: the panels then lie in the
// first dimension, and are joined there.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1)>
// CHECK-LABEL: func.func @transposed_result(
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]],
// CHECK-SAME: outs(%{{.*}} : tensor<2x16x24xf32>)
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0, 1], [2]] : tensor<2x16x24xf32> into tensor<32x24xf32>
// CHECK-NEXT: return %[[JOINED]]
func.func @transposed_result(%x: tensor<24x16xf32>, %w: tensor<16x32xf32>) -> tensor<32x24xf32> {
  %0 = pocket.matmul %x, %w : (tensor<24x16xf32>, tensor<16x32xf32>) -> tensor<24x32xf32>
  %1 = pocket.transpose %0 permutation = [1, 0] : (tensor<24x32xf32>) -> tensor<32x24xf32>
  return %1 : tensor<32x24xf32>
}

// -----

// A result that something else reads too is not written transposed: the transpose
// stays an op, behind the joined panels.
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-LABEL: func.func @result_read_twice(
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}, #[[OUT]]],
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1, 2]]
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[JOINED]] : tensor<24x32xf32>) {{.*}} permutation = [1, 0]
// CHECK: return %[[JOINED]], %[[T]]
func.func @result_read_twice(%x: tensor<24x16xf32>, %w: tensor<16x32xf32>) -> (tensor<24x32xf32>, tensor<32x24xf32>) {
  %0 = pocket.matmul %x, %w : (tensor<24x16xf32>, tensor<16x32xf32>) -> tensor<24x32xf32>
  %1 = pocket.transpose %0 permutation = [1, 0] : (tensor<24x32xf32>) -> tensor<32x24xf32>
  return %0, %1 : tensor<24x32xf32>, tensor<32x24xf32>
}

// -----

// As wide as one panel: the right operand is that panel already, and nothing is
// copied. The loop over panels is left out.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @one_panel(
// CHECK-SAME: %[[X:.*]]: tensor<24x16xf32>, %[[W:.*]]: tensor<16x16xf32>)
// CHECK-NOT: linalg.pack
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]],
// CHECK-SAME: ins(%[[X]], %[[W]] : tensor<24x16xf32>, tensor<16x16xf32>)
// CHECK-SAME: pocket.tiles<distribution = [24, 16, 0], vector = [6, 16, 0], reduction = [0, 0, 4],
// CHECK: return %[[Y]]
func.func @one_panel(%x: tensor<24x16xf32>, %w: tensor<16x16xf32>) -> tensor<24x16xf32> {
  %0 = pocket.matmul %x, %w : (tensor<24x16xf32>, tensor<16x16xf32>) -> tensor<24x16xf32>
  return %0 : tensor<24x16xf32>
}

// -----

// One panel of a transposed operand has its columns in rows: it is copied after
// all, still without a loop over panels.
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @one_panel_transposed(
// CHECK-SAME: %[[X:.*]]: tensor<24x16xf32>, %[[W:.*]]: tensor<16x16xf32>)
// CHECK: %[[PACK:.*]] = linalg.pack %[[W]] outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [16] {{.*}} -> tensor<1x16x16xf32>
// CHECK: %[[PANEL:.*]] = tensor.collapse_shape %[[PACK]] {{\[\[}}0, 1], [2]] : tensor<1x16x16xf32> into tensor<16x16xf32>
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[RHS]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[X]], %[[PANEL]] :
func.func @one_panel_transposed(%x: tensor<24x16xf32>, %w: tensor<16x16xf32>) -> tensor<24x16xf32> {
  %0 = pocket.matmul %x, %w transposed : (tensor<24x16xf32>, tensor<16x16xf32>) -> tensor<24x16xf32>
  return %0 : tensor<24x16xf32>
}

// -----

// Columns that two registers do not divide, but one does, make panels of one
// register, and tiles of more rows.
// CHECK-LABEL: func.func @narrow_panels(
// CHECK-SAME: %[[X:.*]]: tensor<24x16xf32>, %[[W:.*]]: tensor<16x24xf32>)
// CHECK: linalg.pack %[[W]] outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [8] {{.*}} -> tensor<3x16x8xf32>
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<24x3x8xf32>)
// CHECK-SAME: pocket.tiles<distribution = [1, 24, 8, 0], vector = [1, 8, 8, 0], reduction = [0, 0, 0, 4],
// CHECK-NOT: tensor.extract_slice
func.func @narrow_panels(%x: tensor<24x16xf32>, %w: tensor<16x24xf32>) -> tensor<24x24xf32> {
  %0 = pocket.matmul %x, %w : (tensor<24x16xf32>, tensor<16x24xf32>) -> tensor<24x24xf32>
  return %0 : tensor<24x24xf32>
}

// -----

// No tile divides 19 rows or 33 columns: both operands are filled up with zeros,
// the rows to 5 blocks of 4, the columns to 3 panels of 16, and what they make is
// cut away.
// CHECK-LABEL: func.func @left_over(
// CHECK-SAME: %[[X:.*]]: tensor<19x16xf32>, %[[W:.*]]: tensor<16x33xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[BLOCKS:.*]] = linalg.pack %[[X]] padding_value(%[[ZERO]] : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0] inner_tiles = [4]
// CHECK-SAME: tensor<19x16xf32> -> tensor<5x16x4xf32>
// CHECK: %[[PANELS:.*]] = linalg.pack %[[W]] padding_value(%[[ZERO]] : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16]
// CHECK-SAME: tensor<16x33xf32> -> tensor<3x16x16xf32>
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK-SAME: ins(%[[BLOCKS]], %[[PANELS]] : tensor<5x16x4xf32>, tensor<3x16x16xf32>) outs(%{{.*}} : tensor<5x4x3x16xf32>)
// CHECK-SAME: vector = [1, 1, 4, 16, 0]
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0, 1], [2, 3]] : tensor<5x4x3x16xf32> into tensor<20x48xf32>
// CHECK: %[[CUT:.*]] = tensor.extract_slice %[[JOINED]][0, 0] [19, 33] [1, 1] : tensor<20x48xf32> to tensor<19x33xf32>
// CHECK: return %[[CUT]]
func.func @left_over(%x: tensor<19x16xf32>, %w: tensor<16x33xf32>) -> tensor<19x33xf32> {
  %0 = pocket.matmul %x, %w : (tensor<19x16xf32>, tensor<16x33xf32>) -> tensor<19x33xf32>
  return %0 : tensor<19x33xf32>
}

// -----

// Columns alone left over: the rows stay where they are.
// CHECK-LABEL: func.func @columns_left_over(
// CHECK-SAME: %[[X:.*]]: tensor<24x16xf32>, %[[W:.*]]: tensor<16x33xf32>)
// CHECK-NOT: linalg.pack %[[X]]
// CHECK: %[[PANELS:.*]] = linalg.pack %[[W]] padding_value(%{{.*}} : f32)
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[PANELS]] :
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1, 2]] : tensor<24x3x16xf32> into tensor<24x48xf32>
// CHECK: tensor.extract_slice %[[JOINED]][0, 0] [24, 33] [1, 1] : tensor<24x48xf32> to tensor<24x33xf32>
func.func @columns_left_over(%x: tensor<24x16xf32>, %w: tensor<16x33xf32>) -> tensor<24x33xf32> {
  %0 = pocket.matmul %x, %w : (tensor<24x16xf32>, tensor<16x33xf32>) -> tensor<24x33xf32>
  return %0 : tensor<24x33xf32>
}

// -----

// Steps of the inner loop divide it: a step that reads past the end is never made.
// CHECK-LABEL: func.func @odd_inner(
// CHECK: linalg.generic
// CHECK-SAME: reduction = [0, 0, 0, 1],
func.func @odd_inner(%x: tensor<24x15xf32>, %w: tensor<15x32xf32>) -> tensor<24x32xf32> {
  %0 = pocket.matmul %x, %w : (tensor<24x15xf32>, tensor<15x32xf32>) -> tensor<24x32xf32>
  return %0 : tensor<24x32xf32>
}

// -----

// Many rows are dealt out to workgroups of 240, the most whole tiles within 256
// that divide them.
// CHECK-LABEL: func.func @many_rows(
// CHECK: linalg.generic
// CHECK-SAME: distribution = [1, 240, 16, 0], vector = [1, 6, 16, 0]
func.func @many_rows(%x: tensor<960x16xf32>, %w: tensor<16x32xf32>) -> tensor<960x32xf32> {
  %0 = pocket.matmul %x, %w : (tensor<960x16xf32>, tensor<16x32xf32>) -> tensor<960x32xf32>
  return %0 : tensor<960x32xf32>
}

// -----

// A batch of one has no loop: the code generator would fold it away, and the tiles
// with it.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-LABEL: func.func @batch_of_one(
// CHECK-SAME: %[[X:.*]]: tensor<1x24x16xf32>, %[[W:.*]]: tensor<1x16x32xf32>)
// CHECK-DAG: %[[X2:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<1x24x16xf32> into tensor<24x16xf32>
// CHECK-DAG: %[[W2:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0, 1], [2]] : tensor<1x16x32xf32> into tensor<16x32xf32>
// CHECK: %[[PACK:.*]] = linalg.pack %[[W2]]
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]],
// CHECK-SAME: ins(%[[X2]], %[[PACK]] :
// CHECK-SAME: distribution = [1, 24, 16, 0]
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[Y]] {{.*}} into tensor<24x32xf32>
// CHECK: tensor.expand_shape %[[JOINED]] {{\[\[}}0, 1], [2]] output_shape [1, 24, 32]
func.func @batch_of_one(%x: tensor<1x24x16xf32>, %w: tensor<1x16x32xf32>) -> tensor<1x24x32xf32> {
  %0 = pocket.matmul %x, %w : (tensor<1x24x16xf32>, tensor<1x16x32xf32>) -> tensor<1x24x32xf32>
  return %0 : tensor<1x24x32xf32>
}

// -----

// Of two batch dimensions only that of size one goes, wherever a transpose puts it:
// here it is the middle one of the left operand, behind its rows.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d3)>
// CHECK-LABEL: func.func @one_head(
// CHECK-SAME: %[[X:.*]]: tensor<2x24x1x16xf32>, %[[W:.*]]: tensor<2x1x16x32xf32>)
// CHECK-DAG: %[[X3:.*]] = tensor.collapse_shape %[[X]] {{.*}} : tensor<2x24x1x16xf32> into tensor<2x24x16xf32>
// CHECK-DAG: %[[W3:.*]] = tensor.collapse_shape %[[W]] {{.*}} : tensor<2x1x16x32xf32> into tensor<2x16x32xf32>
// CHECK: %[[PACK:.*]] = linalg.pack %[[W3]] outer_dims_perm = [0, 2, 1] inner_dims_pos = [2] inner_tiles = [16] {{.*}} -> tensor<2x2x16x16xf32>
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]],
// CHECK-SAME: ins(%[[X3]], %[[PACK]] :
func.func @one_head(%x: tensor<2x24x1x16xf32>, %w: tensor<2x1x16x32xf32>) -> tensor<2x1x24x32xf32> {
  %t = pocket.transpose %x permutation = [0, 2, 1, 3] : (tensor<2x24x1x16xf32>) -> tensor<2x1x24x16xf32>
  %0 = pocket.matmul %t, %w : (tensor<2x1x24x16xf32>, tensor<2x1x16x32xf32>) -> tensor<2x1x24x32xf32>
  return %0 : tensor<2x1x24x32xf32>
}

// -----

// A long inner loop with a small result is cut into parts of 1024 steps, a batch loop
// before all others; each is a product over panels, and the parts are added up.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d0, d4)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d3)>
// CHECK-DAG: #[[DOWN:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[SUM:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @long_inner(
// CHECK-SAME: %[[X:.*]]: tensor<16x4096xf32>, %[[W:.*]]: tensor<4096x32xf32>)
// CHECK-DAG: %[[WPARTS:.*]] = tensor.expand_shape %[[W]] {{\[\[}}0, 1], [2]] output_shape [4, 1024, 32]
// CHECK-DAG: %[[XPARTS:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]] output_shape [16, 4, 1024]
// CHECK: %[[PACK:.*]] = linalg.pack %[[WPARTS]] outer_dims_perm = [0, 2, 1] inner_dims_pos = [2] inner_tiles = [16] {{.*}} -> tensor<4x2x1024x16xf32>
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], {{.*}} ins(%[[XPARTS]], %[[PACK]] : {{.*}} outs(%{{.*}} : tensor<4x16x2x16xf32>)
// CHECK: %[[PARTS:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1, 2, 3]] : tensor<4x16x2x16xf32> into tensor<4x512xf32>
// CHECK: %[[TOTAL:.*]] = linalg.generic {indexing_maps = [#[[DOWN]], #[[SUM]]], iterator_types = ["parallel", "reduction"]} ins(%[[PARTS]] :
// CHECK: arith.addf
// CHECK: tensor.expand_shape %[[TOTAL]] {{\[\[}}0, 1]] output_shape [16, 32]
func.func @long_inner(%x: tensor<16x4096xf32>, %w: tensor<4096x32xf32>) -> tensor<16x32xf32> {
  %0 = pocket.matmul %x, %w : (tensor<16x4096xf32>, tensor<4096x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// -----

// A result of more than 2^16 elements is shared between threads as it is, however long
// the inner loop.
// CHECK-LABEL: func.func @large_result(
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<512x16x16xf32>)
// CHECK-NOT: linalg.generic
func.func @large_result(%x: tensor<512x4096xf32>, %w: tensor<4096x256xf32>) -> tensor<512x256xf32> {
  %0 = pocket.matmul %x, %w : (tensor<512x4096xf32>, tensor<4096x256xf32>) -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}
