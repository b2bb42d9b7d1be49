// RUN: pocket-opt %s --pocket-to-linalg --canonicalize | FileCheck %s
// RUN: pocket-opt %s --pocket-to-linalg=vector-bits=512 --canonicalize | FileCheck %s --check-prefix=WIDE

// CHECK-DAG: #[[DOWN:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[PART:.*]] = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
// CHECK-DAG: #[[SUM:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[TOKEN:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[TOKENROW:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>

// Columns run down strips of eight registers.
// CHECK-LABEL: func.func @columns
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK: linalg.generic {indexing_maps = [#[[DOWN]], #[[FIRST]]], iterator_types = ["parallel", "reduction"]} ins(%arg0 : {{.*}} outs(%[[ZEROS]] :
// CHECK-SAME: pocket.tiles = #pocket.tiles<distribution = [64, 0], vector = [64, 0], reduction = [0, 1], pipeline = "DoubleTilingExpert">
// CHECK: arith.addf
// WIDE-LABEL: func.func @columns
// WIDE: pocket.tiles = #pocket.tiles<distribution = [128, 0], vector = [128, 0]
func.func @columns(%x: tensor<200x256xf32>) -> tensor<256xf32> {
  %0 = pocket.sum %x dims = [0] : (tensor<200x256xf32>) -> tensor<256xf32>
  return %0 : tensor<256xf32>
}

// Tall columns are summed in parts, then the parts.
// CHECK-LABEL: func.func @tall_columns
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %arg0 {{\[\[}}0, 1], [2]] output_shape [64, 128, 64]
// CHECK: %[[SUMS:.*]] = linalg.generic {indexing_maps = [#[[PART]], #[[SUM]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[PARTS]] :
// CHECK: linalg.generic {indexing_maps = [#[[DOWN]], #[[FIRST]]], iterator_types = ["parallel", "reduction"]} ins(%[[SUMS]] :
func.func @tall_columns(%x: tensor<8192x64xf32>) -> tensor<64xf32> {
  %0 = pocket.sum %x dims = [0] : (tensor<8192x64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: func.func @rows
// CHECK: pocket.tiles = #pocket.tiles<distribution = [8, 0], vector = [1, 0], reduction = [0, 64], pipeline = "DoubleTilingExpert">
// CHECK: tensor.expand_shape {{.*}} output_shape [64, 1]
func.func @rows(%x: tensor<64x128xf32>) -> tensor<64x1xf32> {
  %0 = pocket.sum %x dims = [1] keepdims : (tensor<64x128xf32>) -> tensor<64x1xf32>
  return %0 : tensor<64x1xf32>
}

// A maximum passes NaN on.
// CHECK-LABEL: func.func @maximum
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: arith.maximumf
func.func @maximum(%x: tensor<8x5xf32>) -> tensor<8xf32> {
  %0 = pocket.reduce_max %x dims = [1] : (tensor<8x5xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The smallest index of the maximum, in two joins that need no order.
// CHECK-LABEL: func.func @argmax
// CHECK: %[[MAX:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[FIRST]]], iterator_types = ["parallel", "reduction"]} ins(%arg0 :
// CHECK: arith.maximumf
// CHECK: %[[AT:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[FIRST]], #[[ID]]], iterator_types = ["parallel", "parallel"]} ins(%arg0, %[[MAX]] :
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[M:.*]]: f32, %{{.*}}: i64):
// CHECK-NEXT: %[[I:.*]] = linalg.index 1
// CHECK-NEXT: %[[PLACE:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-DAG: %[[EQUAL:.*]] = arith.cmpf oeq, %[[X]], %[[M]]
// CHECK-DAG: %[[NAN:.*]] = arith.cmpf une, %[[X]], %[[X]]
// CHECK: %[[HIT:.*]] = arith.ori %[[EQUAL]], %[[NAN]]
// CHECK-NEXT: arith.select %[[HIT]], %[[PLACE]], %c5_i64
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[FIRST]]], iterator_types = ["parallel", "reduction"]} ins(%[[AT]] :
// CHECK: arith.minsi
func.func @argmax(%x: tensor<8x5xf32>) -> tensor<8xi64> {
  %0 = pocket.argmax %x dim = 1 : (tensor<8x5xf32>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

// CHECK-LABEL: func.func @movement
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[X:.*]][1, 0] [2, 3] [2, 1]
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK: %[[BACK:.*]] = tensor.insert_slice %[[SLICE]] into %[[ZEROS]][1, 0] [2, 3] [2, 1]
// CHECK: %[[LEFT:.*]] = tensor.insert_slice %[[BACK]] into %{{.*}}[0, 0] [5, 3] [1, 1]
// CHECK: tensor.insert_slice %[[X]] into %[[LEFT]][0, 3] [5, 3] [1, 1]
func.func @movement(%x: tensor<5x3xf32>) -> tensor<5x6xf32> {
  %0 = pocket.slice %x offsets = [1, 0] sizes = [2, 3] strides = [2, 1] : (tensor<5x3xf32>) -> tensor<2x3xf32>
  %1 = pocket.slice_grad %0 offsets = [1, 0] strides = [2, 1] : (tensor<2x3xf32>) -> tensor<5x3xf32>
  %2 = pocket.concat %1, %x dim = 1 : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x6xf32>
  return %2 : tensor<5x6xf32>
}

// An index out of range reads the nearest row, never outside the table.
// CHECK-LABEL: func.func @embedding
// CHECK: %[[TOKENS:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0, 1]] : tensor<2x3xi64> into tensor<6xi64>
// CHECK: %[[ROWS:.*]] = linalg.generic {indexing_maps = [#[[FIRST]], #[[ID]]], {{.*}} ins(%[[TOKENS]] : {{.*}} attrs = {pocket.form = "gather_rows"}
// CHECK-NEXT: ^bb0(%[[T:.*]]: i64, %{{.*}}: f32):
// CHECK-NEXT: %[[COLUMN:.*]] = linalg.index 1
// CHECK-NEXT: %[[HIGH:.*]] = arith.minsi %[[T]], %c9_i64 : i64
// CHECK-NEXT: %[[HELD:.*]] = arith.maxsi %[[HIGH]], %c0_i64
// CHECK-NEXT: %[[ROW:.*]] = arith.index_cast %[[HELD]]
// CHECK-NEXT: tensor.extract %arg0[%[[ROW]], %[[COLUMN]]]
// CHECK: tensor.expand_shape %[[ROWS]] {{\[\[}}0, 1], [2]] output_shape [2, 3, 16]
func.func @embedding(%w: tensor<10x16xf32>, %i: tensor<2x3xi64>) -> tensor<2x3x16xf32> {
  %0 = pocket.embedding %w, %i : (tensor<10x16xf32>, tensor<2x3xi64>) -> tensor<2x3x16xf32>
  return %0 : tensor<2x3x16xf32>
}

// CHECK-LABEL: func.func @embedding_grad
// CHECK: %[[ROWS:.*]] = linalg.generic {indexing_maps = [#[[FIRST]], #[[ID]], #[[ID]]],
// CHECK-NEXT: ^bb0(%[[T:.*]]: i64, %[[G:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[PADDING:.*]] = arith.cmpi eq, %[[T]], %c2_i64
// CHECK-NEXT: arith.select %[[PADDING]], %[[ZERO:.*]], %[[G]]
// CHECK: linalg.generic {indexing_maps = [#[[TOKEN]], #[[TOKENROW]], #[[SUM]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}}, %[[ROWS]] :
// CHECK-SAME: attrs = {pocket.form = "scatter_rows"}
// CHECK-NEXT: ^bb0(%[[T:.*]]: i64, %[[G:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: %[[I:.*]] = linalg.index 0
// CHECK-NEXT: %[[ROW:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT: %[[HERE:.*]] = arith.cmpi eq, %[[T]], %[[ROW]]
// CHECK-NEXT: %[[TERM:.*]] = arith.select %[[HERE]], %[[G]], %[[ZERO]]
// CHECK-NEXT: arith.addf %[[S]], %[[TERM]]
func.func @embedding_grad(%dy: tensor<2x3x16xf32>, %i: tensor<2x3xi64>) -> tensor<10x16xf32> {
  %0 = pocket.embedding_grad %dy, %i padding_idx = 2 : (tensor<2x3x16xf32>, tensor<2x3xi64>) -> tensor<10x16xf32>
  return %0 : tensor<10x16xf32>
}
