// RUN: pocket-opt %s | FileCheck %s
// RUN: pocket-opt %s --mlir-print-op-generic | pocket-opt | FileCheck %s
// RUN: pocket-opt %s --emit-bytecode | pocket-opt | FileCheck %s

// CHECK-LABEL: @matmul
func.func @matmul(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %at: tensor<2x4x3xf32>, %bt: tensor<2x5x4xf32>) {
  // CHECK: pocket.matmul %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>{{$}}
  %0 = pocket.matmul %a, %b : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: pocket.matmul %{{.*}} transposed, %{{.*}} : (tensor<2x4x3xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>{{$}}
  %1 = pocket.matmul %at transposed, %b : (tensor<2x4x3xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: pocket.matmul %{{.*}}, %{{.*}} transposed : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>{{$}}
  %2 = pocket.matmul %a, %bt transposed : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  // CHECK: pocket.matmul %{{.*}} transposed, %{{.*}} transposed : (tensor<2x4x3xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>{{$}}
  %3 = pocket.matmul %at transposed, %bt transposed : (tensor<2x4x3xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  return
}

// CHECK-LABEL: @conv2d
func.func @conv2d(%x: tensor<2x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>, %wg: tensor<6x2x3x3xf32>, %xl: tensor<2x8x8x4xf32>, %wl: tensor<3x3x4x6xf32>, %g: tensor<2x6x4x4xf32>, %gl: tensor<2x6x6x6xf32>) {
  // CHECK: pocket.conv2d %{{.*}}, %{{.*}} : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x6x6xf32>{{$}}
  %0 = pocket.conv2d %x, %w : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x6x6xf32>
  // CHECK: pocket.conv2d %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>) -> tensor<2x6x6x6xf32>{{$}}
  %1 = pocket.conv2d %x, %w bias %b : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>) -> tensor<2x6x6x6xf32>
  // CHECK: pocket.conv2d %{{.*}}, %{{.*}} strides = [2, 1] : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x3x6xf32>{{$}}
  %2 = pocket.conv2d %x, %w strides = [2, 1] : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x3x6xf32>
  // CHECK: pocket.conv2d %{{.*}}, %{{.*}} padding = [1, 0, 2, 1] : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x7x9xf32>{{$}}
  %3 = pocket.conv2d %x, %w padding = [1, 0, 2, 1] : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x7x9xf32>
  // CHECK: pocket.conv2d %{{.*}}, %{{.*}} dilations = [1, 2] : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x6x4xf32>{{$}}
  %4 = pocket.conv2d %x, %w dilations = [1, 2] : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x6x4xf32>
  // CHECK: pocket.conv2d %{{.*}}, %{{.*}} groups = 2 : (tensor<2x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<2x6x6x6xf32>{{$}}
  %5 = pocket.conv2d %x, %wg groups = 2 : (tensor<2x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<2x6x6x6xf32>
  // CHECK: pocket.conv2d %{{.*}}, %{{.*}} layout = nhwc : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>{{$}}
  %6 = pocket.conv2d %xl, %wl layout = nhwc : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x6x6x6xf32>
  // CHECK: pocket.conv2d %{{.*}}, %{{.*}} bias %{{.*}} strides = [2, 2] padding = [1, 1, 1, 1] dilations = [2, 1] groups = 2 : (tensor<2x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<2x6x3x4xf32>{{$}}
  %7 = pocket.conv2d %x, %wg bias %b strides = [2, 2] padding = [1, 1, 1, 1] dilations = [2, 1] groups = 2 : (tensor<2x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<2x6x3x4xf32>
  // CHECK: pocket.conv2d_input_grad %{{.*}}, %{{.*}} strides = [2, 2] padding = [1, 1, 1, 1] groups = 2 : (tensor<2x6x4x4xf32>, tensor<6x2x3x3xf32>) -> tensor<2x4x8x8xf32>{{$}}
  %8 = pocket.conv2d_input_grad %g, %wg strides = [2, 2] padding = [1, 1, 1, 1] groups = 2 : (tensor<2x6x4x4xf32>, tensor<6x2x3x3xf32>) -> tensor<2x4x8x8xf32>
  // CHECK: pocket.conv2d_input_grad %{{.*}}, %{{.*}} layout = nhwc : (tensor<2x6x6x6xf32>, tensor<3x3x4x6xf32>) -> tensor<2x8x8x4xf32>{{$}}
  %9 = pocket.conv2d_input_grad %gl, %wl layout = nhwc : (tensor<2x6x6x6xf32>, tensor<3x3x4x6xf32>) -> tensor<2x8x8x4xf32>
  // CHECK: pocket.conv2d_weight_grad %{{.*}}, %{{.*}} strides = [2, 2] padding = [1, 1, 1, 1] groups = 2 : (tensor<2x4x8x8xf32>, tensor<2x6x4x4xf32>) -> tensor<6x2x3x3xf32>{{$}}
  %10 = pocket.conv2d_weight_grad %x, %g strides = [2, 2] padding = [1, 1, 1, 1] groups = 2 : (tensor<2x4x8x8xf32>, tensor<2x6x4x4xf32>) -> tensor<6x2x3x3xf32>
  // CHECK: pocket.conv2d_weight_grad %{{.*}}, %{{.*}} layout = nhwc : (tensor<2x8x8x4xf32>, tensor<2x6x6x6xf32>) -> tensor<3x3x4x6xf32>{{$}}
  %11 = pocket.conv2d_weight_grad %xl, %gl layout = nhwc : (tensor<2x8x8x4xf32>, tensor<2x6x6x6xf32>) -> tensor<3x3x4x6xf32>
  return
}

// CHECK-LABEL: @pools
func.func @pools(%x: tensor<2x4x8x8xf32>, %xl: tensor<2x8x8x4xf32>, %g: tensor<2x4x4x4xf32>, %i: tensor<2x4x4x4xi8>, %y: tensor<1x1x16x16xf32>) {
  // CHECK: pocket.max_pool2d %{{.*}} kernel = [2, 2] strides = [2, 2] : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi8>){{$}}
  %0:2 = pocket.max_pool2d %x kernel = [2, 2] strides = [2, 2] : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi8>)
  // CHECK: pocket.max_pool2d %{{.*}} kernel = [3, 2] strides = [2, 1] padding = [1, 1] : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x9xf32>, tensor<2x4x4x9xi8>){{$}}
  %1:2 = pocket.max_pool2d %x kernel = [3, 2] strides = [2, 1] padding = [1, 1] : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x9xf32>, tensor<2x4x4x9xi8>)
  // CHECK: pocket.max_pool2d %{{.*}} kernel = [3, 3] strides = [2, 2] dilations = [1, 2] ceil_mode : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x3xf32>, tensor<2x4x4x3xi8>){{$}}
  %2:2 = pocket.max_pool2d %x kernel = [3, 3] strides = [2, 2] dilations = [1, 2] ceil_mode : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x3xf32>, tensor<2x4x4x3xi8>)
  // CHECK: pocket.max_pool2d %{{.*}} kernel = [3, 3] strides = [3, 3] ceil_mode layout = nhwc : (tensor<2x8x8x4xf32>) -> (tensor<2x3x3x4xf32>, tensor<2x3x3x4xi8>){{$}}
  %3:2 = pocket.max_pool2d %xl kernel = [3, 3] strides = [3, 3] ceil_mode layout = nhwc : (tensor<2x8x8x4xf32>) -> (tensor<2x3x3x4xf32>, tensor<2x3x3x4xi8>)
  // CHECK: pocket.max_pool2d %{{.*}} kernel = [12, 12] strides = [4, 4] : (tensor<1x1x16x16xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi32>){{$}}
  %4:2 = pocket.max_pool2d %y kernel = [12, 12] strides = [4, 4] : (tensor<1x1x16x16xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi32>)
  // CHECK: pocket.max_pool2d_grad %{{.*}}, %{{.*}} kernel = [2, 2] strides = [2, 2] : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi8>) -> tensor<2x4x8x8xf32>{{$}}
  %5 = pocket.max_pool2d_grad %g, %i kernel = [2, 2] strides = [2, 2] : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi8>) -> tensor<2x4x8x8xf32>
  // CHECK: pocket.max_pool2d_grad %{{.*}}, %{{.*}} kernel = [3, 3] strides = [2, 2] padding = [1, 1] : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi8>) -> tensor<2x4x8x8xf32>{{$}}
  %6 = pocket.max_pool2d_grad %g, %i kernel = [3, 3] strides = [2, 2] padding = [1, 1] : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi8>) -> tensor<2x4x8x8xf32>
  // CHECK: pocket.avg_pool2d %{{.*}} kernel = [2, 2] strides = [2, 2] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>{{$}}
  %7 = pocket.avg_pool2d %x kernel = [2, 2] strides = [2, 2] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  // CHECK: pocket.avg_pool2d %{{.*}} kernel = [3, 3] strides = [2, 2] padding = [1, 1] count_include_pad = false : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>{{$}}
  %8 = pocket.avg_pool2d %x kernel = [3, 3] strides = [2, 2] padding = [1, 1] count_include_pad = false : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  // CHECK: pocket.avg_pool2d %{{.*}} kernel = [3, 3] strides = [3, 3] ceil_mode layout = nhwc : (tensor<2x8x8x4xf32>) -> tensor<2x3x3x4xf32>{{$}}
  %9 = pocket.avg_pool2d %xl kernel = [3, 3] strides = [3, 3] ceil_mode layout = nhwc : (tensor<2x8x8x4xf32>) -> tensor<2x3x3x4xf32>
  // CHECK: pocket.avg_pool2d_grad %{{.*}} kernel = [2, 2] strides = [2, 2] : (tensor<2x4x4x4xf32>) -> tensor<2x4x8x8xf32>{{$}}
  %10 = pocket.avg_pool2d_grad %g kernel = [2, 2] strides = [2, 2] : (tensor<2x4x4x4xf32>) -> tensor<2x4x8x8xf32>
  // CHECK: pocket.avg_pool2d_grad %{{.*}} kernel = [3, 3] strides = [2, 2] padding = [1, 1] count_include_pad = false : (tensor<2x4x4x4xf32>) -> tensor<2x4x8x8xf32>{{$}}
  %11 = pocket.avg_pool2d_grad %g kernel = [3, 3] strides = [2, 2] padding = [1, 1] count_include_pad = false : (tensor<2x4x4x4xf32>) -> tensor<2x4x8x8xf32>
  return
}

