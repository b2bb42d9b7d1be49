// RUN: pocket-opt %s | FileCheck %s
// RUN: pocket-opt %s --mlir-print-op-generic | pocket-opt | FileCheck %s
// RUN: pocket-opt %s --emit-bytecode | pocket-opt | FileCheck %s

// CHECK-LABEL: @constants
func.func @constants() {
  // CHECK: pocket.constant dense<1.000000e+00> : tensor<2x3xf32>{{$}}
  %0 = pocket.constant dense<1.000000e+00> : tensor<2x3xf32>
  // CHECK: pocket.constant dense<[1, -2, 3]> : tensor<3xi64>{{$}}
  %1 = pocket.constant dense<[1, -2, 3]> : tensor<3xi64>
  // CHECK: pocket.constant dense<true> : tensor<2xi1>{{$}}
  %2 = pocket.constant dense<true> : tensor<2xi1>
  // CHECK: pocket.constant dense<0x7FC00000> : tensor<f32>{{$}}
  %3 = pocket.constant dense<0x7FC00000> : tensor<f32>
  // CHECK: pocket.constant dense<> : tensor<0xf32>{{$}}
  %4 = pocket.constant dense<> : tensor<0xf32>
  // CHECK: pocket.constant {note = "kept"} dense<0.000000e+00> : tensor<f32>{{$}}
  %5 = pocket.constant {note = "kept"} dense<0.000000e+00> : tensor<f32>
  return
}

// CHECK-LABEL: @reductions
func.func @reductions(%x: tensor<2x3x4xf32>, %i: tensor<2x3xi64>) {
  // CHECK: pocket.sum %{{.*}} dims = [1] : (tensor<2x3x4xf32>) -> tensor<2x4xf32>{{$}}
  %0 = pocket.sum %x dims = [1] : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  // CHECK: pocket.mean %{{.*}} dims = [1] : (tensor<2x3x4xf32>) -> tensor<2x4xf32>{{$}}
  %1 = pocket.mean %x dims = [1] : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  // CHECK: pocket.reduce_max %{{.*}} dims = [1] : (tensor<2x3x4xf32>) -> tensor<2x4xf32>{{$}}
  %2 = pocket.reduce_max %x dims = [1] : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  // CHECK: pocket.reduce_min %{{.*}} dims = [1] : (tensor<2x3x4xf32>) -> tensor<2x4xf32>{{$}}
  %3 = pocket.reduce_min %x dims = [1] : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  // CHECK: pocket.sum %{{.*}} dims = [0, 2] keepdims : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>{{$}}
  %4 = pocket.sum %x dims = [0, 2] keepdims : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: pocket.mean %{{.*}} dims = [0, 2] keepdims : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>{{$}}
  %5 = pocket.mean %x dims = [0, 2] keepdims : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: pocket.reduce_max %{{.*}} dims = [0, 2] keepdims : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>{{$}}
  %6 = pocket.reduce_max %x dims = [0, 2] keepdims : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: pocket.reduce_min %{{.*}} dims = [0, 2] keepdims : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>{{$}}
  %7 = pocket.reduce_min %x dims = [0, 2] keepdims : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: pocket.sum %{{.*}} dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<f32>{{$}}
  %8 = pocket.sum %x dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<f32>
  // CHECK: pocket.sum %{{.*}} dims = [] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>{{$}}
  %9 = pocket.sum %x dims = [] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: pocket.sum %{{.*}} dims = [0] : (tensor<2x3xi64>) -> tensor<3xi64>{{$}}
  %10 = pocket.sum %i dims = [0] : (tensor<2x3xi64>) -> tensor<3xi64>
  // CHECK: pocket.reduce_max %{{.*}} dims = [0] : (tensor<2x3xi64>) -> tensor<3xi64>{{$}}
  %11 = pocket.reduce_max %i dims = [0] : (tensor<2x3xi64>) -> tensor<3xi64>
  // CHECK: pocket.reduce_min %{{.*}} dims = [0] : (tensor<2x3xi64>) -> tensor<3xi64>{{$}}
  %12 = pocket.reduce_min %i dims = [0] : (tensor<2x3xi64>) -> tensor<3xi64>
  // CHECK: pocket.argmax %{{.*}} dim = 2 : (tensor<2x3x4xf32>) -> tensor<2x3xi64>{{$}}
  %13 = pocket.argmax %x dim = 2 : (tensor<2x3x4xf32>) -> tensor<2x3xi64>
  // CHECK: pocket.argmax %{{.*}} dim = 0 keepdims : (tensor<2x3xi64>) -> tensor<1x3xi64>{{$}}
  %14 = pocket.argmax %i dim = 0 keepdims : (tensor<2x3xi64>) -> tensor<1x3xi64>
  return
}

