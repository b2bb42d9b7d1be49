// RUN: pocket-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @nothing_to_do
// CHECK-SAME: %[[X:.*]]: tensor<2x1x3xf32>
func.func @nothing_to_do(%x: tensor<2x1x3xf32>) -> (tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>) {
  %0 = pocket.reshape %x : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  %1 = pocket.transpose %x permutation = [0, 1, 2] : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  %2 = pocket.broadcast %x : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  %3 = pocket.slice %x offsets = [0, 0, 0] sizes = [2, 1, 3] strides = [1, 1, 1] : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  %4 = pocket.concat %x dim = 0 : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  %5 = pocket.pad %x low = [0, 0, 0] high = [0, 0, 0] value = 1.0 : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  %6 = pocket.reverse %x dims = [1] : tensor<2x1x3xf32>
  %7 = pocket.sum %x dims = [] : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  %8 = pocket.mean %x dims = [1] keepdims : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>, tensor<2x1x3xf32>
}

// -----

// CHECK-LABEL: @chains
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
func.func @chains(%x: tensor<2x3x4xf32>) -> (tensor<24xf32>, tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<2x3x4xf32>) {
  // CHECK-NEXT: %[[R:.*]] = pocket.reshape %[[X]] : (tensor<2x3x4xf32>) -> tensor<24xf32>
  %0 = pocket.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = pocket.reshape %0 : (tensor<6x4xf32>) -> tensor<24xf32>
  %2 = pocket.reshape %0 : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: %[[T:.*]] = pocket.transpose %[[X]] permutation = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %3 = pocket.transpose %x permutation = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %4 = pocket.transpose %3 permutation = [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  %5 = pocket.transpose %4 permutation = [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  // CHECK-NEXT: return %[[R]], %[[X]], %[[T]], %[[X]]
  return %1, %2, %4, %5 : tensor<24xf32>, tensor<2x3x4xf32>, tensor<3x4x2xf32>, tensor<2x3x4xf32>
}

// -----

// What moves dimensions of size 1 only is a reshape, and so is what reduces them.
// CHECK-LABEL: @ones
func.func @ones(%x: tensor<2x1x3xf32>) -> (tensor<1x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x1x2xf32>, tensor<3xf32>) {
  // CHECK-NEXT: pocket.reshape %{{.*}} : (tensor<2x1x3xf32>) -> tensor<1x2x3xf32>
  %0 = pocket.transpose %x permutation = [1, 0, 2] : (tensor<2x1x3xf32>) -> tensor<1x2x3xf32>
  // CHECK-NEXT: pocket.reshape %{{.*}} : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
  %1 = pocket.sum %x dims = [1] : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: pocket.reshape %{{.*}} : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
  %2 = pocket.reduce_max %x dims = [1] : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: pocket.transpose
  %3 = pocket.transpose %x permutation = [2, 1, 0] : (tensor<2x1x3xf32>) -> tensor<3x1x2xf32>
  // CHECK-NEXT: pocket.sum
  %4 = pocket.sum %x dims = [0, 1] : (tensor<2x1x3xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3, %4 : tensor<1x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x1x2xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<3x2xi64>, tensor<3x2xi64>, tensor<2x2xi64>, tensor<2x3xi64>, tensor<2x2x3xi64>) {
  // CHECK-DAG: %[[RESHAPED:.*]] = pocket.constant dense<{{\[}}[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>
  // CHECK-DAG: %[[TRANSPOSED:.*]] = pocket.constant dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi64>
  // CHECK-DAG: %[[SLICED:.*]] = pocket.constant dense<{{\[}}[1, 3], [4, 6]]> : tensor<2x2xi64>
  // CHECK-DAG: %[[REVERSED:.*]] = pocket.constant dense<{{\[}}[6, 5, 4], [3, 2, 1]]> : tensor<2x3xi64>
  // CHECK-DAG: %[[REPEATED:.*]] = pocket.constant dense<{{\[\[}}[1, 2, 3], [4, 5, 6]], {{\[}}[1, 2, 3], [4, 5, 6]]]> : tensor<2x2x3xi64>
  %c = pocket.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %0 = pocket.reshape %c : (tensor<2x3xi64>) -> tensor<3x2xi64>
  %1 = pocket.transpose %c permutation = [1, 0] : (tensor<2x3xi64>) -> tensor<3x2xi64>
  %2 = pocket.slice %c offsets = [0, 0] sizes = [2, 2] strides = [1, 2] : (tensor<2x3xi64>) -> tensor<2x2xi64>
  %3 = pocket.reverse %c dims = [0, 1] : tensor<2x3xi64>
  %4 = pocket.broadcast %c : (tensor<2x3xi64>) -> tensor<2x2x3xi64>
  // CHECK: return %[[RESHAPED]], %[[TRANSPOSED]], %[[SLICED]], %[[REVERSED]], %[[REPEATED]]
  return %0, %1, %2, %3, %4 : tensor<3x2xi64>, tensor<3x2xi64>, tensor<2x2xi64>, tensor<2x3xi64>, tensor<2x2x3xi64>
}

// -----

// A splat stays one, however large; single booleans and empty tensors are no special case.
// CHECK-LABEL: @splats
func.func @splats() -> (tensor<1000x1000xf32>, tensor<10xi1>, tensor<0x3xf32>, tensor<0x2xf32>) {
  // CHECK-DAG: pocket.constant dense<2.000000e+00> : tensor<1000x1000xf32>
  // CHECK-DAG: pocket.constant dense<true> : tensor<10xi1>
  // CHECK-DAG: pocket.constant dense<> : tensor<0x3xf32>
  // CHECK-DAG: pocket.constant dense<> : tensor<0x2xf32>
  // CHECK-NOT: pocket.{{broadcast|slice|reshape}}
  %c = pocket.constant dense<2.0> : tensor<f32>
  %t = pocket.constant dense<true> : tensor<i1>
  %s = pocket.constant dense<2.0> : tensor<3x3xf32>
  %d = pocket.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = pocket.broadcast %c : (tensor<f32>) -> tensor<1000x1000xf32>
  %1 = pocket.broadcast %t : (tensor<i1>) -> tensor<10xi1>
  %2 = pocket.slice %s offsets = [0, 0] sizes = [0, 3] strides = [1, 1] : (tensor<3x3xf32>) -> tensor<0x3xf32>
  %3 = pocket.slice %d offsets = [0, 0] sizes = [0, 2] strides = [1, 1] : (tensor<2x2xf32>) -> tensor<0x2xf32>
  return %0, %1, %2, %3 : tensor<1000x1000xf32>, tensor<10xi1>, tensor<0x3xf32>, tensor<0x2xf32>
}

// -----

// A program does not grow by folding: 2048 different elements stay an op.
// CHECK-LABEL: @large
func.func @large() -> tensor<1024x2xf32> {
  %c = pocket.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: pocket.broadcast
  %0 = pocket.broadcast %c : (tensor<2xf32>) -> tensor<1024x2xf32>
  return %0 : tensor<1024x2xf32>
}

// -----

// What changes a value is kept.
// CHECK-LABEL: @kept
func.func @kept(%x: tensor<2x3xf32>) -> (tensor<3x3xf32>, tensor<4x3xf32>, tensor<1x3xf32>, tensor<3xf32>) {
  // CHECK: pocket.pad
  %0 = pocket.pad %x low = [1, 0] high = [0, 0] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  // CHECK: pocket.concat
  %1 = pocket.concat %x, %x dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // CHECK: pocket.slice
  %2 = pocket.slice %x offsets = [1, 0] sizes = [1, 3] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  // CHECK: pocket.reduce_max
  %3 = pocket.reduce_max %x dims = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3 : tensor<3x3xf32>, tensor<4x3xf32>, tensor<1x3xf32>, tensor<3xf32>
}
