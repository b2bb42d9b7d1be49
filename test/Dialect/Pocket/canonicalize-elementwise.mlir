// RUN: pocket-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @identities
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
func.func @identities(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %zero = pocket.constant dense<0.0> : tensor<f32>
  %one = pocket.constant dense<1.0> : tensor<3xf32>
  %0 = pocket.add %x, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = pocket.add %zero, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = pocket.sub %x, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %3 = pocket.mul %one, %x : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = pocket.div %x, %one : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %5 = pocket.pow %x, %one : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  return %0, %1, %2, %3, %4, %5 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// An identity that also broadcasts is none.
// CHECK-LABEL: @broadcasting_identity
func.func @broadcasting_identity(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %one = pocket.constant dense<1.0> : tensor<2x3xf32>
  // CHECK: pocket.mul
  %0 = pocket.mul %x, %one : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Infinity and NaN make these differ from 0 and 1.
// CHECK-LABEL: @not_identities
func.func @not_identities(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xf32>) {
  %zero = pocket.constant dense<0.0> : tensor<f32>
  // CHECK: pocket.mul
  %0 = pocket.mul %x, %zero : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: pocket.sub
  %1 = pocket.sub %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK: pocket.div
  %2 = pocket.div %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK: pocket.compare
  %3 = pocket.compare eq %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK: pocket.sub
  %4 = pocket.sub %zero, %x : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xf32>
}

// -----

// CHECK-LABEL: @twice
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[M:.*]]: tensor<2xi1>
func.func @twice(%x: tensor<2xf32>, %m: tensor<2xi1>) -> (tensor<2xf32>, tensor<2xi1>, tensor<2xf32>) {
  // CHECK-NEXT: %[[R:.*]] = pocket.relu %[[X]]
  %0 = pocket.neg %x : tensor<2xf32>
  %1 = pocket.neg %0 : tensor<2xf32>
  %2 = pocket.logical_not %m : tensor<2xi1>
  %3 = pocket.logical_not %2 : tensor<2xi1>
  %4 = pocket.relu %x : tensor<2xf32>
  %5 = pocket.relu %4 : tensor<2xf32>
  // CHECK-NEXT: return %[[X]], %[[M]], %[[R]]
  return %1, %3, %5 : tensor<2xf32>, tensor<2xi1>, tensor<2xf32>
}

// -----

// CHECK-LABEL: @unary_constants
func.func @unary_constants() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1000000xf32>) {
  // CHECK-DAG: pocket.constant dense<[-1.500000e+00, -0.000000e+00, 2.500000e+00, 0xFFC00000]>
  // CHECK-DAG: pocket.constant dense<[1.500000e+00, 0.000000e+00, 2.500000e+00, 0x7FC00000]>
  // CHECK-DAG: pocket.constant dense<[1.000000e+00, 0.000000e+00, -3.000000e+00, 0x7FC00000]>
  // CHECK-DAG: pocket.constant dense<[2.000000e+00, 0.000000e+00, -2.000000e+00, 0x7FC00000]>
  // CHECK-DAG: pocket.constant dense<[1.500000e+00, 0.000000e+00, 0.000000e+00, 0x7FC00000]>
  // CHECK-DAG: pocket.constant dense<-1.000000e+00> : tensor<1000000xf32>
  // CHECK-NOT: pocket.{{neg|abs|floor|ceil|relu}}
  %c = pocket.constant dense<[1.5, 0.0, -2.5, 0x7FC00000]> : tensor<4xf32>
  %large = pocket.constant dense<1.0> : tensor<1000000xf32>
  %0 = pocket.neg %c : tensor<4xf32>
  %1 = pocket.abs %c : tensor<4xf32>
  %2 = pocket.floor %c : tensor<4xf32>
  %3 = pocket.ceil %c : tensor<4xf32>
  %4 = pocket.relu %c : tensor<4xf32>
  %5 = pocket.neg %large : tensor<1000000xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1000000xf32>
}

// -----

