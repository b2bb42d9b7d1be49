// RUN: pocket-opt %s --verify-diagnostics --split-input-file

func.func @test() {
  // expected-error @+1 {{'pocket.constant' op result #0 must be a tensor of}}
  %0 = pocket.constant dense<1.0> : tensor<2xf80>
  return
}

// -----

func.func @test() {
  // expected-error @+1 {{'pocket.constant' op failed to verify that all of {value, result} have same type}}
  %0 = "pocket.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

func.func @test() {
  // expected-error @+1 {{'pocket.constant' op requires attribute 'value'}}
  %0 = "pocket.constant"() : () -> tensor<3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{reduces dimension 2 of a tensor of rank 2}}
  // expected-error @+1 {{'pocket.sum' op failed to infer returned types}}
  %0 = pocket.sum %x dims = [2] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{reduces dimension -1 of a tensor of rank 2}}
  // expected-error @+1 {{'pocket.mean' op failed to infer returned types}}
  %0 = pocket.mean %x dims = [-1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{reduces dimension 1 twice}}
  // expected-error @+1 {{'pocket.sum' op failed to infer returned types}}
  %0 = pocket.sum %x dims = [1, 1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2x1xf32>'}}
  // expected-error @+1 {{'pocket.sum' op failed to infer returned types}}
  %0 = pocket.sum %x dims = [1] : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @test(%x: tensor<0x3xf32>) {
  // expected-error @+2 {{reduces dimension 0, which is empty}}
  // expected-error @+1 {{'pocket.reduce_max' op failed to infer returned types}}
  %0 = pocket.reduce_max %x dims = [0] : (tensor<0x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @test(%x: tensor<2xi64>) {
  // expected-error @+1 {{'pocket.mean' op operand #0 must be a tensor of}}
  %0 = pocket.mean %x dims = [0] : (tensor<2xi64>) -> tensor<i64>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{reduces dimension 5 of a tensor of rank 2}}
  // expected-error @+1 {{'pocket.argmax' op failed to infer returned types}}
  %0 = pocket.argmax %x dim = 5 : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @test(%x: tensor<f32>) {
  // expected-error @+2 {{reduces dimension 0 of a tensor of rank 0}}
  // expected-error @+1 {{'pocket.argmax' op failed to infer returned types}}
  %0 = pocket.argmax %x dim = 0 : (tensor<f32>) -> tensor<i64>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.argmax' op attribute 'dim' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = "pocket.argmax"(%x) <{dim = 1 : i32}> : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.reshape' op keeps the number of elements, found 6 in 'tensor<2x3xf32>' and 8 in 'tensor<2x4xf32>'}}
  %0 = pocket.reshape %x : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.reshape' op keeps the element type, found 'tensor<2x3xf32>' to 'tensor<6xi32>'}}
  %0 = pocket.reshape %x : (tensor<2x3xf32>) -> tensor<6xi32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.reshape' op result #0 must be a tensor of}}
  %0 = pocket.reshape %x : (tensor<2x3xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.reshape' op result #0 must be a tensor of}}
  %0 = pocket.reshape %x : (tensor<2x3xf32>) -> tensor<9223372036854775807x9223372036854775807xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expects a permutation of 2 dimensions, found [0, 0]}}
  // expected-error @+1 {{'pocket.transpose' op failed to infer returned types}}
  %0 = pocket.transpose %x permutation = [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expects a permutation of 2 dimensions, found [1]}}
  // expected-error @+1 {{'pocket.transpose' op failed to infer returned types}}
  %0 = pocket.transpose %x permutation = [1] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expects a permutation of 2 dimensions, found [9223372036854775807, -9223372036854775808]}}
  // expected-error @+1 {{'pocket.transpose' op failed to infer returned types}}
  %0 = pocket.transpose %x permutation = [9223372036854775807, -9223372036854775808] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expects a permutation of 2 dimensions, found [-1, 0]}}
  // expected-error @+1 {{'pocket.transpose' op failed to infer returned types}}
  %0 = pocket.transpose %x permutation = [-1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.broadcast' op cannot repeat shape [2, 3] up to [2, 4]}}
  %0 = pocket.broadcast %x : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.broadcast' op cannot repeat shape [2, 3] up to [3]}}
  %0 = pocket.broadcast %x : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.broadcast' op cannot repeat shape [2, 3] up to [1, 3]}}
  %0 = pocket.broadcast %x : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.broadcast' op keeps the element type, found 'tensor<2x3xf32>' to 'tensor<2x3xf64>'}}
  %0 = pocket.broadcast %x : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expects an offset, a size and a stride for each of 2 dimensions}}
  // expected-error @+1 {{'pocket.slice' op failed to infer returned types}}
  %0 = pocket.slice %x offsets = [0] sizes = [1, 1] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expects offsets and sizes from 0 and strides from 1 on}}
  // expected-error @+1 {{'pocket.slice' op failed to infer returned types}}
  %0 = pocket.slice %x offsets = [0, -1] sizes = [1, 1] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expects offsets and sizes from 0 and strides from 1 on}}
  // expected-error @+1 {{'pocket.slice' op failed to infer returned types}}
  %0 = pocket.slice %x offsets = [0, 0] sizes = [1, -1] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expects offsets and sizes from 0 and strides from 1 on}}
  // expected-error @+1 {{'pocket.slice' op failed to infer returned types}}
  %0 = pocket.slice %x offsets = [0, 0] sizes = [1, 1] strides = [1, 0] : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{reads dimension 1 from 2 in 2 steps of 1, outside its size 3}}
  // expected-error @+1 {{'pocket.slice' op failed to infer returned types}}
  %0 = pocket.slice %x offsets = [0, 2] sizes = [1, 2] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{reads dimension 1 from 9223372036854775807 in 1 steps of 9223372036854775807, outside its size 3}}
  // expected-error @+1 {{'pocket.slice' op failed to infer returned types}}
  %0 = pocket.slice %x offsets = [0, 9223372036854775807] sizes = [1, 1] strides = [1, 9223372036854775807] : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{reads dimension 0 from 0 in 9223372036854775807 steps of 9223372036854775807, outside its size 2}}
  // expected-error @+1 {{'pocket.slice' op failed to infer returned types}}
  %0 = pocket.slice %x offsets = [0, 0] sizes = [9223372036854775807, 1] strides = [9223372036854775807, 1] : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.slice_grad' op keeps the element type}}
  %0 = pocket.slice_grad %x offsets = [0, 0] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<4x4xf64>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.slice_grad' op reads dimension 1 from 2 in 3 steps of 1, outside its size 4}}
  %0 = pocket.slice_grad %x offsets = [0, 2] strides = [1, 1] : (tensor<2x3xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.slice_grad' op expects an offset, a size and a stride for each of 3 dimensions}}
  %0 = pocket.slice_grad %x offsets = [0, 2, 0] strides = [1, 1, 1] : (tensor<2x3xf32>) -> tensor<4x4x4xf32>
  return
}

