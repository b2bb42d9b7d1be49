// RUN: pocket-opt %s --pocket-expand-consumers --canonicalize --cse | FileCheck %s

// Products stand here as the pass sees them: reductions with tiles, whose result has
// its columns (or rows) in two dimensions.
#lhs = affine_map<(p, r, c, k) -> (r, k)>
#rhs = affine_map<(p, r, c, k) -> (p, k, c)>
#out = affine_map<(p, r, c, k) -> (r, p, c)>
#tiles = #pocket.tiles<distribution = [1, 24, 16, 0], vector = [1, 6, 16, 0], reduction = [0, 0, 0, 4], pipeline = "DoubleTilingExpert">
#id1 = affine_map<(i, j) -> (i, j)>
#row1 = affine_map<(i, j) -> (i)>
#column1 = affine_map<(i, j) -> (j)>
#none1 = affine_map<(i, j) -> ()>
#id2 = affine_map<(i, j, k) -> (i, j, k)>
#column2 = affine_map<(i, j, k) -> (k)>

// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[BIAS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[SCALAR:.*]] = affine_map<(d0, d1, d2) -> ()>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[WHOLE:.*]] = affine_map<(d0, d1) -> (d0, d1)>

// Bias and activation are computed in the shape of the panels, the bias cut like the
// columns; the panels are joined behind them.
// CHECK-LABEL: func.func @bias_and_activation(
// CHECK-SAME: %[[B:[^:]*]]: tensor<32xf32>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: pocket.tiles = #pocket.tiles<distribution = [1, 24, 16, 0], vector = [1, 6, 16, 0], reduction = [0, 0, 0, 4], pipeline = "DoubleTilingExpert">
// CHECK-NOT: tensor.collapse_shape
// CHECK: %[[CUT:.*]] = tensor.expand_shape %[[B]] {{\[\[}}0, 1]] output_shape [2, 16]
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[BIAS]], #[[ALL]]], {{.*}} ins(%[[Y]], %[[CUT]] : tensor<24x2x16xf32>, tensor<2x16xf32>)
// CHECK: arith.addf
// CHECK: %[[ACT:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ALL]]], {{.*}} ins(%[[SUM]] : tensor<24x2x16xf32>)
// CHECK: math.tanh
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[ACT]] {{\[\[}}0], [1, 2]] : tensor<24x2x16xf32> into tensor<24x32xf32>
// CHECK-NEXT: return %[[JOINED]]
func.func @bias_and_activation(%b: tensor<32xf32>, %x: tensor<24x8xf32>, %w: tensor<2x8x16xf32>, %zeros: tensor<24x2x16xf32>) -> tensor<24x32xf32> {
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<24x8xf32>, tensor<2x8x16xf32>) outs(%zeros : tensor<24x2x16xf32>) attrs = {pocket.tiles = #tiles} {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<24x2x16xf32>
  %joined = tensor.collapse_shape %y [[0], [1, 2]] : tensor<24x2x16xf32> into tensor<24x32xf32>
  %empty = tensor.empty() : tensor<24x32xf32>
  %sum = linalg.generic {indexing_maps = [#id1, #column1, #id1], iterator_types = ["parallel", "parallel"]}
      ins(%joined, %b : tensor<24x32xf32>, tensor<32xf32>) outs(%empty : tensor<24x32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<24x32xf32>
  %act = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<24x32xf32>) outs(%empty : tensor<24x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.tanh %a : f32
    linalg.yield %s : f32
  } -> tensor<24x32xf32>
  return %act : tensor<24x32xf32>
}

// A linear layer's rows are samples and positions. The cut into them moves behind the
// bias and the sum with a residual, so that they, too, see the panels.
// CHECK-LABEL: func.func @cut_rows(
// CHECK-SAME: %[[B:[^:]*]]: tensor<32xf32>, %[[RES:[^:]*]]: tensor<4x6x32xf32>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK: %[[CUT:.*]] = tensor.expand_shape %[[B]] {{\[\[}}0, 1]] output_shape [2, 16]
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[BIAS]], #[[ALL]]], {{.*}} ins(%[[Y]], %[[CUT]] : tensor<24x2x16xf32>, tensor<2x16xf32>)
// CHECK: %[[ROWS2:.*]] = tensor.collapse_shape %[[RES]] {{\[\[}}0, 1], [2]] : tensor<4x6x32xf32> into tensor<24x32xf32>
// CHECK: %[[PANELS:.*]] = tensor.expand_shape %[[ROWS2]] {{\[\[}}0], [1, 2]] output_shape [24, 2, 16]
// CHECK: %[[TOTAL:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ALL]], #[[ALL]]], {{.*}} ins(%[[SUM]], %[[PANELS]] :
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[TOTAL]] {{\[\[}}0], [1, 2]] : tensor<24x2x16xf32> into tensor<24x32xf32>
// CHECK: %[[SAMPLES:.*]] = tensor.expand_shape %[[JOINED]] {{\[\[}}0, 1], [2]] output_shape [4, 6, 32]
// CHECK-NEXT: return %[[SAMPLES]]
func.func @cut_rows(%b: tensor<32xf32>, %res: tensor<4x6x32xf32>, %x: tensor<24x8xf32>, %w: tensor<2x8x16xf32>, %zeros: tensor<24x2x16xf32>) -> tensor<4x6x32xf32> {
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<24x8xf32>, tensor<2x8x16xf32>) outs(%zeros : tensor<24x2x16xf32>) attrs = {pocket.tiles = #tiles} {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<24x2x16xf32>
  %joined = tensor.collapse_shape %y [[0], [1, 2]] : tensor<24x2x16xf32> into tensor<24x32xf32>
  %cut = tensor.expand_shape %joined [[0, 1], [2]] output_shape [4, 6, 32] : tensor<24x32xf32> into tensor<4x6x32xf32>
  %empty = tensor.empty() : tensor<4x6x32xf32>
  %sum = linalg.generic {indexing_maps = [#id2, #column2, #id2], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%cut, %b : tensor<4x6x32xf32>, tensor<32xf32>) outs(%empty : tensor<4x6x32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x6x32xf32>
  %total = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum, %res : tensor<4x6x32xf32>, tensor<4x6x32xf32>) outs(%empty : tensor<4x6x32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x6x32xf32>
  return %total : tensor<4x6x32xf32>
}

// An update in place: the parameter is seen in panels both where it is read and where
// it is written. That it is written over stays plain, for a reshape is no copy.
// CHECK-LABEL: func.func @update(
// CHECK-SAME: %[[W:[^:]*]]: tensor<24x32xf32> {iree.abi.output = 0 : index}, %[[LR:[^:]*]]: tensor<f32>
// CHECK: %[[DW:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK: %[[PANELS:.*]] = tensor.expand_shape %[[W]] {{\[\[}}0], [1, 2]] output_shape [24, 2, 16]
// CHECK-NOT: tensor.empty
// CHECK: %[[NEW:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[SCALAR]], #[[ALL]]],
// CHECK-SAME: ins(%[[DW]], %[[LR]] : tensor<24x2x16xf32>, tensor<f32>) outs(%[[PANELS]] : tensor<24x2x16xf32>)
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[NEW]] {{\[\[}}0], [1, 2]]
// CHECK-NEXT: return %[[JOINED]]
func.func @update(%param: tensor<24x32xf32> {iree.abi.output = 0 : index}, %lr: tensor<f32>, %x: tensor<24x8xf32>, %w: tensor<2x8x16xf32>, %zeros: tensor<24x2x16xf32>) -> tensor<24x32xf32> {
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<24x8xf32>, tensor<2x8x16xf32>) outs(%zeros : tensor<24x2x16xf32>) attrs = {pocket.tiles = #tiles} {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<24x2x16xf32>
  %joined = tensor.collapse_shape %y [[0], [1, 2]] : tensor<24x2x16xf32> into tensor<24x32xf32>
  %new = linalg.generic {indexing_maps = [#id1, #none1, #id1], iterator_types = ["parallel", "parallel"]}
      ins(%joined, %lr : tensor<24x32xf32>, tensor<f32>) outs(%param : tensor<24x32xf32>) {
  ^bb0(%g: f32, %rate: f32, %p: f32):
    %step = arith.mulf %g, %rate : f32
    %s = arith.subf %p, %step : f32
    linalg.yield %s : f32
  } -> tensor<24x32xf32>
  return %new : tensor<24x32xf32>
}

#transposed = affine_map<(p, r, c, k) -> (p, c, r)>
// One product has its columns in panels, the other (its result is transposed) its rows.
// Where they meet, one cut wins, here the first operand's: the other product is joined
// and cut again. That each pulls the op into its own shape in turn must not go on forever.
// CHECK-LABEL: func.func @cut_differently(
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<32x2x16xf32>)
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x16x32xf32>)
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[Z]] {{\[\[}}0, 1], [2]] : tensor<2x16x32xf32> into tensor<32x32xf32>
// CHECK: %[[CUT:.*]] = tensor.expand_shape %[[FLAT]] {{\[\[}}0], [1, 2]] output_shape [32, 2, 16]
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ALL]], #[[ALL]]], {{.*}} ins(%[[Y]], %[[CUT]] :
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[SUM]] {{\[\[}}0], [1, 2]] : tensor<32x2x16xf32> into tensor<32x32xf32>
// CHECK-NEXT: return %[[JOINED]]
func.func @cut_differently(%x: tensor<32x8xf32>, %w: tensor<2x8x16xf32>, %zeros: tensor<32x2x16xf32>, %zeros_transposed: tensor<2x16x32xf32>) -> tensor<32x32xf32> {
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<32x8xf32>, tensor<2x8x16xf32>) outs(%zeros : tensor<32x2x16xf32>) attrs = {pocket.tiles = #tiles} {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x2x16xf32>
  %z = linalg.generic {indexing_maps = [#lhs, #rhs, #transposed], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<32x8xf32>, tensor<2x8x16xf32>) outs(%zeros_transposed : tensor<2x16x32xf32>) attrs = {pocket.tiles = #tiles} {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x16x32xf32>
  %joined = tensor.collapse_shape %y [[0], [1, 2]] : tensor<32x2x16xf32> into tensor<32x32xf32>
  %joined_transposed = tensor.collapse_shape %z [[0, 1], [2]] : tensor<2x16x32xf32> into tensor<32x32xf32>
  %empty = tensor.empty() : tensor<32x32xf32>
  %sum = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel", "parallel"]}
      ins(%joined, %joined_transposed : tensor<32x32xf32>, tensor<32x32xf32>) outs(%empty : tensor<32x32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  return %sum : tensor<32x32xf32>
}

#batch_lhs = affine_map<(b, p, r, c, k) -> (b, r, k)>
#batch_rhs = affine_map<(b, p, r, c, k) -> (b, p, k, c)>
#batch_out = affine_map<(b, p, r, c, k) -> (b, r, p, c)>
// So where one product's rows are cut into samples and the other's were never together:
// the batch is joined, its panels stay.
// CHECK-LABEL: func.func @samples_and_batch(
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<24x2x16xf32>)
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x6x2x16xf32>)
// CHECK: %[[ROWS2:.*]] = tensor.collapse_shape %[[Z]] {{\[\[}}0, 1], [2], [3]] : tensor<4x6x2x16xf32> into tensor<24x2x16xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ALL]], #[[ALL]]], {{.*}} ins(%[[Y]], %[[ROWS2]] :
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[SUM]] {{\[\[}}0], [1, 2]]
// CHECK: tensor.expand_shape %[[JOINED]] {{\[\[}}0, 1], [2]] output_shape [4, 6, 32]
func.func @samples_and_batch(%x: tensor<24x8xf32>, %w: tensor<2x8x16xf32>, %zeros: tensor<24x2x16xf32>,
                             %u: tensor<4x6x8xf32>, %v: tensor<4x2x8x16xf32>, %batch_zeros: tensor<4x6x2x16xf32>) -> tensor<4x6x32xf32> {
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<24x8xf32>, tensor<2x8x16xf32>) outs(%zeros : tensor<24x2x16xf32>) attrs = {pocket.tiles = #tiles} {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<24x2x16xf32>
  %z = linalg.generic {indexing_maps = [#batch_lhs, #batch_rhs, #batch_out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%u, %v : tensor<4x6x8xf32>, tensor<4x2x8x16xf32>) outs(%batch_zeros : tensor<4x6x2x16xf32>) attrs = {pocket.tiles = #tiles} {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x6x2x16xf32>
  %joined = tensor.collapse_shape %y [[0], [1, 2]] : tensor<24x2x16xf32> into tensor<24x32xf32>
  %cut = tensor.expand_shape %joined [[0, 1], [2]] output_shape [4, 6, 32] : tensor<24x32xf32> into tensor<4x6x32xf32>
  %joined_batch = tensor.collapse_shape %z [[0], [1], [2, 3]] : tensor<4x6x2x16xf32> into tensor<4x6x32xf32>
  %empty = tensor.empty() : tensor<4x6x32xf32>
  %sum = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%cut, %joined_batch : tensor<4x6x32xf32>, tensor<4x6x32xf32>) outs(%empty : tensor<4x6x32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x6x32xf32>
  return %sum : tensor<4x6x32xf32>
}

// What reduces reads the joined columns: its loop would fall into two.
// CHECK-LABEL: func.func @reduction(
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<24x2x16xf32>)
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0], [1, 2]]
// CHECK: linalg.generic {indexing_maps = [#[[WHOLE]], #[[ROWS]]], iterator_types = ["parallel", "reduction"]} ins(%[[JOINED]] : tensor<24x32xf32>)
func.func @reduction(%x: tensor<24x8xf32>, %w: tensor<2x8x16xf32>, %zeros: tensor<24x2x16xf32>, %sums: tensor<24xf32>) -> tensor<24xf32> {
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<24x8xf32>, tensor<2x8x16xf32>) outs(%zeros : tensor<24x2x16xf32>) attrs = {pocket.tiles = #tiles} {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<24x2x16xf32>
  %joined = tensor.collapse_shape %y [[0], [1, 2]] : tensor<24x2x16xf32> into tensor<24x32xf32>
  %sum = linalg.generic {indexing_maps = [#id1, #row1], iterator_types = ["parallel", "reduction"]}
      ins(%joined : tensor<24x32xf32>) outs(%sums : tensor<24xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<24xf32>
  return %sum : tensor<24xf32>
}

// A product without tiles is not ours, and a joining of anything else stays as well.
// CHECK-LABEL: func.func @no_panels(
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK: %[[EXP:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[Y]]
// CHECK: %[[OTHER:.*]] = tensor.collapse_shape %[[EXP]]
// CHECK: linalg.generic {indexing_maps = [#[[WHOLE]], #[[WHOLE]], #[[WHOLE]]], {{.*}} ins(%[[JOINED]], %[[OTHER]] : tensor<24x32xf32>, tensor<24x32xf32>)
func.func @no_panels(%other: tensor<24x2x16xf32>, %x: tensor<24x8xf32>, %w: tensor<2x8x16xf32>, %zeros: tensor<24x2x16xf32>) -> tensor<24x32xf32> {
  %y = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<24x8xf32>, tensor<2x8x16xf32>) outs(%zeros : tensor<24x2x16xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<24x2x16xf32>
  %empty3 = tensor.empty() : tensor<24x2x16xf32>
  %exp = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%other : tensor<24x2x16xf32>) outs(%empty3 : tensor<24x2x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<24x2x16xf32>
  %joined = tensor.collapse_shape %y [[0], [1, 2]] : tensor<24x2x16xf32> into tensor<24x32xf32>
  %joined_other = tensor.collapse_shape %exp [[0], [1, 2]] : tensor<24x2x16xf32> into tensor<24x32xf32>
  %empty = tensor.empty() : tensor<24x32xf32>
  %sum = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel", "parallel"]}
      ins(%joined, %joined_other : tensor<24x32xf32>, tensor<24x32xf32>) outs(%empty : tensor<24x32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<24x32xf32>
  return %sum : tensor<24x32xf32>
}

// A sum has tiles too, and is no product.
// CHECK-LABEL: func.func @sum
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape
// CHECK: linalg.generic {{.*}} ins(%[[JOINED]], %{{.*}} : tensor<512xf32>, tensor<512xf32>)
func.func @sum(%x: tensor<8x64x64xf32>, %init: tensor<8x64xf32>, %y: tensor<512xf32>, %e: tensor<512xf32>) -> tensor<512xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(b, n, k) -> (b, k, n)>, affine_map<(b, n, k) -> (b, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<8x64x64xf32>) outs(%init : tensor<8x64xf32>)
      attrs = {pocket.tiles = #pocket.tiles<distribution = [1, 64, 0], vector = [1, 64, 0], reduction = [0, 0, 1], pipeline = "DoubleTilingExpert">} {
    ^bb0(%in: f32, %out: f32):
      %s = arith.addf %out, %in : f32
      linalg.yield %s : f32
  } -> tensor<8x64xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<8x64xf32> into tensor<512xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%1, %y : tensor<512xf32>, tensor<512xf32>) outs(%e : tensor<512xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
  } -> tensor<512xf32>
  return %2 : tensor<512xf32>
}
