// RUN: pocket-opt %s --split-input-file --pocket-to-linalg --canonicalize --cse | FileCheck %s

// Two sums in one pass, and no `sum + a * b`: the code generator would take it
// for a matrix product.
// CHECK-DAG: #[[DOWN:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[CHANNEL:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @batch_norm_reduce_grad(
// CHECK-SAME: %[[G:.*]]: tensor<2x8x8x64xf32>, %[[IN:.*]]: tensor<2x8x8x64xf32>, %[[MEAN:.*]]: tensor<64xf32>)
// CHECK-DAG: %[[GROWS:.*]] = tensor.collapse_shape %[[G]] {{\[\[}}0, 1, 2], [3]]
// CHECK-DAG: %[[INROWS:.*]] = tensor.collapse_shape %[[IN]] {{\[\[}}0, 1, 2], [3]]
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%cst : f32)
// CHECK: %[[SUMS:.*]]:2 = linalg.generic {indexing_maps = [#[[DOWN]], #[[DOWN]], #[[CHANNEL]], #[[CHANNEL]], #[[CHANNEL]]], iterator_types = ["parallel", "reduction"]}
// CHECK-SAME: ins(%[[GROWS]], %[[INROWS]], %[[MEAN]] : {{.*}} outs(%[[ZEROS]], %[[ZEROS]] :
// CHECK-SAME: pocket.tiles<distribution = [64, 0], vector = [64, 0], reduction = [0, 1],
// CHECK: ^bb0(%[[DY:.*]]: f32, %[[X:.*]]: f32, %[[M:.*]]: f32, %[[S0:.*]]: f32, %[[S1:.*]]: f32):
// CHECK: %[[D:.*]] = arith.subf %[[X]], %[[M]]
// CHECK: %[[P:.*]] = arith.mulf %[[DY]], %[[D]]
// CHECK: %[[T:.*]] = arith.addf %[[P]], %cst
// CHECK-DAG: arith.addf %[[S0]], %[[DY]]
// CHECK-DAG: arith.addf %[[S1]], %[[T]]
// CHECK: return %[[SUMS]]#0, %[[SUMS]]#1
func.func @batch_norm_reduce_grad(%dy: tensor<2x8x8x64xf32>, %x: tensor<2x8x8x64xf32>, %m: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0, %1 = pocket.batch_norm_reduce_grad %dy, %x mean %m channel_dim = 3 : (tensor<2x8x8x64xf32>, tensor<2x8x8x64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// Two passes: the mean, then squares of what is left (their sign is cleared, or the sum
// would be taken for a matrix product). Scale and bias lie along the row.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: %[[X:.*]]: tensor<4x6x32xf32>, %[[G:.*]]: tensor<32xf32>, %[[B:.*]]: tensor<32xf32>)
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[EPSILON:.*]] = arith.constant 9.99999974E-6 : f32
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 3.200000e+01 : f32
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<4x6x32xf32> into tensor<24x32xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[ROWS]] :
// CHECK: %[[MEAN:.*]] = linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK: arith.divf %{{.*}}, %[[SIZE]]
// CHECK: %[[SQUARES:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%[[ROWS]], %[[MEAN]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[M:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[A]], %[[M]]
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[D]], %[[D]]
// CHECK-NEXT: %[[P:.*]] = math.absf %[[Q]]
// CHECK-NEXT: arith.addf %[[S]], %[[P]]
// CHECK: %[[RSTD:.*]] = linalg.generic {{.*}} ins(%[[SQUARES]] :
// CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[V:.*]] = arith.divf %[[S]], %[[SIZE]]
// CHECK-NEXT: %[[W:.*]] = arith.addf %[[V]], %[[EPSILON]]
// CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %[[W]]
// CHECK-NEXT: arith.divf %[[ONE]], %[[ROOT]]
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ROW]], #[[COLUMN]], #[[COLUMN]], #[[ALL]]], {{.*}} ins(%[[ROWS]], %[[MEAN]], %[[RSTD]], %[[G]], %[[B]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[M:.*]]: f32, %[[R:.*]]: f32, %[[SCALE:.*]]: f32, %[[BIAS:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[A]], %[[M]]
// CHECK-NEXT: %[[N:.*]] = arith.mulf %[[D]], %[[R]]
// CHECK-NEXT: %[[T:.*]] = arith.mulf %[[N]], %[[SCALE]]
// CHECK-NEXT: arith.addf %[[T]], %[[BIAS]]
// CHECK-DAG: %[[Y3:.*]] = tensor.expand_shape %[[Y]] {{.*}} output_shape [4, 6, 32]
// CHECK-DAG: %[[MEAN2:.*]] = tensor.expand_shape %[[MEAN]] {{.*}} output_shape [4, 6]
// CHECK-DAG: %[[RSTD2:.*]] = tensor.expand_shape %[[RSTD]] {{.*}} output_shape [4, 6]
// CHECK: return %[[Y3]], %[[MEAN2]], %[[RSTD2]]
func.func @layer_norm(%x: tensor<4x6x32xf32>, %g: tensor<32xf32>, %b: tensor<32xf32>) -> (tensor<4x6x32xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0, %1, %2 = pocket.layer_norm %x scale %g bias %b axis = 2 epsilon = 1.0e-5 : (tensor<4x6x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<4x6x32xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
  return %0, %1, %2 : tensor<4x6x32xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// Without a scale and a bias nothing is read for them.
// CHECK-LABEL: func.func @layer_norm_plain(
// CHECK: math.sqrt
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK: arith.subf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: linalg.yield
func.func @layer_norm_plain(%x: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %0, %1, %2 = pocket.layer_norm %x axis = 1 epsilon = 1.0e-5 : (tensor<24x32xf32>) -> (tensor<24x32xf32>, tensor<24xf32>, tensor<24xf32>)
  return %0 : tensor<24x32xf32>
}

// -----

// Statistics and scale meet per channel; the tensor sees one factor.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[CHANNEL:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func.func @batch_norm_inference(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4x4xf32>, %[[MEAN:.*]]: tensor<3xf32>, %[[VAR:.*]]: tensor<3xf32>, %[[G:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<3xf32>)
// CHECK: %[[FACTOR:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} ins(%[[VAR]], %[[G]] :
// CHECK-NEXT: ^bb0(%[[V:.*]]: f32, %[[SCALE:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[W:.*]] = arith.addf %[[V]], %{{.*}}
// CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %[[W]]
// CHECK-NEXT: %[[R:.*]] = arith.divf %{{.*}}, %[[ROOT]]
// CHECK-NEXT: arith.mulf %[[R]], %[[SCALE]]
// CHECK: %[[V3:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1], [2, 3]] : tensor<2x3x4x4xf32> into tensor<2x3x16xf32>
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[CHANNEL]], #[[CHANNEL]], #[[CHANNEL]], #[[ALL]]], {{.*}} ins(%[[V3]], %[[MEAN]], %[[FACTOR]], %[[B]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[M:.*]]: f32, %[[F:.*]]: f32, %[[BIAS:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[A]], %[[M]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[D]], %[[F]]
// CHECK-NEXT: arith.addf %[[P]], %[[BIAS]]
// CHECK: tensor.expand_shape %[[Y]] {{\[\[}}0], [1], [2, 3]] output_shape [2, 3, 4, 4]
func.func @batch_norm_inference(%x: tensor<2x3x4x4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %g: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3x4x4xf32> {
  %0 = pocket.batch_norm_inference %x mean %m variance %v scale %g bias %b epsilon = 1.0e-5 : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
  return %0 : tensor<2x3x4x4xf32>
}

// -----

// In training the statistics come of the batch: sums along each image's rows, then over
// the images; the squares of what the mean leaves, in the same way. Both are results.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[CHANNEL:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-DAG: #[[IMAGE:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[DOWN:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @batch_norm_training(
// CHECK-SAME: %[[X:.*]]: tensor<8x3x4xf32>, %[[G:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<3xf32>)
// CHECK-DAG: %[[COUNT:.*]] = arith.constant 3.200000e+01 : f32
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<8x3x4xf32> into tensor<24x4xf32>
// CHECK: %[[S0:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[ROWS]] :
// CHECK: %[[S1:.*]] = tensor.expand_shape %[[S0]] {{.*}} output_shape [8, 3]
// CHECK: %[[S2:.*]] = linalg.generic {indexing_maps = [#[[DOWN]], #{{.*}}], {{.*}} ins(%[[S1]] :
// CHECK: %[[MEAN:.*]] = linalg.generic {{.*}} ins(%[[S2]] :
// CHECK: arith.divf %{{.*}}, %[[COUNT]]
// CHECK: %[[Q0:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[CHANNEL]], #[[IMAGE]]], {{.*}} ins(%[[X]], %[[MEAN]] :
// CHECK: math.absf
// CHECK: %[[Q1:.*]] = linalg.generic {indexing_maps = [#[[DOWN]], #{{.*}}], {{.*}} ins(%[[Q0]] :
// CHECK: %[[VAR:.*]] = linalg.generic {{.*}} ins(%[[Q1]] :
// CHECK: arith.divf %{{.*}}, %[[COUNT]]
// CHECK: %[[FACTOR:.*]] = linalg.generic {{.*}} ins(%[[VAR]], %[[G]] :
// CHECK: math.sqrt
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[CHANNEL]], #[[CHANNEL]], #[[CHANNEL]], #[[ALL]]], {{.*}} ins(%[[X]], %[[MEAN]], %[[FACTOR]], %[[B]] :
// CHECK: return %[[Y]], %[[MEAN]], %[[VAR]]
func.func @batch_norm_training(%x: tensor<8x3x4xf32>, %g: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<8x3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0, %1, %2 = pocket.batch_norm_training %x scale %g bias %b epsilon = 1.0e-5 : (tensor<8x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<8x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0, %1, %2 : tensor<8x3x4xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// rstd (g s - mean(g s) - n mean(g s n)), n the normalized input, s the scale: both means
// come of one pass.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @layer_norm_input_grad(
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 4.000000e+00 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[SUMS:.*]]:2 = linalg.generic {indexing_maps = [#[[ALL]], #[[ALL]], #[[ROW]], #[[ROW]], #[[COLUMN]], #[[ROW]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%arg0, %arg1, %arg2, %arg3, %arg4 :
// CHECK-NEXT: ^bb0(%[[G:.*]]: f32, %[[X:.*]]: f32, %[[M:.*]]: f32, %[[R:.*]]: f32, %[[S:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-NEXT: %[[GS:.*]] = arith.mulf %[[G]], %[[S]]
// CHECK-NEXT: %[[T0:.*]] = arith.addf %[[GS]], %[[ZERO]]
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[X]], %[[M]]
// CHECK-NEXT: %[[N:.*]] = arith.mulf %[[D]], %[[R]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[GS]], %[[N]]
// CHECK-NEXT: %[[T1:.*]] = arith.addf %[[P]], %[[ZERO]]
// CHECK-NEXT: arith.addf %[[A]], %[[T0]]
// CHECK-NEXT: arith.addf %[[B]], %[[T1]]
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[ALL]], #[[ROW]], #[[ROW]], #[[COLUMN]], #[[ROW]], #[[ROW]], #[[ALL]]], {{.*}} ins(%arg0, %arg1, %arg2, %arg3, %arg4, %[[SUMS]]#0, %[[SUMS]]#1 :
// CHECK-NEXT: ^bb0(%[[G:.*]]: f32, %[[X:.*]]: f32, %[[M:.*]]: f32, %[[R:.*]]: f32, %[[S:.*]]: f32, %[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-DAG: %[[MEAN1:.*]] = arith.divf %[[B]], %[[SIZE]]
// CHECK-DAG: %[[D:.*]] = arith.subf %[[X]], %[[M]]
// CHECK-DAG: %[[N:.*]] = arith.mulf %[[D]], %[[R]]
// CHECK-DAG: %[[NM:.*]] = arith.mulf %[[N]], %[[MEAN1]]
// CHECK-DAG: %[[MEAN0:.*]] = arith.divf %[[A]], %[[SIZE]]
// CHECK-DAG: %[[GS:.*]] = arith.mulf %[[G]], %[[S]]
// CHECK: %[[C:.*]] = arith.subf %[[GS]], %[[MEAN0]]
// CHECK-NEXT: %[[E:.*]] = arith.subf %[[C]], %[[NM]]
// CHECK-NEXT: arith.mulf %[[R]], %[[E]]
func.func @layer_norm_input_grad(%dy: tensor<8x4xf32>, %x: tensor<8x4xf32>, %m: tensor<8xf32>, %r: tensor<8xf32>, %g: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = pocket.layer_norm_input_grad %dy, %x mean %m rstd %r scale %g axis = 1 : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