// -----

func.func @test() {
  // expected-error @+2 {{expects at least one operand}}
  // expected-error @+1 {{'pocket.concat' op failed to infer returned types}}
  %0 = "pocket.concat"() <{dim = 0 : i64}> : () -> tensor<2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{joins along dimension 2 of a tensor of rank 2}}
  // expected-error @+1 {{'pocket.concat' op failed to infer returned types}}
  %0 = pocket.concat %x dim = 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{joins along dimension -1 of a tensor of rank 2}}
  // expected-error @+1 {{'pocket.concat' op failed to infer returned types}}
  %0 = pocket.concat %x dim = -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<f32>) {
  // expected-error @+2 {{joins along dimension 0 of a tensor of rank 0}}
  // expected-error @+1 {{'pocket.concat' op failed to infer returned types}}
  %0 = pocket.concat %x dim = 0 : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+2 {{cannot join 'tensor<2x4xf32>' to 'tensor<2x3xf32>' along dimension 0}}
  // expected-error @+1 {{'pocket.concat' op failed to infer returned types}}
  %0 = pocket.concat %x, %y dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %y: tensor<2x3xf64>) {
  // expected-error @+2 {{cannot join 'tensor<2x3xf64>' to 'tensor<2x3xf32>' along dimension 0}}
  // expected-error @+1 {{'pocket.concat' op failed to infer returned types}}
  %0 = pocket.concat %x, %y dim = 0 : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expects a low and a high padding for each of 2 dimensions}}
  // expected-error @+1 {{'pocket.pad' op failed to infer returned types}}
  %0 = pocket.pad %x low = [0] high = [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expects paddings from 0 on; a slice takes away}}
  // expected-error @+1 {{'pocket.pad' op failed to infer returned types}}
  %0 = pocket.pad %x low = [0, -1] high = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x9223372036854775807xf32>' are incompatible}}
  // expected-error @+1 {{'pocket.pad' op failed to infer returned types}}
  %0 = pocket.pad %x low = [0, 9223372036854775807] high = [0, 9223372036854775807] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.reverse' op reverses dimension 2 of a tensor of rank 2}}
  %0 = pocket.reverse %x dims = [2] : tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.reverse' op reverses dimension -1 of a tensor of rank 2}}
  %0 = pocket.reverse %x dims = [-1] : tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.reverse' op reverses dimension 0 twice}}
  %0 = pocket.reverse %x dims = [0, 0] : tensor<2x3xf32>
  return
}