// CHECK-LABEL: @batch_norm
func.func @batch_norm(%x: tensor<2x4x8x8xf32>, %c: tensor<4xf32>, %xl: tensor<2x8x8x4xf32>) {
  // CHECK: pocket.batch_norm_inference %{{.*}} mean %{{.*}} variance %{{.*}} epsilon = 1.000000e-05 : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>{{$}}
  %0 = pocket.batch_norm_inference %x mean %c variance %c epsilon = 1.000000e-05 : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>
  // CHECK: pocket.batch_norm_inference %{{.*}} mean %{{.*}} variance %{{.*}} scale %{{.*}} bias %{{.*}} epsilon = 1.000000e-05 : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>{{$}}
  %1 = pocket.batch_norm_inference %x mean %c variance %c scale %c bias %c epsilon = 1.000000e-05 : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>
  // CHECK: pocket.batch_norm_inference %{{.*}} mean %{{.*}} variance %{{.*}} epsilon = 0.000000e+00 channel_dim = 3 : (tensor<2x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x8x8x4xf32>{{$}}
  %2 = pocket.batch_norm_inference %xl mean %c variance %c epsilon = 0.000000e+00 channel_dim = 3 : (tensor<2x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x8x8x4xf32>
  // CHECK: pocket.batch_norm_training %{{.*}} epsilon = 1.000000e-05 : (tensor<2x4x8x8xf32>) -> (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>){{$}}
  %3:3 = pocket.batch_norm_training %x epsilon = 1.000000e-05 : (tensor<2x4x8x8xf32>) -> (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: pocket.batch_norm_training %{{.*}} scale %{{.*}} bias %{{.*}} epsilon = 1.000000e-05 channel_dim = 3 : (tensor<2x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>){{$}}
  %4:3 = pocket.batch_norm_training %xl scale %c bias %c epsilon = 1.000000e-05 channel_dim = 3 : (tensor<2x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: pocket.batch_norm_reduce_grad %{{.*}}, %{{.*}} mean %{{.*}} : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>){{$}}
  %5:2 = pocket.batch_norm_reduce_grad %x, %x mean %c : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: pocket.batch_norm_reduce_grad %{{.*}}, %{{.*}} mean %{{.*}} channel_dim = 3 : (tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>){{$}}
  %6:2 = pocket.batch_norm_reduce_grad %xl, %xl mean %c channel_dim = 3 : (tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK-LABEL: @layer_norm
func.func @layer_norm(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %m: tensor<2x3xf32>, %s: tensor<f32>) {
  // CHECK: pocket.layer_norm %{{.*}} axis = 2 epsilon = 1.000000e-05 : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>){{$}}
  %0:3 = pocket.layer_norm %x axis = 2 epsilon = 1.000000e-05 : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pocket.layer_norm %{{.*}} scale %{{.*}} bias %{{.*}} axis = 2 epsilon = 1.000000e-05 : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>){{$}}
  %1:3 = pocket.layer_norm %x scale %c bias %c axis = 2 epsilon = 1.000000e-05 : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pocket.layer_norm %{{.*}} axis = 0 epsilon = 1.000000e-05 : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<f32>, tensor<f32>){{$}}
  %2:3 = pocket.layer_norm %x axis = 0 epsilon = 1.000000e-05 : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<f32>, tensor<f32>)
  // CHECK: pocket.layer_norm_input_grad %{{.*}}, %{{.*}} mean %{{.*}} rstd %{{.*}} axis = 2 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x4xf32>{{$}}
  %3 = pocket.layer_norm_input_grad %x, %x mean %m rstd %m axis = 2 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x4xf32>
  // CHECK: pocket.layer_norm_input_grad %{{.*}}, %{{.*}} mean %{{.*}} rstd %{{.*}} scale %{{.*}} axis = 2 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>{{$}}
  %4 = pocket.layer_norm_input_grad %x, %x mean %m rstd %m scale %c axis = 2 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<2x3xf32>) {
  // CHECK: pocket.softmax %{{.*}} dim = 1 : tensor<2x3xf32>{{$}}
  %0 = pocket.softmax %x dim = 1 : tensor<2x3xf32>
  // CHECK: pocket.softmax_grad %{{.*}}, %{{.*}} dim = 1 : tensor<2x3xf32>{{$}}
  %1 = pocket.softmax_grad %x, %x dim = 1 : tensor<2x3xf32>
  // CHECK: pocket.log_softmax %{{.*}} dim = 0 : tensor<2x3xf32>{{$}}
  %2 = pocket.log_softmax %x dim = 0 : tensor<2x3xf32>
  // CHECK: pocket.log_softmax_grad %{{.*}}, %{{.*}} dim = 0 : tensor<2x3xf32>{{$}}
  %3 = pocket.log_softmax_grad %x, %x dim = 0 : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x6x8xf32>, %v: tensor<2x4x6x3xf32>, %m: tensor<5x6xf32>, %n: tensor<2x1x1x6xi1>) {
  // CHECK: pocket.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 1.250000e-01 : (tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x3xf32>) -> (tensor<2x4x5x3xf32>, tensor<2x4x5x6xf32>){{$}}
  %0:2 = pocket.attention %q, %k, %v scale = 1.250000e-01 : (tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x3xf32>) -> (tensor<2x4x5x3xf32>, tensor<2x4x5x6xf32>)
  // CHECK: pocket.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 1.250000e-01 : (tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x3xf32>, tensor<5x6xf32>) -> (tensor<2x4x5x3xf32>, tensor<2x4x5x6xf32>){{$}}
  %1:2 = pocket.attention %q, %k, %v mask %m scale = 1.250000e-01 : (tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x3xf32>, tensor<5x6xf32>) -> (tensor<2x4x5x3xf32>, tensor<2x4x5x6xf32>)
  // CHECK: pocket.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 1.250000e-01 causal : (tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x3xf32>, tensor<2x1x1x6xi1>) -> (tensor<2x4x5x3xf32>, tensor<2x4x5x6xf32>){{$}}
  %2:2 = pocket.attention %q, %k, %v mask %n scale = 1.250000e-01 causal : (tensor<2x4x5x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x3xf32>, tensor<2x1x1x6xi1>) -> (tensor<2x4x5x3xf32>, tensor<2x4x5x6xf32>)
  return
}

// CHECK-LABEL: @cross_entropy
func.func @cross_entropy(%x: tensor<4x10xf32>, %t: tensor<4xi64>, %l: tensor<f32>, %n: tensor<4xf32>) {
  // CHECK: pocket.cross_entropy %{{.*}}, %{{.*}} : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>){{$}}
  %0:2 = pocket.cross_entropy %x, %t : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  // CHECK: pocket.cross_entropy %{{.*}}, %{{.*}} ignore_index = -1 : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>){{$}}
  %1:2 = pocket.cross_entropy %x, %t ignore_index = -1 : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  // CHECK: pocket.cross_entropy %{{.*}}, %{{.*}} label_smoothing = 1.000000e-01 : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>){{$}}
  %2:2 = pocket.cross_entropy %x, %t label_smoothing = 1.000000e-01 : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  // CHECK: pocket.cross_entropy %{{.*}}, %{{.*}} reduction = sum : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>){{$}}
  %3:2 = pocket.cross_entropy %x, %t reduction = sum : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  // CHECK: pocket.cross_entropy %{{.*}}, %{{.*}} ignore_index = 0 label_smoothing = 5.000000e-01 reduction = none : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>){{$}}
  %4:2 = pocket.cross_entropy %x, %t ignore_index = 0 label_smoothing = 5.000000e-01 reduction = none : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: pocket.cross_entropy_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<f32>, tensor<4x10xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x10xf32>{{$}}
  %5 = pocket.cross_entropy_grad %l, %x, %t, %n : (tensor<f32>, tensor<4x10xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x10xf32>
  // CHECK: pocket.cross_entropy_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} ignore_index = 0 label_smoothing = 1.000000e-01 reduction = none : (tensor<4xf32>, tensor<4x10xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x10xf32>{{$}}
  %6 = pocket.cross_entropy_grad %n, %x, %t, %n ignore_index = 0 label_smoothing = 1.000000e-01 reduction = none : (tensor<4xf32>, tensor<4x10xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x10xf32>
  return
}
