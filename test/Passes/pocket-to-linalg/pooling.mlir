// RUN: pocket-opt %s --pocket-to-linalg --canonicalize | FileCheck %s

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

// Without padding every window starts with its first tap.
// CHECK-LABEL: func.func @unpadded
// CHECK-NOT: linalg.index
// CHECK: return
func.func @unpadded(%x: tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>) {
  %0, %1 = pocket.max_pool2d %x kernel = [2, 2] strides = [2, 2] layout = nhwc : (tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>)
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>
}

// Nobody reads the index.
// CHECK-LABEL: func.func @value_only
// CHECK-NOT: linalg.index
// CHECK: arith.maximumf
func.func @value_only(%x: tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32> {
  %0, %1 = pocket.max_pool2d %x kernel = [3, 3] strides = [2, 2] padding = [1, 1] layout = nhwc : (tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi8>)
  return %0 : tensor<1x4x4x4xf32>
}
