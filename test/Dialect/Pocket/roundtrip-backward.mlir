// RUN: pocket-opt %s | FileCheck %s
// RUN: pocket-opt %s --mlir-print-op-generic | pocket-opt | FileCheck %s
// RUN: pocket-opt %s --emit-bytecode | pocket-opt | FileCheck %s

// CHECK-LABEL: @backward
func.func @backward(%x: tensor<2x8xf32>, %c: tensor<3x10x5xi1>, %s: tensor<2x3xf32>) {
  // CHECK: pocket.gradient_seed : tensor<f32>{{$}}
  %0 = pocket.gradient_seed : tensor<f32>
  // CHECK: pocket.save %{{.*}} : tensor<2x8xf32>{{$}}
  %1 = pocket.save %x : tensor<2x8xf32>
  // CHECK: pocket.pack_bits %{{.*}} dim = 1 : (tensor<3x10x5xi1>) -> tensor<3x2x5xi8>{{$}}
  %2 = pocket.pack_bits %c dim = 1 : (tensor<3x10x5xi1>) -> tensor<3x2x5xi8>
  // CHECK: pocket.unpack_bits %{{.*}} dim = 1 : (tensor<3x2x5xi8>) -> tensor<3x10x5xi1>{{$}}
  %3 = pocket.unpack_bits %2 dim = 1 : (tensor<3x2x5xi8>) -> tensor<3x10x5xi1>
  // CHECK: pocket.take_channels %{{.*}} <dim = 1, [0 to 2], [6 to 7]> : (tensor<2x8xf32>) -> tensor<2x3xf32>{{$}}
  %4 = pocket.take_channels %x <dim = 1, [0 to 2], [6 to 7]> : (tensor<2x8xf32>) -> tensor<2x3xf32>
  // CHECK: pocket.assign_channels %{{.*}} <dim = 1, [0 to 2], [6 to 7]> with %{{.*}} : (tensor<2x8xf32>, tensor<2x3xf32>) -> tensor<2x8xf32>{{$}}
  %5 = pocket.assign_channels %x <dim = 1, [0 to 2], [6 to 7]> with %s : (tensor<2x8xf32>, tensor<2x3xf32>) -> tensor<2x8xf32>
  return
}
