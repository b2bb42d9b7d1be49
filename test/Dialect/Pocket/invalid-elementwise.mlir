// RUN: pocket-opt %s --verify-diagnostics --split-input-file

func.func @test(%x: tensor<?x3xf32>) {
  // expected-error @+1 {{'pocket.relu' op operand #0 must be a tensor of}}
  %0 = pocket.relu %x : tensor<?x3xf32>
  return
}

// -----

func.func @test(%x: tensor<*xf32>) {
  // expected-error @+1 {{invalid kind of type specified}}
  %0 = pocket.relu %x : tensor<*xf32>
  return
}

// -----

func.func @test(%x: tensor<*xf32>) {
  // expected-error @+1 {{'pocket.relu' op operand #0 must be a tensor of}}
  %0 = "pocket.relu"(%x) : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.relu' op operand #0 must be a tensor of}}
  %0 = pocket.relu %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi1>) {
  // expected-error @+1 {{'pocket.neg' op operand #0 must be a tensor of}}
  %0 = pocket.neg %x : tensor<2xi1>
  return
}

// -----

func.func @test(%x: tensor<2xindex>) {
  // expected-error @+1 {{'pocket.neg' op operand #0 must be a tensor of}}
  %0 = pocket.neg %x : tensor<2xindex>
  return
}

// -----

func.func @test(%x: tensor<2xui8>) {
  // expected-error @+1 {{'pocket.neg' op operand #0 must be a tensor of}}
  %0 = pocket.neg %x : tensor<2xui8>
  return
}

// -----

func.func @test(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{'pocket.exp' op operand #0 must be a tensor of}}
  %0 = pocket.exp %x : tensor<2xcomplex<f32>>
  return
}

// -----

func.func @test(%x: f32) {
  // expected-error @+1 {{'pocket.exp' op operand #0 must be a tensor of}}
  %0 = "pocket.exp"(%x) : (f32) -> f32
  return
}

// -----

func.func @test(%x: vector<2xf32>) {
  // expected-error @+1 {{'pocket.exp' op operand #0 must be a tensor of}}
  %0 = "pocket.exp"(%x) : (vector<2xf32>) -> vector<2xf32>
  return
}

// -----

func.func @test(%x: tensor<1048576x1048577xf32>) {
  // expected-error @+1 {{'pocket.exp' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape of up to 2^40 elements}}
  %0 = pocket.exp %x : tensor<1048576x1048577xf32>
  return
}

// -----

func.func @test(%x: tensor<4611686018427387904x4xf32>) {
  // expected-error @+1 {{'pocket.exp' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape of up to 2^40 elements}}
  %0 = pocket.exp %x : tensor<4611686018427387904x4xf32>
  return
}

// -----

func.func @test(%x: tensor<0x9223372036854775807xf32>) {
  // expected-error @+1 {{'pocket.exp' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape of up to 2^40 elements}}
  %0 = pocket.exp %x : tensor<0x9223372036854775807xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.relu' op all non-scalar operands/results must have the same shape and base type}}
  %0 = "pocket.relu"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.relu' op requires a single operand}}
  %0 = "pocket.relu"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.leaky_relu' op requires attribute 'slope'}}
  %0 = "pocket.leaky_relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.leaky_relu' op attribute 'slope' failed to satisfy constraint: 64-bit float attribute}}
  %0 = "pocket.leaky_relu"(%x) <{slope = 0.5 : f32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.hardtanh' op expects min not above max, found 1.000000e+00 and 0.000000e+00}}
  %0 = pocket.hardtanh %x min = 1.0 max = 0.0 : tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.softplus' op expects a beta other than 0}}
  %0 = pocket.softplus %x beta = 0.0 : tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected one of [none, tanh] for a form of GELU, got: erf}}
  %0 = pocket.gelu %x approximate = erf : tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected keyword for a form of GELU}}
  %0 = pocket.gelu %x approximate = 3 : tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{Invalid attribute `approximate` in property conversion}}
  %0 = "pocket.gelu"(%x) <{approximate = 1 : i32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2xf32>) {
  // expected-error @+1 {{'pocket.logical_not' op operand #0 must be a tensor of i1 with a static shape}}
  %0 = pocket.logical_not %x : tensor<2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.convert' op all non-scalar operands/results must have the same shape and base type}}
  %0 = pocket.convert %x : (tensor<2x3xf32>) -> tensor<3x2xf16>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.convert' op result #0 must be a tensor of}}
  %0 = pocket.convert %x : (tensor<2x3xf32>) -> tensor<2x3xf8E4M3FN>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{cannot broadcast shape [2] with [2, 3]}}
  // expected-error @+1 {{'pocket.add' op failed to infer returned types}}
  %0 = pocket.add %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<3xf64>) {
  // expected-error @+2 {{expects operands of one element type, found 'f32' and 'f64'}}
  // expected-error @+1 {{'pocket.add' op failed to infer returned types}}
  %0 = pocket.add %x, %y : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3x2xf32>'}}
  // expected-error @+1 {{'pocket.add' op failed to infer returned types}}
  %0 = pocket.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @test(%x: tensor<0xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{cannot broadcast shape [2] with [0]}}
  // expected-error @+1 {{'pocket.add' op failed to infer returned types}}
  %0 = pocket.add %x, %y : (tensor<0xf32>, tensor<2xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @test(%x: tensor<1x1048577xf32>, %y: tensor<1048577x1xf32>) {
  // expected-error @+1 {{'pocket.add' op result #0 must be a tensor of f16, bf16, f32, f64, i8, i32 or i64 with a static shape of up to 2^40 elements}}
  %0 = pocket.add %x, %y : (tensor<1x1048577xf32>, tensor<1048577x1xf32>) -> tensor<1048577x1048577xf32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.pow' op operand #0 must be a tensor of}}
  %0 = pocket.pow %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xf32>) {
  // expected-error @+1 {{'pocket.and' op operand #0 must be a tensor of}}
  %0 = pocket.and %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @test(%x: tensor<2xi1>) {
  // expected-error @+1 {{'pocket.add' op operand #0 must be a tensor of}}
  %0 = pocket.add %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected one of [eq, ne, lt, le, gt, ge] for a comparison, got: less}}
  %0 = pocket.compare less %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.compare' op requires attribute 'predicate'}}
  %0 = "pocket.compare"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.compare' op result #0 must be a tensor of i1 with a static shape}}
  %0 = pocket.compare lt %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.select' op operand #0 must be a tensor of i1 with a static shape}}
  %0 = pocket.select %x, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %m: tensor<4xi1>) {
  // expected-error @+2 {{cannot broadcast the condition's shape [4] with [2, 3]}}
  // expected-error @+1 {{'pocket.select' op failed to infer returned types}}
  %0 = pocket.select %m, %x, %x : (tensor<4xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %m: tensor<i1>, %y: tensor<4xf32>) {
  // expected-error @+2 {{cannot broadcast shape [4] with [2, 3]}}
  // expected-error @+1 {{'pocket.select' op failed to infer returned types}}
  %0 = pocket.select %m, %x, %y : (tensor<i1>, tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %m: tensor<i1>, %y: tensor<3xi64>) {
  // expected-error @+2 {{expects operands of one element type, found 'f32' and 'i64'}}
  // expected-error @+1 {{'pocket.select' op failed to infer returned types}}
  %0 = pocket.select %m, %x, %y : (tensor<i1>, tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}
