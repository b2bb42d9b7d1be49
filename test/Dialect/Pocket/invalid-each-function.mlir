// RUN: pocket-opt %s --verify-diagnostics --split-input-file

// Every function of one operand names the element types it knows. Those that are
// made for training take floating point only.

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.expm1' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.expm1 %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.log' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.log %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.log1p' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.log1p %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.sqrt' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.sqrt %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.rsqrt' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.rsqrt %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.reciprocal' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.reciprocal %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.tanh' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.tanh %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.sigmoid' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.sigmoid %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.erf' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.erf %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.sin' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.sin %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.cos' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.cos %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.floor' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.floor %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.ceil' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.ceil %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.round' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.round %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.stop_gradient' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.stop_gradient %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.leaky_relu' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.leaky_relu %x slope = 0.1 : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.elu' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.elu %x alpha = 1.0 : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.hardtanh' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.hardtanh %x min = 0.0 max = 6.0 : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.clamp' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.clamp %x min = 0.0 max = 6.0 : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.hardsigmoid' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.hardsigmoid %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.hardswish' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.hardswish %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.silu' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.silu %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.gelu' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.gelu %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi32>) {
  // expected-error @+1 {{'pocket.softplus' op operand #0 must be a tensor of f16, bf16, f32 or f64 with a static shape}}
  %0 = pocket.softplus %x : tensor<2xi32>
  return
}

// -----

func.func @test(%x: tensor<2xi1>) {
  // expected-error @+1 {{'pocket.abs' op operand #0 must be a tensor of f16, bf16, f32, f64, i8, i32 or i64 with a static shape}}
  %0 = pocket.abs %x : tensor<2xi1>
  return
}

// -----

func.func @test(%x: tensor<2xi1>) {
  // expected-error @+1 {{'pocket.sign' op operand #0 must be a tensor of f16, bf16, f32, f64, i8, i32 or i64 with a static shape}}
  %0 = pocket.sign %x : tensor<2xi1>
  return
}

// -----

// What parametrizes a function has no default but where PyTorch's is one.

