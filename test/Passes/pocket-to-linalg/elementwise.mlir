// RUN: pocket-opt %s --pocket-to-linalg --canonicalize | FileCheck %s

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1, d2) -> (d1)>

// A dimension of size 1 that is repeated leaves the map: with a constant in it,
// the op would be neither fused nor vectorized.
// CHECK-LABEL: func.func @broadcast
// CHECK: %[[R:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] : tensor<3x1xf32> into tensor<3xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[ROW]], #[[ID]]], iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK-SAME: ins(%{{.*}}, %[[R]] : tensor<2x3x4xf32>, tensor<3xf32>)
// CHECK: arith.addf
func.func @broadcast(%x: tensor<2x3x4xf32>, %y: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %0 = pocket.add %x, %y : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// A splat constant is a number in the body, not a tensor.
// CHECK-LABEL: func.func @splat
// CHECK: %[[C:.*]] = arith.constant 2.500000e+00 : f32
// CHECK-NOT: dense
// CHECK: linalg.generic {{.*}} ins(%{{[^,]*}} : tensor<4xf32>)
// CHECK: arith.mulf %{{.*}}, %[[C]]
func.func @splat(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = pocket.constant dense<2.5> : tensor<4xf32>
  %0 = pocket.mul %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// NaN passes, and it is one comparison and one selection.
// CHECK-LABEL: func.func @relu
// CHECK: %[[LOW:.*]] = arith.cmpf olt, %[[X:.*]], %[[ZERO:.*]] : f32
// CHECK-NEXT: arith.select %[[LOW]], %[[ZERO]], %[[X]] : f32
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Our own rational error function.
// CHECK-LABEL: func.func @gelu
// CHECK-NOT: math.erf
// CHECK-COUNT-10: math.fma
// CHECK: arith.divf
func.func @gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pocket.gelu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Half precision is computed in f32.
// CHECK-LABEL: func.func @half
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: math.exp %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @half(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = pocket.exp %x : tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func.func @square
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.mulf %[[X]], %[[X]] : f32
// CHECK-NOT: math.powf
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = pocket.constant dense<2.0> : tensor<f32>
  %0 = pocket.pow %x, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Integer division never traps.
// CHECK-LABEL: func.func @divide
// CHECK: %[[SAFE:.*]] = arith.select
// CHECK: arith.divsi %{{.*}}, %[[SAFE]] : i32
func.func @divide(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = pocket.div %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @compare
// CHECK: arith.cmpf une
// CHECK: arith.cmpi ult
func.func @compare(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: tensor<4xi1>, %q: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = pocket.compare ne %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = pocket.compare lt %p, %q : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}
