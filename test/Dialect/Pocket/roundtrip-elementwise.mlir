// RUN: pocket-opt %s | FileCheck %s
// RUN: pocket-opt %s --mlir-print-op-generic | pocket-opt | FileCheck %s
// RUN: pocket-opt %s --emit-bytecode | pocket-opt | FileCheck %s

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<2x3xf32>) {
  // CHECK: pocket.neg %{{.*}} : tensor<2x3xf32>{{$}}
  %0 = pocket.neg %x : tensor<2x3xf32>
  // CHECK: pocket.abs %{{.*}} : tensor<2x3xf32>{{$}}
  %1 = pocket.abs %x : tensor<2x3xf32>
  // CHECK: pocket.sign %{{.*}} : tensor<2x3xf32>{{$}}
  %2 = pocket.sign %x : tensor<2x3xf32>
  // CHECK: pocket.exp %{{.*}} : tensor<2x3xf32>{{$}}
  %3 = pocket.exp %x : tensor<2x3xf32>
  // CHECK: pocket.expm1 %{{.*}} : tensor<2x3xf32>{{$}}
  %4 = pocket.expm1 %x : tensor<2x3xf32>
  // CHECK: pocket.log %{{.*}} : tensor<2x3xf32>{{$}}
  %5 = pocket.log %x : tensor<2x3xf32>
  // CHECK: pocket.log1p %{{.*}} : tensor<2x3xf32>{{$}}
  %6 = pocket.log1p %x : tensor<2x3xf32>
  // CHECK: pocket.sqrt %{{.*}} : tensor<2x3xf32>{{$}}
  %7 = pocket.sqrt %x : tensor<2x3xf32>
  // CHECK: pocket.rsqrt %{{.*}} : tensor<2x3xf32>{{$}}
  %8 = pocket.rsqrt %x : tensor<2x3xf32>
  // CHECK: pocket.reciprocal %{{.*}} : tensor<2x3xf32>{{$}}
  %9 = pocket.reciprocal %x : tensor<2x3xf32>
  // CHECK: pocket.tanh %{{.*}} : tensor<2x3xf32>{{$}}
  %10 = pocket.tanh %x : tensor<2x3xf32>
  // CHECK: pocket.sigmoid %{{.*}} : tensor<2x3xf32>{{$}}
  %11 = pocket.sigmoid %x : tensor<2x3xf32>
  // CHECK: pocket.erf %{{.*}} : tensor<2x3xf32>{{$}}
  %12 = pocket.erf %x : tensor<2x3xf32>
  // CHECK: pocket.sin %{{.*}} : tensor<2x3xf32>{{$}}
  %13 = pocket.sin %x : tensor<2x3xf32>
  // CHECK: pocket.cos %{{.*}} : tensor<2x3xf32>{{$}}
  %14 = pocket.cos %x : tensor<2x3xf32>
  // CHECK: pocket.floor %{{.*}} : tensor<2x3xf32>{{$}}
  %15 = pocket.floor %x : tensor<2x3xf32>
  // CHECK: pocket.ceil %{{.*}} : tensor<2x3xf32>{{$}}
  %16 = pocket.ceil %x : tensor<2x3xf32>
  // CHECK: pocket.round %{{.*}} : tensor<2x3xf32>{{$}}
  %17 = pocket.round %x : tensor<2x3xf32>
  // CHECK: pocket.stop_gradient %{{.*}} : tensor<2x3xf32>{{$}}
  %18 = pocket.stop_gradient %x : tensor<2x3xf32>
  // CHECK: pocket.relu %{{.*}} : tensor<2x3xf32>{{$}}
  %19 = pocket.relu %x : tensor<2x3xf32>
  // CHECK: pocket.hardsigmoid %{{.*}} : tensor<2x3xf32>{{$}}
  %20 = pocket.hardsigmoid %x : tensor<2x3xf32>
  // CHECK: pocket.hardswish %{{.*}} : tensor<2x3xf32>{{$}}
  %21 = pocket.hardswish %x : tensor<2x3xf32>
  // CHECK: pocket.silu %{{.*}} : tensor<2x3xf32>{{$}}
  %22 = pocket.silu %x : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @unary_parameters
func.func @unary_parameters(%x: tensor<2x3xf32>) {
  // CHECK: pocket.leaky_relu %{{.*}} slope = 1.000000e-02 : tensor<2x3xf32>{{$}}
  %0 = pocket.leaky_relu %x slope = 1.000000e-02 : tensor<2x3xf32>
  // CHECK: pocket.elu %{{.*}} alpha = 1.000000e+00 : tensor<2x3xf32>{{$}}
  %1 = pocket.elu %x alpha = 1.000000e+00 : tensor<2x3xf32>
  // CHECK: pocket.hardtanh %{{.*}} min = 0.000000e+00 max = 6.000000e+00 : tensor<2x3xf32>{{$}}
  %2 = pocket.hardtanh %x min = 0.000000e+00 max = 6.000000e+00 : tensor<2x3xf32>
  // CHECK: pocket.clamp %{{.*}} min = 0xFFF0000000000000 max = 1.000000e+00 : tensor<2x3xf32>{{$}}
  %3 = pocket.clamp %x min = 0xFFF0000000000000 max = 1.000000e+00 : tensor<2x3xf32>
  // CHECK: pocket.gelu %{{.*}} : tensor<2x3xf32>{{$}}
  %4 = pocket.gelu %x : tensor<2x3xf32>
  // CHECK: pocket.gelu %{{.*}} approximate = tanh : tensor<2x3xf32>{{$}}
  %5 = pocket.gelu %x approximate = tanh : tensor<2x3xf32>
  // CHECK: pocket.softplus %{{.*}} : tensor<2x3xf32>{{$}}
  %6 = pocket.softplus %x : tensor<2x3xf32>
  // CHECK: pocket.softplus %{{.*}} beta = 2.000000e+00 : tensor<2x3xf32>{{$}}
  %7 = pocket.softplus %x beta = 2.000000e+00 : tensor<2x3xf32>
  // CHECK: pocket.softplus %{{.*}} threshold = 1.000000e+01 : tensor<2x3xf32>{{$}}
  %8 = pocket.softplus %x threshold = 1.000000e+01 : tensor<2x3xf32>
  // CHECK: pocket.softplus %{{.*}} beta = 5.000000e-01 threshold = 1.000000e+01 : tensor<2x3xf32>{{$}}
  %9 = pocket.softplus %x beta = 5.000000e-01 threshold = 1.000000e+01 : tensor<2x3xf32>
  // CHECK: pocket.relu %{{.*}} {note = "kept"} : tensor<2x3xf32>{{$}}
  %10 = pocket.relu %x {note = "kept"} : tensor<2x3xf32>
  return
}

// CHECK-LABEL: @element_types
func.func @element_types(%h: tensor<4xf16>, %b: tensor<4xbf16>, %d: tensor<4xf64>, %i: tensor<4xi64>, %s: tensor<f32>, %e: tensor<0x3xf32>, %m: tensor<4xi1>, %c: tensor<4xi8>) {
  // CHECK: pocket.exp %{{.*}} : tensor<4xf16>{{$}}
  %0 = pocket.exp %h : tensor<4xf16>
  // CHECK: pocket.relu %{{.*}} : tensor<4xbf16>{{$}}
  %1 = pocket.relu %b : tensor<4xbf16>
  // CHECK: pocket.tanh %{{.*}} : tensor<4xf64>{{$}}
  %2 = pocket.tanh %d : tensor<4xf64>
  // CHECK: pocket.neg %{{.*}} : tensor<4xi64>{{$}}
  %3 = pocket.neg %i : tensor<4xi64>
  // CHECK: pocket.abs %{{.*}} : tensor<4xi8>{{$}}
  %4 = pocket.abs %c : tensor<4xi8>
  // CHECK: pocket.sign %{{.*}} : tensor<4xi64>{{$}}
  %5 = pocket.sign %i : tensor<4xi64>
  // CHECK: pocket.log %{{.*}} : tensor<f32>{{$}}
  %6 = pocket.log %s : tensor<f32>
  // CHECK: pocket.relu %{{.*}} : tensor<0x3xf32>{{$}}
  %7 = pocket.relu %e : tensor<0x3xf32>
  // CHECK: pocket.logical_not %{{.*}} : tensor<4xi1>{{$}}
  %8 = pocket.logical_not %m : tensor<4xi1>
  return
}

// CHECK-LABEL: @convert
func.func @convert(%x: tensor<4xf32>, %i: tensor<4xi64>, %m: tensor<4xi1>) {
  // CHECK: pocket.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xbf16>{{$}}
  %0 = pocket.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  // CHECK: pocket.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xi32>{{$}}
  %1 = pocket.convert %x : (tensor<4xf32>) -> tensor<4xi32>
  // CHECK: pocket.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>{{$}}
  %2 = pocket.convert %x : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: pocket.convert %{{.*}} : (tensor<4xi64>) -> tensor<4xf32>{{$}}
  %3 = pocket.convert %i : (tensor<4xi64>) -> tensor<4xf32>
  // CHECK: pocket.convert %{{.*}} : (tensor<4xi1>) -> tensor<4xf32>{{$}}
  %4 = pocket.convert %m : (tensor<4xi1>) -> tensor<4xf32>
  // CHECK: pocket.convert %{{.*}} : (tensor<4xi64>) -> tensor<4xi8>{{$}}
  %5 = pocket.convert %i : (tensor<4xi64>) -> tensor<4xi8>
  return
}

// CHECK-LABEL: @binary
func.func @binary(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %s: tensor<f32>, %c: tensor<2x1xf32>) {
  // CHECK: pocket.add %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>{{$}}
  %0 = pocket.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: pocket.sub %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>{{$}}
  %1 = pocket.sub %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: pocket.mul %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>{{$}}
  %2 = pocket.mul %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: pocket.div %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>{{$}}
  %3 = pocket.div %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: pocket.pow %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>{{$}}
  %4 = pocket.pow %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: pocket.maximum %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>{{$}}
  %5 = pocket.maximum %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: pocket.minimum %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>{{$}}
  %6 = pocket.minimum %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: pocket.add %{{.*}}, %{{.*}} : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>{{$}}
  %7 = pocket.add %s, %a : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pocket.mul %{{.*}}, %{{.*}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>{{$}}
  %8 = pocket.mul %c, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @binary_integers
func.func @binary_integers(%a: tensor<2x3xi64>, %b: tensor<i64>, %p: tensor<4xi8>, %m: tensor<2x3xi1>, %n: tensor<3xi1>) {
  // CHECK: pocket.add %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>{{$}}
  %0 = pocket.add %a, %b : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  // CHECK: pocket.sub %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>{{$}}
  %1 = pocket.sub %a, %b : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  // CHECK: pocket.mul %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>{{$}}
  %2 = pocket.mul %a, %b : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  // CHECK: pocket.div %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>{{$}}
  %3 = pocket.div %a, %b : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  // CHECK: pocket.maximum %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>{{$}}
  %4 = pocket.maximum %a, %b : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  // CHECK: pocket.minimum %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>{{$}}
  %5 = pocket.minimum %a, %b : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  // CHECK: pocket.and %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>{{$}}
  %6 = pocket.and %a, %b : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  // CHECK: pocket.or %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>{{$}}
  %7 = pocket.or %a, %b : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  // CHECK: pocket.xor %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>{{$}}
  %8 = pocket.xor %a, %b : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  // CHECK: pocket.xor %{{.*}}, %{{.*}} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>{{$}}
  %9 = pocket.xor %p, %p : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  // CHECK: pocket.and %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>{{$}}
  %10 = pocket.and %m, %n : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  // CHECK: pocket.or %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>{{$}}
  %11 = pocket.or %m, %n : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  // CHECK: pocket.xor %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>{{$}}
  %12 = pocket.xor %m, %n : (tensor<2x3xi1>, tensor<3xi1>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @compare
func.func @compare(%a: tensor<2x3xf32>, %b: tensor<f32>, %i: tensor<2x3xi32>) {
  // CHECK: pocket.compare eq %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>{{$}}
  %0 = pocket.compare eq %a, %b : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>
  // CHECK: pocket.compare ne %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>{{$}}
  %1 = pocket.compare ne %a, %b : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>
  // CHECK: pocket.compare lt %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>{{$}}
  %2 = pocket.compare lt %a, %b : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>
  // CHECK: pocket.compare le %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>{{$}}
  %3 = pocket.compare le %a, %b : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>
  // CHECK: pocket.compare gt %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>{{$}}
  %4 = pocket.compare gt %a, %b : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>
  // CHECK: pocket.compare ge %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>{{$}}
  %5 = pocket.compare ge %a, %b : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>
  // CHECK: pocket.compare lt %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>{{$}}
  %6 = pocket.compare lt %i, %i : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  return
}

// CHECK-LABEL: @select
func.func @select(%m: tensor<2x1xi1>, %a: tensor<2x3xf32>, %s: tensor<f32>, %i: tensor<3xi64>) {
  // CHECK: pocket.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>{{$}}
  %0 = pocket.select %m, %a, %s : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK: pocket.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x1xi1>, tensor<3xi64>, tensor<3xi64>) -> tensor<2x3xi64>{{$}}
  %1 = pocket.select %m, %i, %i : (tensor<2x1xi1>, tensor<3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  return
}