func.func @test(%x: tensor<2xf32>) {
  // expected-error @+1 {{'pocket.elu' op requires attribute 'alpha'}}
  %0 = "pocket.elu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @test(%x: tensor<2xf32>) {
  // expected-error @+1 {{'pocket.hardtanh' op requires attribute 'max'}}
  %0 = "pocket.hardtanh"(%x) <{min = 0.0 : f64}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @test(%x: tensor<2xf32>) {
  // expected-error @+1 {{'pocket.clamp' op requires attribute 'max'}}
  %0 = "pocket.clamp"(%x) <{min = 0.0 : f64}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// Functions of two operands: one element type, shapes that broadcast.

func.func @test(%x: tensor<2x3xf32>, %y: tensor<3xf64>) {
  // expected-error @+2 {{expects operands of one element type, found 'f32' and 'f64'}}
  // expected-error @+1 {{'pocket.sub' op failed to infer returned types}}
  %0 = pocket.sub %x, %y : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{cannot broadcast shape [2] with [2, 3]}}
  // expected-error @+1 {{'pocket.sub' op failed to infer returned types}}
  %0 = pocket.sub %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<3xf64>) {
  // expected-error @+2 {{expects operands of one element type, found 'f32' and 'f64'}}
  // expected-error @+1 {{'pocket.mul' op failed to infer returned types}}
  %0 = pocket.mul %x, %y : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{cannot broadcast shape [2] with [2, 3]}}
  // expected-error @+1 {{'pocket.mul' op failed to infer returned types}}
  %0 = pocket.mul %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<3xf64>) {
  // expected-error @+2 {{expects operands of one element type, found 'f32' and 'f64'}}
  // expected-error @+1 {{'pocket.div' op failed to infer returned types}}
  %0 = pocket.div %x, %y : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{cannot broadcast shape [2] with [2, 3]}}
  // expected-error @+1 {{'pocket.div' op failed to infer returned types}}
  %0 = pocket.div %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<3xf64>) {
  // expected-error @+2 {{expects operands of one element type, found 'f32' and 'f64'}}
  // expected-error @+1 {{'pocket.maximum' op failed to infer returned types}}
  %0 = pocket.maximum %x, %y : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{cannot broadcast shape [2] with [2, 3]}}
  // expected-error @+1 {{'pocket.maximum' op failed to infer returned types}}
  %0 = pocket.maximum %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<3xf64>) {
  // expected-error @+2 {{expects operands of one element type, found 'f32' and 'f64'}}
  // expected-error @+1 {{'pocket.minimum' op failed to infer returned types}}
  %0 = pocket.minimum %x, %y : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{cannot broadcast shape [2] with [2, 3]}}
  // expected-error @+1 {{'pocket.minimum' op failed to infer returned types}}
  %0 = pocket.minimum %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<3xf64>) {
  // expected-error @+2 {{expects operands of one element type, found 'f32' and 'f64'}}
  // expected-error @+1 {{'pocket.pow' op failed to infer returned types}}
  %0 = pocket.pow %x, %y : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{cannot broadcast shape [2] with [2, 3]}}
  // expected-error @+1 {{'pocket.pow' op failed to infer returned types}}
  %0 = pocket.pow %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2xi1>) {
  // expected-error @+1 {{'pocket.sub' op operand #0 must be a tensor of f16, bf16, f32, f64, i8, i32 or i64 with a static shape}}
  %0 = pocket.sub %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @test(%x: tensor<2xi1>) {
  // expected-error @+1 {{'pocket.mul' op operand #0 must be a tensor of f16, bf16, f32, f64, i8, i32 or i64 with a static shape}}
  %0 = pocket.mul %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @test(%x: tensor<2xi1>) {
  // expected-error @+1 {{'pocket.div' op operand #0 must be a tensor of f16, bf16, f32, f64, i8, i32 or i64 with a static shape}}
  %0 = pocket.div %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @test(%x: tensor<2xi1>) {
  // expected-error @+1 {{'pocket.maximum' op operand #0 must be a tensor of f16, bf16, f32, f64, i8, i32 or i64 with a static shape}}
  %0 = pocket.maximum %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @test(%x: tensor<2xi1>) {
  // expected-error @+1 {{'pocket.minimum' op operand #0 must be a tensor of f16, bf16, f32, f64, i8, i32 or i64 with a static shape}}
  %0 = pocket.minimum %x, %x : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @test(%x: tensor<2xf32>) {
  // expected-error @+1 {{'pocket.or' op operand #0 must be a tensor of i1, i8, i32 or i64 with a static shape}}
  %0 = pocket.or %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @test(%x: tensor<2xi8>, %y: tensor<2xi32>) {
  // expected-error @+2 {{expects operands of one element type, found 'i8' and 'i32'}}
  // expected-error @+1 {{'pocket.or' op failed to infer returned types}}
  %0 = pocket.or %x, %y : (tensor<2xi8>, tensor<2xi32>) -> tensor<2xi8>
  return
}

// -----

func.func @test(%x: tensor<2xf32>) {
  // expected-error @+1 {{'pocket.xor' op operand #0 must be a tensor of i1, i8, i32 or i64 with a static shape}}
  %0 = pocket.xor %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @test(%x: tensor<2xi8>, %y: tensor<2xi32>) {
  // expected-error @+2 {{expects operands of one element type, found 'i8' and 'i32'}}
  // expected-error @+1 {{'pocket.xor' op failed to infer returned types}}
  %0 = pocket.xor %x, %y : (tensor<2xi8>, tensor<2xi32>) -> tensor<2xi8>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{reduces dimension 2 of a tensor of rank 2}}
  // expected-error @+1 {{'pocket.reduce_min' op failed to infer returned types}}
  %0 = pocket.reduce_min %x dims = [2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x0xf32>) {
  // expected-error @+2 {{reduces dimension 1, which is empty}}
  // expected-error @+1 {{'pocket.reduce_min' op failed to infer returned types}}
  %0 = pocket.reduce_min %x dims = [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  return
}