// The target's own functions decide what these give.
// CHECK-LABEL: @inexact_functions
func.func @inexact_functions() -> (tensor<f32>, tensor<f32>) {
  %c = pocket.constant dense<1.0> : tensor<f32>
  // CHECK: pocket.exp
  %0 = pocket.exp %c : tensor<f32>
  // CHECK: pocket.rsqrt
  %1 = pocket.rsqrt %c : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// A barrier to autodiff, not to be looked through.
// CHECK-LABEL: @stop_gradient
func.func @stop_gradient(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: pocket.stop_gradient
  %0 = pocket.stop_gradient %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-LABEL: @binary_constants
func.func @binary_constants() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>) {
  // CHECK-DAG: pocket.constant dense<5.000000e+00> : tensor<2xf32>
  // CHECK-DAG: pocket.constant dense<1.000000e+00> : tensor<2xf32>
  // CHECK-DAG: pocket.constant dense<6.000000e+00> : tensor<2xf32>
  // CHECK-DAG: pocket.constant dense<1.500000e+00> : tensor<2xf32>
  // CHECK-DAG: pocket.constant dense<0x7F800000> : tensor<2xf32>
  // CHECK-DAG: pocket.constant dense<2.560000e+02> : tensor<2xbf16>
  // CHECK-NOT: pocket.{{add|sub|mul|div}}
  %a = pocket.constant dense<3.0> : tensor<2xf32>
  %b = pocket.constant dense<2.0> : tensor<f32>
  %z = pocket.constant dense<0.0> : tensor<f32>
  %h = pocket.constant dense<256.0> : tensor<2xbf16>
  %i = pocket.constant dense<1.0> : tensor<2xbf16>
  %0 = pocket.add %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = pocket.sub %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = pocket.mul %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = pocket.div %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %4 = pocket.div %a, %z : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %5 = pocket.add %h, %i : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0, %1, %2, %3, %4, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>
}

// -----

// CHECK-LABEL: @integers
// CHECK-SAME: %[[X:.*]]: tensor<2xi8>, %[[M:.*]]: tensor<2xi1>
func.func @integers(%x: tensor<2xi8>, %m: tensor<2xi1>) -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  // Integers wrap around. Division is left alone.
  // CHECK-DAG: %[[SUM:.*]] = pocket.constant dense<-56> : tensor<2xi8>
  // CHECK-DAG: %[[PRODUCT:.*]] = pocket.constant dense<16> : tensor<2xi8>
  // CHECK: %[[QUOTIENT:.*]] = pocket.div
  %a = pocket.constant dense<100> : tensor<2xi8>
  %zero = pocket.constant dense<0> : tensor<i8>
  %one = pocket.constant dense<1> : tensor<i8>
  %true = pocket.constant dense<true> : tensor<i1>
  %false = pocket.constant dense<false> : tensor<i1>
  %0 = pocket.add %a, %a : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %1 = pocket.mul %a, %a : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %2 = pocket.div %a, %zero : (tensor<2xi8>, tensor<i8>) -> tensor<2xi8>
  %3 = pocket.add %x, %zero : (tensor<2xi8>, tensor<i8>) -> tensor<2xi8>
  %4 = pocket.mul %x, %one : (tensor<2xi8>, tensor<i8>) -> tensor<2xi8>
  %5 = pocket.and %x, %x : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %6 = pocket.and %m, %true : (tensor<2xi1>, tensor<i1>) -> tensor<2xi1>
  %7 = pocket.or %m, %false : (tensor<2xi1>, tensor<i1>) -> tensor<2xi1>
  %8 = pocket.xor %m, %false : (tensor<2xi1>, tensor<i1>) -> tensor<2xi1>
  // CHECK-NEXT: return %[[SUM]], %[[PRODUCT]], %[[QUOTIENT]], %[[X]], %[[X]], %[[X]], %[[M]], %[[M]], %[[M]]
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// -----

// CHECK-LABEL: @select
// CHECK-SAME: %[[M:.*]]: tensor<2xi1>, %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>
func.func @select(%m: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>, %s: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK: %[[BROADCAST:.*]] = pocket.select
  %true = pocket.constant dense<true> : tensor<i1>
  %false = pocket.constant dense<false> : tensor<2xi1>
  %0 = pocket.select %m, %x, %x : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = pocket.select %true, %x, %y : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = pocket.select %false, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = pocket.select %true, %s, %y : (tensor<i1>, tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[Y]], %[[BROADCAST]]
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: @convert
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[H:.*]]: tensor<2xbf16>
func.func @convert(%x: tensor<2xf32>, %h: tensor<2xbf16>) -> (tensor<2xf32>, tensor<2xbf16>, tensor<2xf32>, tensor<2xbf16>, tensor<2xf32>, tensor<2xf32>) {
  // CHECK-DAG: %[[ROUNDED:.*]] = pocket.constant dense<1.000000e+00> : tensor<2xbf16>
  // CHECK-DAG: %[[THREE:.*]] = pocket.constant dense<-3.000000e+00> : tensor<2xf32>
  // CHECK-DAG: %[[ONE:.*]] = pocket.constant dense<1.000000e+00> : tensor<2xf32>
  // Narrower and back loses bits.
  // CHECK: pocket.convert
  // CHECK: %[[BACK:.*]] = pocket.convert
  %c = pocket.constant dense<1.001> : tensor<2xf32>
  %i = pocket.constant dense<-3> : tensor<2xi64>
  %t = pocket.constant dense<true> : tensor<2xi1>
  %0 = pocket.convert %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = pocket.convert %h : (tensor<2xbf16>) -> tensor<2xf32>
  %2 = pocket.convert %1 : (tensor<2xf32>) -> tensor<2xbf16>
  %3 = pocket.convert %x : (tensor<2xf32>) -> tensor<2xf16>
  %4 = pocket.convert %3 : (tensor<2xf16>) -> tensor<2xf32>
  %5 = pocket.convert %c : (tensor<2xf32>) -> tensor<2xbf16>
  %6 = pocket.convert %i : (tensor<2xi64>) -> tensor<2xf32>
  %7 = pocket.convert %t : (tensor<2xi1>) -> tensor<2xf32>
  // CHECK-NEXT: return %[[X]], %[[H]], %[[BACK]], %[[ROUNDED]], %[[THREE]], %[[ONE]]
  return %0, %2, %4, %5, %6, %7 : tensor<2xf32>, tensor<2xbf16>, tensor<2xf32>, tensor<2xbf16>, tensor<2xf32>, tensor<2xf32>
}