// CHECK-LABEL: @empty_sum
func.func @empty_sum(%x: tensor<0x3xf32>) {
  // CHECK: pocket.sum %{{.*}} dims = [0] : (tensor<0x3xf32>) -> tensor<3xf32>{{$}}
  %0 = pocket.sum %x dims = [0] : (tensor<0x3xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @movement
func.func @movement(%x: tensor<2x3xf32>, %s: tensor<f32>, %c: tensor<3x1xf32>, %i: tensor<2x3xi64>) {
  // CHECK: pocket.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<3x2x1xf32>{{$}}
  %0 = pocket.reshape %x : (tensor<2x3xf32>) -> tensor<3x2x1xf32>
  // CHECK: pocket.reshape %{{.*}} : (tensor<f32>) -> tensor<1x1xf32>{{$}}
  %1 = pocket.reshape %s : (tensor<f32>) -> tensor<1x1xf32>
  // CHECK: pocket.transpose %{{.*}} permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>{{$}}
  %2 = pocket.transpose %x permutation = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: pocket.transpose %{{.*}} permutation = [] : (tensor<f32>) -> tensor<f32>{{$}}
  %3 = pocket.transpose %s permutation = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: pocket.broadcast %{{.*}} : (tensor<3x1xf32>) -> tensor<2x3x4xf32>{{$}}
  %4 = pocket.broadcast %c : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
  // CHECK: pocket.broadcast %{{.*}} : (tensor<f32>) -> tensor<5xf32>{{$}}
  %5 = pocket.broadcast %s : (tensor<f32>) -> tensor<5xf32>
  // CHECK: pocket.slice %{{.*}} offsets = [1, 0] sizes = [1, 2] strides = [1, 2] : (tensor<2x3xf32>) -> tensor<1x2xf32>{{$}}
  %6 = pocket.slice %x offsets = [1, 0] sizes = [1, 2] strides = [1, 2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  // CHECK: pocket.slice %{{.*}} offsets = [0, 0] sizes = [0, 3] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<0x3xf32>{{$}}
  %7 = pocket.slice %x offsets = [0, 0] sizes = [0, 3] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<0x3xf32>
  // CHECK: pocket.slice_grad %{{.*}} offsets = [0, 2] strides = [2, 1] : (tensor<3x1xf32>) -> tensor<5x3xf32>{{$}}
  %8 = pocket.slice_grad %c offsets = [0, 2] strides = [2, 1] : (tensor<3x1xf32>) -> tensor<5x3xf32>
  // CHECK: pocket.concat %{{.*}}, %{{.*}} dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>{{$}}
  %9 = pocket.concat %x, %x dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // CHECK: pocket.concat %{{.*}} dim = 1 : (tensor<2x3xi64>) -> tensor<2x3xi64>{{$}}
  %10 = pocket.concat %i dim = 1 : (tensor<2x3xi64>) -> tensor<2x3xi64>
  // CHECK: pocket.pad %{{.*}} low = [0, 1] high = [2, 0] : (tensor<2x3xf32>) -> tensor<4x4xf32>{{$}}
  %11 = pocket.pad %x low = [0, 1] high = [2, 0] : (tensor<2x3xf32>) -> tensor<4x4xf32>
  // CHECK: pocket.pad %{{.*}} low = [0, 1] high = [2, 0] value = -1.000000e+00 : (tensor<2x3xf32>) -> tensor<4x4xf32>{{$}}
  %12 = pocket.pad %x low = [0, 1] high = [2, 0] value = -1.000000e+00 : (tensor<2x3xf32>) -> tensor<4x4xf32>
  // CHECK: pocket.reverse %{{.*}} dims = [1, 0] : tensor<2x3xf32>{{$}}
  %13 = pocket.reverse %x dims = [1, 0] : tensor<2x3xf32>
  // CHECK: pocket.reverse %{{.*}} dims = [] : tensor<2x3xf32>{{$}}
  %14 = pocket.reverse %x dims = [] : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @gather
func.func @gather(%w: tensor<10x4xf32>, %i: tensor<2x3xi64>, %j: tensor<10x2xi32>, %g: tensor<2x3x4xf32>, %h: tensor<10x2xf32>) {
  // CHECK: pocket.embedding %{{.*}}, %{{.*}} : (tensor<10x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>{{$}}
  %0 = pocket.embedding %w, %i : (tensor<10x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
  // CHECK: pocket.embedding %{{.*}}, %{{.*}} padding_idx = 0 : (tensor<10x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>{{$}}
  %1 = pocket.embedding %w, %i padding_idx = 0 : (tensor<10x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
  // CHECK: pocket.embedding_grad %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<2x3xi64>) -> tensor<10x4xf32>{{$}}
  %2 = pocket.embedding_grad %g, %i : (tensor<2x3x4xf32>, tensor<2x3xi64>) -> tensor<10x4xf32>
  // CHECK: pocket.embedding_grad %{{.*}}, %{{.*}} padding_idx = 9 : (tensor<2x3x4xf32>, tensor<2x3xi64>) -> tensor<10x4xf32>{{$}}
  %3 = pocket.embedding_grad %g, %i padding_idx = 9 : (tensor<2x3x4xf32>, tensor<2x3xi64>) -> tensor<10x4xf32>
  // CHECK: pocket.gather %{{.*}}, %{{.*}} dim = 1 : (tensor<10x4xf32>, tensor<10x2xi32>) -> tensor<10x2xf32>{{$}}
  %4 = pocket.gather %w, %j dim = 1 : (tensor<10x4xf32>, tensor<10x2xi32>) -> tensor<10x2xf32>
  // CHECK: pocket.gather_grad %{{.*}}, %{{.*}} dim = 1 : (tensor<10x2xf32>, tensor<10x2xi32>) -> tensor<10x4xf32>{{$}}
  %5 = pocket.gather_grad %h, %j dim = 1 : (tensor<10x2xf32>, tensor<10x2xi32>) -> tensor<10x4xf32>
  return
}
