// RUN: pocket-opt %s --pocket-to-linalg --canonicalize | FileCheck %s
// RUN: pocket-opt %s --pocket-to-linalg=vector-bits=512 --canonicalize | FileCheck %s --check-prefix=WIDE

// Columns run down strips of eight registers.
// CHECK-LABEL: func.func @columns
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
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
// CHECK: %[[PARTS:.*]] = tensor.expand_shape
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[PARTS]] :
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[SUMS]] :
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
// CHECK: arith.maximumf
// CHECK: linalg.index 1
// CHECK: arith.cmpf oeq
// CHECK: arith.minsi
func.func @argmax(%x: tensor<8x5xf32>) -> tensor<8xi64> {
  %0 = pocket.argmax %x dim = 1 : (tensor<8x5xf32>) -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

// CHECK-LABEL: func.func @movement
// CHECK: tensor.extract_slice %{{.*}}[1, 0] [2, 3] [2, 1]
// CHECK: linalg.fill
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1, 0] [2, 3] [2, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [5, 3] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 3] [5, 3] [1, 1]
func.func @movement(%x: tensor<5x3xf32>) -> tensor<5x6xf32> {
  %0 = pocket.slice %x offsets = [1, 0] sizes = [2, 3] strides = [2, 1] : (tensor<5x3xf32>) -> tensor<2x3xf32>
  %1 = pocket.slice_grad %0 offsets = [1, 0] strides = [2, 1] : (tensor<2x3xf32>) -> tensor<5x3xf32>
  %2 = pocket.concat %1, %x dim = 1 : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x6xf32>
  return %2 : tensor<5x6xf32>
}

// An index out of range reads the nearest row, never outside the table.
// CHECK-LABEL: func.func @embedding
// CHECK: linalg.generic {{.*}} attrs = {pocket.form = "gather_rows"}
// CHECK: arith.minsi %{{.*}}, %{{.*}} : i64
// CHECK: arith.maxsi
// CHECK: tensor.extract
func.func @embedding(%w: tensor<10x16xf32>, %i: tensor<2x3xi64>) -> tensor<2x3x16xf32> {
  %0 = pocket.embedding %w, %i : (tensor<10x16xf32>, tensor<2x3xi64>) -> tensor<2x3x16xf32>
  return %0 : tensor<2x3x16xf32>
}

// CHECK-LABEL: func.func @embedding_grad
// CHECK: arith.cmpi eq, %{{.*}}, %c2_i64
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME: attrs = {pocket.form = "scatter_rows"}
func.func @embedding_grad(%dy: tensor<2x3x16xf32>, %i: tensor<2x3xi64>) -> tensor<10x16xf32> {
  %0 = pocket.embedding_grad %dy, %i padding_idx = 2 : (tensor<2x3x16xf32>, tensor<2x3xi64>) -> tensor<10x16xf32>
  return %0 : tensor<10x16xf32>
}
