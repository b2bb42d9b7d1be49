// RUN: pocket-opt %s --split-input-file --verify-diagnostics

func.func @t(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{has channels along dimension 2 of a 'tensor<2x8xf32>'}}
  // expected-error @+1 {{'pocket.take_channels' op failed to infer returned types}}
  %4 = pocket.take_channels %x <dim = 2, [0 to 2]> : (tensor<2x8xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @t(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{has channels up to 9 along dimension 1 of a 'tensor<2x8xf32>'}}
  // expected-error @+1 {{'pocket.take_channels' op failed to infer returned types}}
  %4 = pocket.take_channels %x <dim = 1, [0 to 9]> : (tensor<2x8xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @t(%x: tensor<2x8xf32>) {
  // expected-error @+2 {{'pocket.take_channels' op inferred type(s) 'tensor<2x2xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  // expected-error @+1 {{'pocket.take_channels' op failed to infer returned types}}
  %4 = pocket.take_channels %x <dim = 1, [0 to 2]> : (tensor<2x8xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @t(%x: tensor<2x8xf32>, %s: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.assign_channels' op expects new channels of type 'tensor<2x2xf32>', found 'tensor<2x3xf32>'}}
  %4 = pocket.assign_channels %x <dim = 1, [0 to 2]> with %s : (tensor<2x8xf32>, tensor<2x3xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @t(%x: tensor<2x8xi1>) {
  // expected-error @+2 {{packs along dimension 2 of a tensor of rank 2}}
  // expected-error @+1 {{'pocket.pack_bits' op failed to infer returned types}}
  %4 = pocket.pack_bits %x dim = 2 : (tensor<2x8xi1>) -> tensor<2x1xi8>
  return
}

// -----

func.func @t(%x: tensor<2x8xi1>) {
  // expected-error @+2 {{packs along dimension -1 of a tensor of rank 2}}
  // expected-error @+1 {{'pocket.pack_bits' op failed to infer returned types}}
  %4 = pocket.pack_bits %x dim = -1 : (tensor<2x8xi1>) -> tensor<2x1xi8>
  return
}

// -----

func.func @t(%x: tensor<2x1xi8>) {
  // expected-error @+1 {{'pocket.unpack_bits' op expects a 'tensor<2x2xi8>' for 'tensor<2x9xi1>' along dimension 1, found 'tensor<2x1xi8>'}}
  %4 = pocket.unpack_bits %x dim = 1 : (tensor<2x1xi8>) -> tensor<2x9xi1>
  return
}

// -----

func.func @t(%x: tensor<2x1xi8>) {
  // expected-error @+1 {{'pocket.unpack_bits' op packs along dimension 3 of a tensor of rank 2}}
  %4 = pocket.unpack_bits %x dim = 3 : (tensor<2x1xi8>) -> tensor<2x8xi1>
  return
}

// -----

func.func @t(%x: tensor<i1>) {
  // expected-error @+2 {{packs along dimension 0 of a tensor of rank 0}}
  // expected-error @+1 {{'pocket.pack_bits' op failed to infer returned types}}
  %4 = pocket.pack_bits %x dim = 0 : (tensor<i1>) -> tensor<i8>
  return
}

// -----

func.func @t() {
  // expected-error @+1 {{'pocket.gradient_seed' op result #0 must be a tensor of f16, bf16, f32 or f64 of rank 0, but got 'tensor<2xf32>'}}
  %4 = pocket.gradient_seed : tensor<2xf32>
  return
}
