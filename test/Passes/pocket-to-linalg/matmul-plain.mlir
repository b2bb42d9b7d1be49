// RUN: pocket-opt %s --pocket-to-linalg --canonicalize | FileCheck %s --implicit-check-not=linalg.pack --implicit-check-not=pocket.tiles
// RUN: pocket-opt %s --pocket-to-linalg=vector-bits=128 --canonicalize | FileCheck %s --implicit-check-not=linalg.pack --implicit-check-not=pocket.tiles
// RUN: pocket-opt %s --pocket-to-linalg=vector-bits=512 --canonicalize | FileCheck %s --implicit-check-not=linalg.pack --implicit-check-not=pocket.tiles
// RUN: pocket-opt %s --pocket-to-linalg=vector-bits=0 --canonicalize | FileCheck %s --implicit-check-not=linalg.pack --implicit-check-not=pocket.tiles

// Products that panels do not pay for are one op over rows, columns and the inner
// loop. Operands are read where they lie and the tiles are the code generator's.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[BATCHED_LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
// CHECK-DAG: #[[BATCHED_RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[BATCHED_OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// Fewer than sixteen rows read a panel too seldom.
// CHECK-LABEL: func.func @few_rows(
// CHECK-SAME: %[[X:.*]]: tensor<15x16xf32>, %[[W:.*]]: tensor<16x32xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[X]], %[[W]] : tensor<15x16xf32>, tensor<16x32xf32>) outs(%[[ZEROS]] : tensor<15x32xf32>) {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[SUM:.*]]: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK-NEXT: arith.addf %[[SUM]], %[[P]] : f32
// CHECK: return %[[Y]]
func.func @few_rows(%x: tensor<15x16xf32>, %w: tensor<16x32xf32>) -> tensor<15x32xf32> {
  %0 = pocket.matmul %x, %w : (tensor<15x16xf32>, tensor<16x32xf32>) -> tensor<15x32xf32>
  return %0 : tensor<15x32xf32>
}

// Ten classes fill no panel.
// CHECK-LABEL: func.func @few_columns(
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]],
// CHECK-SAME: outs(%{{.*}} : tensor<24x10xf32>) {
func.func @few_columns(%x: tensor<24x16xf32>, %w: tensor<16x10xf32>) -> tensor<24x10xf32> {
  %0 = pocket.matmul %x, %w : (tensor<24x16xf32>, tensor<16x10xf32>) -> tensor<24x10xf32>
  return %0 : tensor<24x10xf32>
}

// An inner loop shorter than a register.
// CHECK-LABEL: func.func @short_inner(
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]],
// CHECK-SAME: outs(%{{.*}} : tensor<24x32xf32>) {
func.func @short_inner(%x: tensor<24x3xf32>, %w: tensor<3x32xf32>) -> tensor<24x32xf32> {
  %0 = pocket.matmul %x, %w : (tensor<24x3xf32>, tensor<3x32xf32>) -> tensor<24x32xf32>
  return %0 : tensor<24x32xf32>
}

// The tiles are f32's.
// CHECK-LABEL: func.func @half(
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]],
// CHECK-SAME: outs(%{{.*}} : tensor<24x32xf16>) {
// CHECK: arith.mulf %{{.*}} : f16
// CHECK-NEXT: arith.addf %{{.*}} : f16
func.func @half(%x: tensor<24x16xf16>, %w: tensor<16x32xf16>) -> tensor<24x32xf16> {
  %0 = pocket.matmul %x, %w : (tensor<24x16xf16>, tensor<16x32xf16>) -> tensor<24x32xf16>
  return %0 : tensor<24x32xf16>
}

// CHECK-LABEL: func.func @double(
// CHECK: linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]],
// CHECK-SAME: outs(%{{.*}} : tensor<24x32xf64>) {
// CHECK: arith.mulf %{{.*}} : f64
func.func @double(%x: tensor<24x16xf64>, %w: tensor<16x32xf64>) -> tensor<24x32xf64> {
  %0 = pocket.matmul %x, %w : (tensor<24x16xf64>, tensor<16x32xf64>) -> tensor<24x32xf64>
  return %0 : tensor<24x32xf64>
}

// A transpose is a map here too, and a batch of any size a loop.
// CHECK-LABEL: func.func @transposed_batch(
// CHECK-SAME: %[[X:.*]]: tensor<5x3x16xf32>, %[[W:.*]]: tensor<3x32x16xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {indexing_maps = [#[[BATCHED_LHS]], #[[BATCHED_RHS]], #[[BATCHED_OUT]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME: ins(%[[X]], %[[W]] :
func.func @transposed_batch(%x: tensor<5x3x16xf32>, %w: tensor<3x32x16xf32>) -> tensor<3x5x32xf32> {
  %t = pocket.transpose %x permutation = [1, 0, 2] : (tensor<5x3x16xf32>) -> tensor<3x5x16xf32>
  %0 = pocket.matmul %t, %w transposed : (tensor<3x5x16xf32>, tensor<3x32x16xf32>) -> tensor<3x5x32xf32>
  return %0 : tensor<3x5x32xf32>
}

// -----

// Few rows against a right operand of more than 1 MiB: its copy would cost more.
// CHECK-LABEL: func.func @wide(
// CHECK-NOT: linalg.pack
// CHECK: linalg.generic {{.*}} : tensor<47x1024xf32>, tensor<1024x512xf32>)
func.func @wide(%x: tensor<47x1024xf32>, %w: tensor<1024x512xf32>) -> tensor<47x512xf32> {
  %0 = pocket.matmul %x, %w : (tensor<47x1024xf32>, tensor<1024x512xf32>) -> tensor<47x512xf32>
  return %0 : tensor<47x512xf32>
}
