// RUN: pocket-opt %s | FileCheck %s
// RUN: pocket-opt %s --mlir-print-op-generic | pocket-opt | FileCheck %s
// RUN: pocket-opt %s --emit-bytecode | pocket-opt | FileCheck %s

// CHECK-LABEL: @arguments
func.func @arguments(
    // CHECK-SAME: %{{.*}}: tensor<20x10xf32> {pocket.needs_grad = true, pocket.param = "whole"}
    %0: tensor<20x10xf32> {pocket.needs_grad = true, pocket.param = "whole"},
    // CHECK-SAME: {pocket.needs_grad = false, pocket.param = "frozen"}
    %1: tensor<20x10xf32> {pocket.needs_grad = false, pocket.param = "frozen"},
    // CHECK-SAME: {pocket.needs_grad = 2.500000e-01 : f64, pocket.param = "ratio"}
    %2: tensor<20x10xf32> {pocket.needs_grad = 2.500000e-01 : f64, pocket.param = "ratio"},
    // CHECK-SAME: {pocket.needs_grad = #pocket.channels<dim = 0, [0 to 10], [12 to 20]>, pocket.param = "channels"}
    %3: tensor<20x10xf32> {pocket.needs_grad = #pocket.channels<dim = 0, [0 to 10], [12 to 20]>, pocket.param = "channels"},
    // CHECK-SAME: {pocket.needs_grad = #pocket.channels<dim = 1>, pocket.param = "no_channel"}
    %4: tensor<20x10xf32> {pocket.needs_grad = #pocket.channels<dim = 1>, pocket.param = "no_channel"},
    // CHECK-SAME: {pocket.layout = array<i64: 2, 3, 1, 0>, pocket.param = "conv.weight"}
    %5: tensor<3x3x4x8xf32> {pocket.layout = array<i64: 2, 3, 1, 0>, pocket.param = "conv.weight"},
    // CHECK-SAME: {pocket.buffer = "bn.running_mean"}
    %6: tensor<8xf32> {pocket.buffer = "bn.running_mean"},
    // CHECK-SAME: {pocket.param = "whole", pocket.state = "momentum_buffer"}
    %7: tensor<20x10xf32> {pocket.param = "whole", pocket.state = "momentum_buffer"},
    // CHECK-SAME: {pocket.role = "learning_rate"}
    %8: tensor<f32> {pocket.role = "learning_rate"},
    // CHECK-SAME: {pocket.name = "x", pocket.role = "input"}
    %9: tensor<4xf32> {pocket.name = "x", pocket.role = "input"},
    // CHECK-SAME: {pocket.name = "target", pocket.role = "target"}
    %10: tensor<4xi64> {pocket.name = "target", pocket.role = "target"})
    // CHECK-SAME: -> (tensor<f32> {pocket.role = "loss"}, tensor<4xf32> {pocket.name = "output0", pocket.role = "output"}, tensor<20x10xf32> {pocket.param = "whole", pocket.role = "gradient"}, tensor<20x10xf32> {pocket.param = "whole"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<4xf32> {pocket.name = "output0", pocket.role = "output"},
        tensor<20x10xf32> {pocket.param = "whole", pocket.role = "gradient"}, tensor<20x10xf32> {pocket.param = "whole"}) {
  return %8, %9, %0, %0 : tensor<f32>, tensor<4xf32>, tensor<20x10xf32>, tensor<20x10xf32>
}

// CHECK-LABEL: @tiles
func.func @tiles(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: pocket.matmul {{.*}} {pocket.tiles = #pocket.tiles<distribution = [32, 32], vector = [4, 16], reduction = [0, 1], pipeline = "CPUDoubleTilingExpert">}
  %0 = pocket.matmul %a, %a {pocket.tiles = #pocket.tiles<distribution = [32, 32], vector = [4, 16], reduction = [0, 1], pipeline = "CPUDoubleTilingExpert">} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  // CHECK: pocket.relu {{.*}} {pocket.tiles = #pocket.tiles<distribution = [], vector = [], reduction = [], pipeline = "">}
  %1 = pocket.relu %0 {pocket.tiles = #pocket.tiles<distribution = [], vector = [], reduction = [], pipeline = "">} : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// Enum attributes stand on their own, too.
// CHECK-LABEL: @enums
// CHECK-SAME: a = #pocket<layout nhwc>
// CHECK-SAME: b = #pocket<predicate lt>
// CHECK-SAME: c = #pocket<gelu tanh>
// CHECK-SAME: d = #pocket<reduction sum>
func.func private @enums() attributes {a = #pocket<layout nhwc>, b = #pocket<predicate lt>, c = #pocket<gelu tanh>, d = #pocket<reduction sum>}
