// RUN: pocket-opt %s --split-input-file --pocket-to-linalg --verify-diagnostics

// Attention is decomposed before; what is left of it cannot be lowered, and each is named.
func.func @attention(%x: tensor<1x1x2x3xf32>) -> (tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) {
  // expected-error @+1 {{'pocket.attention' op has no lowering to linalg for these types}}
  %0, %1 = pocket.attention %x, %x, %x scale = 1.0 : (tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x1x2x3xf32>, tensor<1x1x2x2xf32>)
  // expected-error @+1 {{'pocket.attention' op has no lowering to linalg for these types}}
  %2, %3 = pocket.attention %x, %x, %x scale = 2.0 causal : (tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) -> (tensor<1x1x2x3xf32>, tensor<1x1x2x2xf32>)
  return %0, %2 : tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>
}
