// RUN: pocket-opt %s --split-input-file --pocket-autodiff --pocket-save-activations --pocket-count-costs | FileCheck %s

// Only the bias in front of a frozen head trains: of the ReLU a bit per element is
// kept, 8 x 64 elements in 64 bytes, and the ReLU's result dies in the forward pass.
// CHECK: pocket.costs = {{.*}}saved_bytes = 64 : i64
// CHECK-LABEL: func.func @train_step
// CHECK: %[[Y:.*]] = pocket.relu
// CHECK: %[[OFF:.*]] = pocket.compare le %[[Y]]
// CHECK: %[[B:.*]] = pocket.pack_bits %[[OFF]] dim = 0 : (tensor<8x64xi1>) -> tensor<1x64xi8>
// CHECK: %[[K:.*]] = pocket.save %[[B]] : tensor<1x64xi8>
// CHECK: pocket.gradient_seed
// CHECK-NOT: %[[Y]]
// CHECK: %[[U:.*]] = pocket.unpack_bits %[[K]] dim = 0
// CHECK-NEXT: pocket.select %[[U]]
func.func @forward(%b: tensor<64xf32> {pocket.param = "b", pocket.needs_grad = true}, %w: tensor<4x64xf32> {pocket.param = "w"},
    %x: tensor<8x64xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.add %x, %b : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  %1 = pocket.relu %0 : tensor<8x64xf32>
  %2 = pocket.matmul %1, %w transposed : (tensor<8x64xf32>, tensor<4x64xf32>) -> tensor<8x4xf32>
  %3 = pocket.sum %2 dims = [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// The head trains too and reads the ReLU's result: that is kept already, no bits.
// CHECK: pocket.costs = {{.*}}saved_bytes = 2048 : i64
// CHECK-LABEL: func.func @train_step
// CHECK-NOT: pocket.save
// CHECK-NOT: pocket.pack_bits
// CHECK: pocket.gradient_seed
// CHECK: pocket.compare le
func.func @forward(%b: tensor<64xf32> {pocket.param = "b", pocket.needs_grad = true}, %w: tensor<4x64xf32> {pocket.param = "w", pocket.needs_grad = true},
    %x: tensor<8x64xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.add %x, %b : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  %1 = pocket.relu %0 : tensor<8x64xf32>
  %2 = pocket.matmul %1, %w transposed : (tensor<8x64xf32>, tensor<4x64xf32>) -> tensor<8x4xf32>
  %3 = pocket.sum %2 dims = [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// Hard-tanh has one mask of two comparisons.
// CHECK: pocket.costs = {{.*}}saved_bytes = 64 : i64
// CHECK-LABEL: func.func @train_step
// CHECK-COUNT-1: pocket.save {{.*}}xi8>
// CHECK-NOT: pocket.save
func.func @forward(%b: tensor<64xf32> {pocket.param = "b", pocket.needs_grad = true}, %w: tensor<4x64xf32> {pocket.param = "w"},
    %x: tensor<8x64xf32> {pocket.role = "input", pocket.name = "x"}) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.add %x, %b : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32>
  %1 = pocket.hardtanh %0 min = 0.0 max = 6.0 : tensor<8x64xf32>
  %2 = pocket.matmul %1, %w transposed : (tensor<8x64xf32>, tensor<4x64xf32>) -> tensor<8x4xf32>
  %3 = pocket.sum %2 dims = [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}
