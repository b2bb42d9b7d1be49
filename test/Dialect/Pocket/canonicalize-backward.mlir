// RUN: pocket-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @all_channels
// CHECK-NEXT: return %arg0
func.func @all_channels(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = pocket.take_channels %x <dim = 1, [0 to 8]> : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: @saved_twice
// CHECK-NEXT: %[[S:.*]] = pocket.save %arg0
// CHECK-NEXT: return %[[S]]
func.func @saved_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.save %x : tensor<4xf32>
  %1 = pocket.save %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @packed_and_unpacked
// CHECK-NEXT: return %arg0
func.func @packed_and_unpacked(%x: tensor<9xi1>) -> tensor<9xi1> {
  %0 = pocket.pack_bits %x dim = 0 : (tensor<9xi1>) -> tensor<2xi8>
  %1 = pocket.unpack_bits %0 dim = 0 : (tensor<2xi8>) -> tensor<9xi1>
  return %1 : tensor<9xi1>
}

// A seed and what is saved stay: they say where the backward pass begins.
// CHECK-LABEL: @kept
// CHECK-NEXT: pocket.gradient_seed
// CHECK-NEXT: pocket.save
func.func @kept(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %0 = pocket.gradient_seed : tensor<f32>
  %1 = pocket.save %x : tensor<4xf32>
  return %0, %1 : tensor<f32>, tensor<4xf32>
}
