// RUN: pocket-opt %s --verify-diagnostics --split-input-file

func.func @test(%a: tensor<3xf32>) {
  // expected-error @+2 {{expects two tensors of one rank, 2 or more}}
  // expected-error @+1 {{'pocket.matmul' op failed to infer returned types}}
  %0 = pocket.matmul %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @test(%a: tensor<2x3xf32>, %b: tensor<1x3x2xf32>) {
  // expected-error @+2 {{expects two tensors of one rank, 2 or more}}
  // expected-error @+1 {{'pocket.matmul' op failed to infer returned types}}
  %0 = pocket.matmul %a, %b : (tensor<2x3xf32>, tensor<1x3x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @test(%a: tensor<2x3xf32>, %b: tensor<3x2xf64>) {
  // expected-error @+2 {{expects operands of one element type, found 'tensor<2x3xf32>' and 'tensor<3x2xf64>'}}
  // expected-error @+1 {{'pocket.matmul' op failed to infer returned types}}
  %0 = pocket.matmul %a, %b : (tensor<2x3xf32>, tensor<3x2xf64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @test(%a: tensor<2x2x3xf32>, %b: tensor<1x3x2xf32>) {
  // expected-error @+2 {{expects equal leading dimensions, found 'tensor<2x2x3xf32>' and 'tensor<1x3x2xf32>'}}
  // expected-error @+1 {{'pocket.matmul' op failed to infer returned types}}
  %0 = pocket.matmul %a, %b : (tensor<2x2x3xf32>, tensor<1x3x2xf32>) -> tensor<2x2x2xf32>
  return
}

// -----

func.func @test(%a: tensor<2x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error @+2 {{contracts 3 with 4 elements: 'tensor<2x3xf32>' and 'tensor<4x2xf32>'}}
  // expected-error @+1 {{'pocket.matmul' op failed to infer returned types}}
  %0 = pocket.matmul %a, %b : (tensor<2x3xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @test(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+2 {{contracts 3 with 4 elements}}
  // expected-error @+1 {{'pocket.matmul' op failed to infer returned types}}
  %0 = pocket.matmul %a, %b transposed : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @test(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x4xf32>' are incompatible}}
  // expected-error @+1 {{'pocket.matmul' op failed to infer returned types}}
  %0 = pocket.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @test(%x: tensor<4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{expects an input and a filter of rank 4}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w : (tensor<4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf64>) {
  // expected-error @+2 {{expects operands of one element type}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf64>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{expects 2 strides, 2 dilations and 4 paddings (top, bottom, left, right)}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w padding = [1, 1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{expects 2 strides, 2 dilations and 4 paddings}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w strides = [1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{expects 2 strides, 2 dilations and 4 paddings}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w dilations = [] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{expects strides and dilations from 1 on}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w strides = [0, 1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{expects strides and dilations from 1 on}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w dilations = [1, -1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{expects paddings from 0 on}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w padding = [0, 0, 0, -1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x6x9223372036854775807x6xf32>' are incompatible}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w padding = [9223372036854775807, 9223372036854775807, 0, 0] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{has a 3x3 kernel that does not fit into its padded input 'tensor<1x4x8x8xf32>'}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w dilations = [9223372036854775807, 1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x6x1x6xf32>' are incompatible}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w strides = [9223372036854775807, 1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{cannot split 4 input and 6 output channels into 3 groups}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w groups = 3 : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{cannot split 4 input and 6 output channels into 0 groups}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w groups = 0 : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{cannot split 4 input and 6 output channels into -1 groups}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w groups = -1 : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{expects a filter over 2 channels (4 input channels in 2 groups), found 4 in 'tensor<6x4x3x3xf32>'}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w groups = 2 : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{expects a filter over 8 channels (8 input channels in 1 groups), found 3 in 'tensor<6x4x3x3xf32>'}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w layout = nhwc : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x9x3xf32>) {
  // expected-error @+2 {{has a 9x3 kernel that does not fit into its padded input 'tensor<1x4x8x8xf32>'}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x9x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x0x3xf32>) {
  // expected-error @+2 {{has a 0x3 kernel that does not fit}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x0x3xf32>) -> tensor<1x6x9x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x0x0xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+2 {{has a 3x3 kernel that does not fit}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w : (tensor<1x4x0x0xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<4xf32>) {
  // expected-error @+2 {{expects a bias of type 'tensor<6xf32>', found 'tensor<4xf32>'}}
  // expected-error @+1 {{'pocket.conv2d' op failed to infer returned types}}
  %0 = pocket.conv2d %x, %w bias %b : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<4xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+1 {{expected one of [nchw, nhwc] for where the channels are, got: chwn}}
  %0 = pocket.conv2d %x, %w layout = chwn : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+1 {{Invalid attribute `strides` in property conversion}}
  %0 = "pocket.conv2d"(%x, %w) <{strides = array<i32: 1, 1>}> : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @test(%g: tensor<1x6x5x6xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+1 {{'pocket.conv2d_input_grad' op expects a cotangent of type 'tensor<1x6x6x6xf32>', found 'tensor<1x6x5x6xf32>'}}
  %0 = pocket.conv2d_input_grad %g, %w : (tensor<1x6x5x6xf32>, tensor<6x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @test(%g: tensor<1x6x6x6xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @+1 {{'pocket.conv2d_input_grad' op expects paddings from 0 on}}
  %0 = pocket.conv2d_input_grad %g, %w padding = [-1, 0, 0, 0] : (tensor<1x6x6x6xf32>, tensor<6x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %g: tensor<1x6x5x6xf32>) {
  // expected-error @+1 {{'pocket.conv2d_weight_grad' op expects a cotangent of type 'tensor<1x6x6x6xf32>', found 'tensor<1x6x5x6xf32>'}}
  %0 = pocket.conv2d_weight_grad %x, %g : (tensor<1x4x8x8xf32>, tensor<1x6x5x6xf32>) -> tensor<6x4x3x3xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %g: tensor<1x6x6x6xf32>) {
  // expected-error @+1 {{'pocket.conv2d_weight_grad' op expects an input and a filter of rank 4}}
  %0 = pocket.conv2d_weight_grad %x, %g : (tensor<1x4x8x8xf32>, tensor<1x6x6x6xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @test(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{expects an input of rank 4}}
  // expected-error @+1 {{'pocket.avg_pool2d' op failed to infer returned types}}
  %0 = pocket.avg_pool2d %x kernel = [2, 2] strides = [2, 2] : (tensor<4x8xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{expects 2 kernel sizes, strides, paddings and dilations}}
  // expected-error @+1 {{'pocket.avg_pool2d' op failed to infer returned types}}
  %0 = pocket.avg_pool2d %x kernel = [2] strides = [2, 2] : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{expects kernel sizes, strides and dilations from 1 on}}
  // expected-error @+1 {{'pocket.avg_pool2d' op failed to infer returned types}}
  %0 = pocket.avg_pool2d %x kernel = [0, 2] strides = [2, 2] : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{expects kernel sizes, strides and dilations from 1 on}}
  // expected-error @+1 {{'pocket.avg_pool2d' op failed to infer returned types}}
  %0 = pocket.avg_pool2d %x kernel = [2, 2] strides = [2, -2] : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{expects paddings of at most half the kernel size, found 2 for 3}}
  // expected-error @+1 {{'pocket.avg_pool2d' op failed to infer returned types}}
  %0 = pocket.avg_pool2d %x kernel = [3, 3] strides = [2, 2] padding = [2, 0] : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{expects paddings of at most half the kernel size, found 9223372036854775807 for 3}}
  // expected-error @+1 {{'pocket.avg_pool2d' op failed to infer returned types}}
  %0 = pocket.avg_pool2d %x kernel = [3, 3] strides = [2, 2] padding = [9223372036854775807, 0] : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{expects paddings of at most half the kernel size, found -1 for 3}}
  // expected-error @+1 {{'pocket.avg_pool2d' op failed to infer returned types}}
  %0 = pocket.avg_pool2d %x kernel = [3, 3] strides = [2, 2] padding = [0, -1] : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{has a 9x9 kernel that does not fit into its padded input 'tensor<1x4x8x8xf32>'}}
  // expected-error @+1 {{'pocket.avg_pool2d' op failed to infer returned types}}
  %0 = pocket.avg_pool2d %x kernel = [9, 9] strides = [1, 1] : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{has a 9223372036854775807x9223372036854775807 kernel that does not fit}}
  // expected-error @+1 {{'pocket.max_pool2d' op failed to infer returned types}}
  %0:2 = pocket.max_pool2d %x kernel = [9223372036854775807, 9223372036854775807] strides = [9223372036854775807, 1] ceil_mode : (tensor<1x4x8x8xf32>) -> (tensor<1x4x1x1xf32>, tensor<1x4x1x1xi8>)
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{has a 3x3 kernel that does not fit}}
  // expected-error @+1 {{'pocket.max_pool2d' op failed to infer returned types}}
  %0:2 = pocket.max_pool2d %x kernel = [3, 3] strides = [1, 1] dilations = [1, 9223372036854775807] : (tensor<1x4x8x8xf32>) -> (tensor<1x4x6x6xf32>, tensor<1x4x6x6xi8>)
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x4x4x4xf32>', 'tensor<1x4x4x4xi8>' are incompatible with return type(s) of operation 'tensor<1x4x4x4xf32>', 'tensor<1x4x4x4xi32>'}}
  // expected-error @+1 {{'pocket.max_pool2d' op failed to infer returned types}}
  %0:2 = pocket.max_pool2d %x kernel = [2, 2] strides = [2, 2] : (tensor<1x4x8x8xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi32>)
  return
}

// -----

func.func @test(%g: tensor<1x4x4x5xf32>, %i: tensor<1x4x4x4xi8>) {
  // expected-error @+1 {{'pocket.max_pool2d_grad' op expects a cotangent of type 'tensor<1x4x4x4xf32>', found 'tensor<1x4x4x5xf32>'}}
  %0 = pocket.max_pool2d_grad %g, %i kernel = [2, 2] strides = [2, 2] : (tensor<1x4x4x5xf32>, tensor<1x4x4x4xi8>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @test(%g: tensor<1x4x4x4xf32>, %i: tensor<1x4x4x4xi32>) {
  // expected-error @+1 {{'pocket.max_pool2d_grad' op expects an index of type 'tensor<1x4x4x4xi8>', found 'tensor<1x4x4x4xi32>'}}
  %0 = pocket.max_pool2d_grad %g, %i kernel = [2, 2] strides = [2, 2] : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @test(%g: tensor<1x4x4x5xf32>) {
  // expected-error @+1 {{'pocket.avg_pool2d_grad' op expects a cotangent of type 'tensor<1x4x4x4xf32>', found 'tensor<1x4x4x5xf32>'}}
  %0 = pocket.avg_pool2d_grad %g kernel = [2, 2] strides = [2, 2] : (tensor<1x4x4x5xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %c: tensor<4xf32>) {
  // expected-error @+2 {{has channel dimension 4, outside its input's rank}}
  // expected-error @+1 {{'pocket.batch_norm_inference' op failed to infer returned types}}
  %0 = pocket.batch_norm_inference %x mean %c variance %c epsilon = 0.1 channel_dim = 4 : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %c: tensor<4xf32>) {
  // expected-error @+2 {{has channel dimension -1, outside its input's rank}}
  // expected-error @+1 {{'pocket.batch_norm_inference' op failed to infer returned types}}
  %0 = pocket.batch_norm_inference %x mean %c variance %c epsilon = 0.1 channel_dim = -1 : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+2 {{expects statistics, scale and bias of type 'tensor<4xf32>', found 'tensor<8xf32>'}}
  // expected-error @+1 {{'pocket.batch_norm_inference' op failed to infer returned types}}
  %0 = pocket.batch_norm_inference %x mean %c variance %c epsilon = 0.1 : (tensor<1x4x8x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %c: tensor<4xf32>) {
  // expected-error @+2 {{expects an epsilon from 0 on, found -1.000000e-01}}
  // expected-error @+1 {{'pocket.batch_norm_inference' op failed to infer returned types}}
  %0 = pocket.batch_norm_inference %x mean %c variance %c epsilon = -0.1 : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %c: tensor<4xf32>) {
  // expected-error @+2 {{expects an epsilon from 0 on}}
  // expected-error @+1 {{'pocket.batch_norm_training' op failed to infer returned types}}
  %0:3 = pocket.batch_norm_training %x epsilon = 0x7FF8000000000000 : (tensor<1x4x8x8xf32>) -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %c: tensor<4xf32>) {
  // expected-error @+2 {{expects scale and bias both or not at all}}
  // expected-error @+1 {{'pocket.batch_norm_inference' op failed to infer returned types}}
  %0 = "pocket.batch_norm_inference"(%x, %c, %c, %c) <{epsilon = 0.1, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %c: tensor<4xf32>) {
  // expected-error @+2 {{expects scale and bias both or not at all}}
  // expected-error @+1 {{'pocket.batch_norm_training' op failed to infer returned types}}
  %0:3 = "pocket.batch_norm_training"(%x, %c) <{epsilon = 0.1, operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<1x4x8x8xf32>, tensor<4xf32>) -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{'pocket.batch_norm_inference' op operand count (3) does not match with the total size (4) specified in attribute 'operandSegmentSizes'}}
  %0 = "pocket.batch_norm_inference"(%x, %c, %c) <{epsilon = 0.1, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+2 {{expects statistics, scale and bias of type 'tensor<4xf32>', found 'tensor<8xf32>'}}
  // expected-error @+1 {{'pocket.batch_norm_training' op failed to infer returned types}}
  %0:3 = pocket.batch_norm_training %x scale %c bias %c epsilon = 0.1 : (tensor<1x4x8x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @test(%x: tensor<1x4x8x8xf32>, %c: tensor<4xf32>) {
  // expected-error @+2 {{expects a cotangent of type 'tensor<1x4x8x8xf32>', found 'tensor<4xf32>'}}
  // expected-error @+1 {{'pocket.batch_norm_reduce_grad' op failed to infer returned types}}
  %0:2 = pocket.batch_norm_reduce_grad %c, %x mean %c : (tensor<4xf32>, tensor<1x4x8x8xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{normalizes from dimension 2 on, outside its input's rank}}
  // expected-error @+1 {{'pocket.layer_norm' op failed to infer returned types}}
  %0:3 = pocket.layer_norm %x axis = 2 epsilon = 0.1 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{normalizes from dimension -1 on, outside its input's rank}}
  // expected-error @+1 {{'pocket.layer_norm' op failed to infer returned types}}
  %0:3 = pocket.layer_norm %x axis = -1 epsilon = 0.1 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expects an epsilon from 0 on, found -1.000000e+00}}
  // expected-error @+1 {{'pocket.layer_norm' op failed to infer returned types}}
  %0:3 = pocket.layer_norm %x axis = 1 epsilon = -1.0 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %c: tensor<2xf32>) {
  // expected-error @+2 {{expects scale and bias of type 'tensor<3xf32>', found 'tensor<2xf32>'}}
  // expected-error @+1 {{'pocket.layer_norm' op failed to infer returned types}}
  %0:3 = pocket.layer_norm %x scale %c bias %c axis = 1 epsilon = 0.1 : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %c: tensor<3xf32>) {
  // expected-error @+2 {{expects scale and bias both or not at all}}
  // expected-error @+1 {{'pocket.layer_norm' op failed to infer returned types}}
  %0:3 = "pocket.layer_norm"(%x, %c) <{axis = 1 : i64, epsilon = 0.1, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %m: tensor<3xf32>) {
  // expected-error @+1 {{'pocket.layer_norm_input_grad' op expects a mean of type 'tensor<2xf32>', found 'tensor<3xf32>'}}
  %0 = pocket.layer_norm_input_grad %x, %x mean %m rstd %m axis = 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %m: tensor<2xf32>, %r: tensor<f32>) {
  // expected-error @+1 {{'pocket.layer_norm_input_grad' op expects a rstd of type 'tensor<2xf32>', found 'tensor<f32>'}}
  %0 = pocket.layer_norm_input_grad %x, %x mean %m rstd %r axis = 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %m: tensor<2xf32>) {
  // expected-error @+1 {{'pocket.layer_norm_input_grad' op expects a scale of type 'tensor<3xf32>', found 'tensor<2xf32>'}}
  %0 = pocket.layer_norm_input_grad %x, %x mean %m rstd %m scale %m axis = 1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %m: tensor<2xf32>) {
  // expected-error @+1 {{'pocket.layer_norm_input_grad' op expects a cotangent of type 'tensor<2x3xf32>', found 'tensor<2xf32>'}}
  %0 = pocket.layer_norm_input_grad %m, %x mean %m rstd %m axis = 1 : (tensor<2xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %m: tensor<2xf32>) {
  // expected-error @+1 {{'pocket.layer_norm_input_grad' op expects an input of type 'tensor<2x3xf32>', found 'tensor<2xf32>'}}
  %0 = pocket.layer_norm_input_grad %x, %m mean %m rstd %m axis = 1 : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>, %m: tensor<2xf32>) {
  // expected-error @+1 {{'pocket.layer_norm_input_grad' op normalizes from dimension 9 on, outside its input's rank}}
  %0 = pocket.layer_norm_input_grad %x, %x mean %m rstd %m axis = 9 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.softmax' op runs along dimension 2 of a tensor of rank 2}}
  %0 = pocket.softmax %x dim = 2 : tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.log_softmax' op runs along dimension -1 of a tensor of rank 2}}
  %0 = pocket.log_softmax %x dim = -1 : tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<f32>) {
  // expected-error @+1 {{'pocket.softmax' op runs along dimension 0 of a tensor of rank 0}}
  %0 = pocket.softmax %x dim = 0 : tensor<f32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.softmax_grad' op runs along dimension 3 of a tensor of rank 2}}
  %0 = pocket.softmax_grad %x, %x dim = 3 : tensor<2x3xf32>
  return
}

// -----

func.func @test(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'pocket.log_softmax_grad' op runs along dimension 3 of a tensor of rank 2}}
  %0 = pocket.log_softmax_grad %x, %x dim = 3 : tensor<2x3xf32>
  return
}

// -----

func.func @test(%q: tensor<4x5x8xf32>) {
  // expected-error @+2 {{expects query, key and value of rank 4: batch, heads, positions, channels}}
  // expected-error @+1 {{'pocket.attention' op failed to infer returned types}}
  %0:2 = pocket.attention %q, %q, %q scale = 1.0 : (tensor<4x5x8xf32>, tensor<4x5x8xf32>, tensor<4x5x8xf32>) -> (tensor<4x5x8xf32>, tensor<4x5x5xf32>)
  return
}

// -----

func.func @test(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x5x8xf64>) {
  // expected-error @+2 {{expects operands of one element type}}
  // expected-error @+1 {{'pocket.attention' op failed to infer returned types}}
  %0:2 = pocket.attention %q, %k, %k scale = 1.0 : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf64>, tensor<1x2x5x8xf64>) -> (tensor<1x2x5x8xf32>, tensor<1x2x5x5xf32>)
  return
}

// -----

func.func @test(%q: tensor<1x2x5x8xf32>, %k: tensor<1x2x6x8xf32>) {
  // expected-error @+2 {{cannot attend with query 'tensor<1x2x5x8xf32>', key 'tensor<1x2x6x8xf32>' and value 'tensor<1x2x5x8xf32>'}}
  // expected-error @+1 {{'pocket.attention' op failed to infer returned types}}
  %0:2 = pocket.attention %q, %k, %q scale = 1.0 : (tensor<1x2x5x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x5x8xf32>) -> (tensor<1x2x5x8xf32>, tensor<1x2x5x6xf32>)
  return
}

// -----

func.func @test(%q: tensor<1x2x5x8xf32>, %m: tensor<5x6xf32>) {
  // expected-error @+2 {{cannot broadcast the mask 'tensor<5x6xf32>' to [1, 2, 5, 5]}}
  // expected-error @+1 {{'pocket.attention' op failed to infer returned types}}
  %0:2 = pocket.attention %q, %q, %q mask %m scale = 1.0 : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<5x6xf32>) -> (tensor<1x2x5x8xf32>, tensor<1x2x5x5xf32>)
  return
}

// -----

func.func @test(%q: tensor<1x2x5x8xf32>, %m: tensor<1x1x2x5x5xi1>) {
  // expected-error @+2 {{cannot broadcast the mask}}
  // expected-error @+1 {{'pocket.attention' op failed to infer returned types}}
  %0:2 = pocket.attention %q, %q, %q mask %m scale = 1.0 : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x1x2x5x5xi1>) -> (tensor<1x2x5x8xf32>, tensor<1x2x5x5xf32>)
  return
}

// -----

func.func @test(%q: tensor<1x2x5x8xf32>, %m: tensor<5x5xf64>) {
  // expected-error @+2 {{expects a mask of i1 or 'f32', found 'tensor<5x5xf64>'}}
  // expected-error @+1 {{'pocket.attention' op failed to infer returned types}}
  %0:2 = pocket.attention %q, %q, %q mask %m scale = 1.0 : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<5x5xf64>) -> (tensor<1x2x5x8xf32>, tensor<1x2x5x5xf32>)
  return
}

// -----

func.func @test(%q: tensor<1x2x5x8xf32>, %m: tensor<5x5xi64>) {
  // expected-error @+1 {{'pocket.attention' op operand #3 must be a tensor of}}
  %0:2 = pocket.attention %q, %q, %q mask %m scale = 1.0 : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<5x5xi64>) -> (tensor<1x2x5x8xf32>, tensor<1x2x5x5xf32>)
  return
}

// -----

func.func @test(%x: tensor<4x10x2xf32>, %t: tensor<4xi64>) {
  // expected-error @+2 {{expects logits [N, C] and targets [N], found 'tensor<4x10x2xf32>' and 'tensor<4xi64>'}}
  // expected-error @+1 {{'pocket.cross_entropy' op failed to infer returned types}}
  %0:2 = pocket.cross_entropy %x, %t : (tensor<4x10x2xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  return
}

// -----

func.func @test(%x: tensor<4x10xf32>, %t: tensor<5xi64>) {
  // expected-error @+2 {{expects logits [N, C] and targets [N], found 'tensor<4x10xf32>' and 'tensor<5xi64>'}}
  // expected-error @+1 {{'pocket.cross_entropy' op failed to infer returned types}}
  %0:2 = pocket.cross_entropy %x, %t : (tensor<4x10xf32>, tensor<5xi64>) -> (tensor<f32>, tensor<4xf32>)
  return
}

// -----

func.func @test(%x: tensor<4x0xf32>, %t: tensor<4xi64>) {
  // expected-error @+2 {{expects logits [N, C] and targets [N]}}
  // expected-error @+1 {{'pocket.cross_entropy' op failed to infer returned types}}
  %0:2 = pocket.cross_entropy %x, %t : (tensor<4x0xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  return
}

// -----

func.func @test(%x: tensor<4x10xf32>, %t: tensor<4xi64>) {
  // expected-error @+2 {{expects label_smoothing in [0, 1], found 2.000000e+00}}
  // expected-error @+1 {{'pocket.cross_entropy' op failed to infer returned types}}
  %0:2 = pocket.cross_entropy %x, %t label_smoothing = 2.0 : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  return
}

// -----

func.func @test(%x: tensor<4x10xf32>, %t: tensor<4xi64>) {
  // expected-error @+2 {{inferred type(s) 'tensor<f32>', 'tensor<4xf32>' are incompatible}}
  // expected-error @+1 {{'pocket.cross_entropy' op failed to infer returned types}}
  %0:2 = pocket.cross_entropy %x, %t : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @test(%x: tensor<4x10xf32>, %t: tensor<4xi64>) {
  // expected-error @+1 {{expected one of [mean, sum, none] for how per-sample losses are joined, got: max}}
  %0:2 = pocket.cross_entropy %x, %t reduction = max : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  return
}

// -----

func.func @test(%l: tensor<f32>, %x: tensor<4x10xf32>, %t: tensor<5xi64>, %n: tensor<4xf32>) {
  // expected-error @+1 {{'pocket.cross_entropy_grad' op expects logits [N, C] and targets [N], found 'tensor<4x10xf32>' and 'tensor<5xi64>'}}
  %0 = pocket.cross_entropy_grad %l, %x, %t, %n : (tensor<f32>, tensor<4x10xf32>, tensor<5xi64>, tensor<4xf32>) -> tensor<4x10xf32>
  return
}

// -----

func.func @test(%l: tensor<f32>, %x: tensor<4x10xf32>, %t: tensor<4xi64>, %n: tensor<4xf32>) {
  // expected-error @+1 {{'pocket.cross_entropy_grad' op expects a result of type 'tensor<4x10xf32>', found 'tensor<4x11xf32>'}}
  %0 = pocket.cross_entropy_grad %l, %x, %t, %n : (tensor<f32>, tensor<4x10xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x11xf32>
  return
}

// -----

func.func @test(%l: tensor<f32>, %x: tensor<4x10xf32>, %t: tensor<4xi64>, %n: tensor<10xf32>) {
  // expected-error @+1 {{'pocket.cross_entropy_grad' op expects a logsumexp of type 'tensor<4xf32>', found 'tensor<10xf32>'}}
  %0 = pocket.cross_entropy_grad %l, %x, %t, %n : (tensor<f32>, tensor<4x10xf32>, tensor<4xi64>, tensor<10xf32>) -> tensor<4x10xf32>
  return
}

// -----

func.func @test(%l: tensor<f32>, %x: tensor<4x10xf32>, %t: tensor<4xi64>, %n: tensor<4xf32>) {
  // expected-error @+1 {{'pocket.cross_entropy_grad' op expects a cotangent of type 'tensor<4xf32>', found 'tensor<f32>'}}
  %0 = pocket.cross_entropy_grad %l, %x, %t, %n reduction = none : (tensor<f32>, tensor<4x10xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x10xf32>
  return
}

// -----

func.func @test(%l: tensor<f32>, %x: tensor<4x10xf32>, %t: tensor<4xi64>, %n: tensor<4xf32>) {
  // expected-error @+1 {{'pocket.cross_entropy_grad' op expects label_smoothing in [0, 1], found -1.000000e+00}}
  %0 = pocket.cross_entropy_grad %l, %x, %t, %n label_smoothing = -1.0 : (tensor<f32>, tensor<4x10xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x10xf32>
  return
}

// -----

// Two inputs, a mean and no variance.
func.func @test(%x: tensor<2x3x4xf32>, %m: tensor<3xf32>) {
  // expected-error @+2 {{'pocket.batch_norm_inference' op expects one operand in each segment, or none in those of optional ones}}
  // expected-error @+1 {{'pocket.batch_norm_inference' op failed to infer returned types}}
  %0 = "pocket.batch_norm_inference"(%x, %m, %m) <{epsilon = 1.0e-3 : f64, operandSegmentSizes = array<i32: 2, 1, 0, 0, 0>}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}