// -----

func.func @test(%w: tensor<f32>, %i: tensor<3xi64>) {
  // expected-error @+2 {{expects a table of rank 1 or more}}
  // expected-error @+1 {{'pocket.embedding' op failed to infer returned types}}
  %0 = pocket.embedding %w, %i : (tensor<f32>, tensor<3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @test(%w: tensor<10x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+2 {{has padding_idx 10 but only 10 rows}}
  // expected-error @+1 {{'pocket.embedding' op failed to infer returned types}}
  %0 = pocket.embedding %w, %i padding_idx = 10 : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @test(%w: tensor<10x4xf32>, %i: tensor<3xf32>) {
  // expected-error @+1 {{'pocket.embedding' op operand #1 must be a tensor of}}
  %0 = pocket.embedding %w, %i : (tensor<10x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @test(%w: tensor<10x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3x4xf32>' are incompatible}}
  // expected-error @+1 {{'pocket.embedding' op failed to infer returned types}}
  %0 = pocket.embedding %w, %i : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @test(%g: tensor<3x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'pocket.embedding_grad' op has padding_idx 10 but only 10 rows}}
  %0 = pocket.embedding_grad %g, %i padding_idx = 10 : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<10x4xf32>
  return
}

// -----

func.func @test(%g: tensor<3x4xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{'pocket.embedding_grad' op expects a cotangent of shape [2, 4], found 'tensor<3x4xf32>'}}
  %0 = pocket.embedding_grad %g, %i : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<10x4xf32>
  return
}

// -----

func.func @test(%g: tensor<3x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'pocket.embedding_grad' op keeps the element type, found 'tensor<3x4xf32>' to 'tensor<10x4xf64>'}}
  %0 = pocket.embedding_grad %g, %i : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<10x4xf64>
  return
}

// -----

func.func @test(%g: tensor<f32>, %i: tensor<i64>) {
  // expected-error @+1 {{'pocket.embedding_grad' op expects a cotangent of shape [indices..., row...], found 'tensor<f32>'}}
  %0 = pocket.embedding_grad %g, %i : (tensor<f32>, tensor<i64>) -> tensor<f32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{expects indices of rank 2, found 'tensor<2xi64>'}}
  // expected-error @+1 {{'pocket.gather' op failed to infer returned types}}
  %0 = pocket.gather %x, %i dim = 1 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %i: tensor<2x5xi64>) {
  // expected-error @+2 {{gathers along dimension 2 of a tensor of rank 2}}
  // expected-error @+1 {{'pocket.gather' op failed to infer returned types}}
  %0 = pocket.gather %x, %i dim = 2 : (tensor<2x3xf32>, tensor<2x5xi64>) -> tensor<2x5xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %i: tensor<2x5xi64>) {
  // expected-error @+2 {{gathers along dimension -1 of a tensor of rank 2}}
  // expected-error @+1 {{'pocket.gather' op failed to infer returned types}}
  %0 = pocket.gather %x, %i dim = -1 : (tensor<2x3xf32>, tensor<2x5xi64>) -> tensor<2x5xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %i: tensor<4x3xi64>) {
  // expected-error @+2 {{has 4 indices along dimension 0 of size 2}}
  // expected-error @+1 {{'pocket.gather' op failed to infer returned types}}
  %0 = pocket.gather %x, %i dim = 1 : (tensor<2x3xf32>, tensor<4x3xi64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %i: tensor<2x2xi64>) {
  // expected-error @+1 {{'pocket.gather_grad' op expects a cotangent of the indices' shape [2, 2], found 'tensor<2x3xf32>'}}
  %0 = pocket.gather_grad %x, %i dim = 1 : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2x5xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>) {
  // expected-error @+1 {{'pocket.gather_grad' op has 2 indices along dimension 0 of size 1}}
  %0 = pocket.gather_grad %x, %i dim = 1 : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<1x5xf32>
  return
}
