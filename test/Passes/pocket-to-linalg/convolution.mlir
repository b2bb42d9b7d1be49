// RUN: pocket-opt %s --split-input-file --pocket-to-linalg --canonicalize --cse | FileCheck %s
// RUN: pocket-opt %s --split-input-file --pocket-to-linalg=vector-bits=0 --canonicalize --cse | FileCheck %s --check-prefix=UNKNOWN

// A convolution that its register tiles divide is computed directly, from an image
// with its border around it. The bias is added to each filter's values afterwards.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[FILTER:.*]] = affine_map<(d0, d1, d2, d3) -> (d3)>
// CHECK-LABEL: func.func @direct(
// CHECK-SAME: %[[X:.*]]: tensor<2x8x8x4xf32>, %[[W:.*]]: tensor<3x3x4x16xf32>, %[[B:.*]]: tensor<16xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[PAD:.*]] = tensor.pad %[[X]] low[0, 1, 2, 0] high[0, 1, 0, 0]
// CHECK: tensor.yield %[[ZERO]] : f32
// CHECK: %[[ZEROS:.*]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK: %[[Y:.*]] = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>,
// CHECK-SAME: pocket.tiles = #pocket.tiles<distribution = [1, 8, 8, 16, 0, 0, 0], vector = [1, 1, 4, 16, 0, 0, 0], reduction = [0, 0, 0, 0, 1, 1, 4], pipeline = "ConvTileAndDecomposeExpert">,
// CHECK-SAME: strides = dense<1> : tensor<2xi64>} ins(%[[PAD]], %[[W]] : tensor<2x10x10x4xf32>, tensor<3x3x4x16xf32>) outs(%[[ZEROS]] :
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[FILTER]], #[[ID]]], {{.*}} ins(%[[Y]], %[[B]] :
// CHECK: arith.addf

// Without known registers it has no tiles, and windows are not copied for want of them.
// UNKNOWN-LABEL: func.func @direct(
// UNKNOWN: linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
func.func @direct(%x: tensor<2x8x8x4xf32>, %w: tensor<3x3x4x16xf32>, %b: tensor<16xf32>) -> tensor<2x8x8x16xf32> {
  %0 = pocket.conv2d %x, %w bias %b padding = [1, 1, 2, 0] layout = nhwc : (tensor<2x8x8x4xf32>, tensor<3x3x4x16xf32>, tensor<16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// -----

// Strides and dilations are the named op's. The row and the column that no window
// reaches are cut off, for the code generator rejects an image with some left over.
// CHECK-LABEL: func.func @strided(
// CHECK: %[[READ:.*]] = tensor.extract_slice %arg0[0, 0, 0, 0] [2, 19, 19, 4] [1, 1, 1, 1]
// CHECK: linalg.conv_2d_nhwc_hwcf {dilations = dense<[2, 1]> : tensor<2xi64>, pocket.tiles = {{.*}}, strides = dense<2> : tensor<2xi64>} ins(%[[READ]], %arg1 :
// UNKNOWN-LABEL: func.func @strided(
func.func @strided(%x: tensor<2x20x20x4xf32>, %w: tensor<3x5x4x16xf32>) -> tensor<2x8x8x16xf32> {
  %0 = pocket.conv2d %x, %w strides = [2, 2] dilations = [2, 1] layout = nhwc : (tensor<2x20x20x4xf32>, tensor<3x5x4x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// -----

// A small image is one product: every tap's pixels are laid beside each other, in the
// filter's order, and the filter is taken as rows.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @small(
// CHECK-SAME: %[[X:.*]]: tensor<2x5x5x8xf32>, %[[W:.*]]: tensor<2x2x8x16xf32>)
// CHECK-NOT: linalg.conv
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<2x4x4x32xf32>
// CHECK: %[[T0:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [2, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[C0:.*]] = tensor.insert_slice %[[T0]] into %[[EMPTY]][0, 0, 0, 0] [2, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[T1:.*]] = tensor.extract_slice %[[X]][0, 0, 1, 0] [2, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[C1:.*]] = tensor.insert_slice %[[T1]] into %[[C0]][0, 0, 0, 8] [2, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[T2:.*]] = tensor.extract_slice %[[X]][0, 1, 0, 0] [2, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[C2:.*]] = tensor.insert_slice %[[T2]] into %[[C1]][0, 0, 0, 16] [2, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[T3:.*]] = tensor.extract_slice %[[X]][0, 1, 1, 0] [2, 4, 4, 8] [1, 1, 1, 1]
// CHECK: %[[C3:.*]] = tensor.insert_slice %[[T3]] into %[[C2]][0, 0, 0, 24] [2, 4, 4, 8] [1, 1, 1, 1]
// CHECK-DAG: %[[FILTER:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0, 1, 2], [3]] : tensor<2x2x8x16xf32> into tensor<32x16xf32>
// CHECK-DAG: %[[ROWS:.*]] = tensor.collapse_shape %[[C3]] {{\[\[}}0, 1, 2], [3]] : tensor<2x4x4x32xf32> into tensor<32x32xf32>
// CHECK: %[[Y:.*]] = linalg.generic {indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[ROWS]], %[[FILTER]] :
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK: %[[IMAGE:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1, 2], [3]] output_shape [2, 4, 4, 16]
// CHECK-NEXT: return %[[IMAGE]]

// UNKNOWN-LABEL: func.func @small(
// UNKNOWN-NOT: linalg.conv
// UNKNOWN: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
func.func @small(%x: tensor<2x5x5x8xf32>, %w: tensor<2x2x8x16xf32>) -> tensor<2x4x4x16xf32> {
  %0 = pocket.conv2d %x, %w layout = nhwc : (tensor<2x5x5x8xf32>, tensor<2x2x8x16xf32>) -> tensor<2x4x4x16xf32>
  return %0 : tensor<2x4x4x16xf32>
}

// -----

// One sample is a loop of one turn, which would lose the tiles: its upper and its
// lower half are convolved as two, with the row that both read in both.
// CHECK-LABEL: func.func @one_sample(
// CHECK-SAME: %[[X:.*]]: tensor<1x9x9x4xf32>, %[[W:.*]]: tensor<2x2x4x16xf32>)
// CHECK: %[[UPPER:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [1, 5, 9, 4]
// CHECK: %[[ONE:.*]] = tensor.insert_slice %[[UPPER]] into %{{.*}}[0, 0, 0, 0] {{.*}} into tensor<2x5x9x4xf32>
// CHECK: %[[LOWER:.*]] = tensor.extract_slice %[[X]][0, 4, 0, 0] [1, 5, 9, 4]
// CHECK: %[[BOTH:.*]] = tensor.insert_slice %[[LOWER]] into %[[ONE]][1, 0, 0, 0]
// CHECK: %[[Y:.*]] = linalg.conv_2d_nhwc_hwcf {{.*}}vector = [1, 1, 4, 16, 0, 0, 0]{{.*}} ins(%[[BOTH]], %[[W]] : {{.*}} -> tensor<2x4x8x16xf32>
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[Y]] {{\[\[}}0, 1], [2], [3]]
// CHECK: tensor.expand_shape %[[ROWS]] {{\[\[}}0, 1], [2], [3]] output_shape [1, 8, 8, 16]
// UNKNOWN-LABEL: func.func @one_sample(
// UNKNOWN: linalg.conv_2d_nhwc_hwcf
func.func @one_sample(%x: tensor<1x9x9x4xf32>, %w: tensor<2x2x4x16xf32>) -> tensor<1x8x8x16xf32> {
  %0 = pocket.conv2d %x, %w layout = nhwc : (tensor<1x9x9x4xf32>, tensor<2x2x4x16xf32>) -> tensor<1x8x8x16xf32>
  return %0 : tensor<1x8x8x16xf32>
}

// -----

// The second half of a strided one begins where its first window does.
// CHECK-LABEL: func.func @one_strided_sample(
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0] [1, 9, 17, 4]
// CHECK: tensor.extract_slice %{{.*}}[0, 8, 0, 0] [1, 9, 17, 4]
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}} -> tensor<2x4x8x16xf32>
func.func @one_strided_sample(%x: tensor<1x17x17x4xf32>, %w: tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32> {
  %0 = pocket.conv2d %x, %w strides = [2, 2] layout = nhwc : (tensor<1x17x17x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32>
  return %0 : tensor<1x8x8x16xf32>
}

// -----

// One sample of an odd number of rows: a product over copied windows.
// CHECK-LABEL: func.func @one_odd_sample(
// CHECK-NOT: linalg.conv
// CHECK-COUNT-4: tensor.insert_slice {{.*}} into tensor<1x7x8x32xf32>
// CHECK: linalg.generic {{.*}} : tensor<56x32xf32>, tensor<32x16xf32>)
func.func @one_odd_sample(%x: tensor<1x8x9x8xf32>, %w: tensor<2x2x8x16xf32>) -> tensor<1x7x8x16xf32> {
  %0 = pocket.conv2d %x, %w layout = nhwc : (tensor<1x8x9x8xf32>, tensor<2x2x8x16xf32>) -> tensor<1x7x8x16xf32>
  return %0 : tensor<1x7x8x16xf32>
}

// -----

// A kernel of one row is such a loop, too.
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: linalg.conv
// CHECK-COUNT-3: tensor.insert_slice {{.*}} into tensor<2x8x8x24xf32>
// CHECK: linalg.generic {{.*}} : tensor<128x24xf32>, tensor<24x16xf32>)
// UNKNOWN-LABEL: func.func @one_row(
// UNKNOWN: linalg.conv_2d_nhwc_hwcf
func.func @one_row(%x: tensor<2x8x10x8xf32>, %w: tensor<1x3x8x16xf32>) -> tensor<2x8x8x16xf32> {
  %0 = pocket.conv2d %x, %w layout = nhwc : (tensor<2x8x10x8xf32>, tensor<1x3x8x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// -----

// The windows of a few channels are pieces too short to copy.
// CHECK-LABEL: func.func @few_channels(
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
func.func @few_channels(%x: tensor<2x8x10x3xf32>, %w: tensor<1x3x3x16xf32>) -> tensor<2x8x8x16xf32> {
  %0 = pocket.conv2d %x, %w layout = nhwc : (tensor<2x8x10x3xf32>, tensor<1x3x3x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// -----

// A copy of more than 32 MiB is not worth its memory.
// CHECK-LABEL: func.func @large_copy(
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
// UNKNOWN-LABEL: func.func @large_copy(
func.func @large_copy(%x: tensor<1x257x259x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<1x255x257x16xf32> {
  %0 = pocket.conv2d %x, %w layout = nhwc : (tensor<1x257x259x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x255x257x16xf32>
  return %0 : tensor<1x255x257x16xf32>
}

// -----

// A kernel of one tap is a product of the pixels it reads, without a copy.
// CHECK-LABEL: func.func @pointwise(
// CHECK-SAME: %[[X:.*]]: tensor<2x8x8x8xf32>, %[[W:.*]]: tensor<1x1x8x16xf32>)
// CHECK-NOT: tensor.insert_slice
// CHECK: %[[FILTER:.*]] = tensor.collapse_shape %[[W]] {{.*}} into tensor<8x16xf32>
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[X]] {{.*}} into tensor<128x8xf32>
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]], %[[FILTER]] :
// UNKNOWN-LABEL: func.func @pointwise(
// UNKNOWN-NOT: linalg.conv
func.func @pointwise(%x: tensor<2x8x8x8xf32>, %w: tensor<1x1x8x16xf32>) -> tensor<2x8x8x16xf32> {
  %0 = pocket.conv2d %x, %w layout = nhwc : (tensor<2x8x8x8xf32>, tensor<1x1x8x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// -----

// With strides it reads every other pixel of the part that the windows reach.
// CHECK-LABEL: func.func @pointwise_strided(
// CHECK: %[[READ:.*]] = tensor.extract_slice %arg0[0, 0, 0, 0] [2, 7, 7, 8] [1, 1, 1, 1]
// CHECK: %[[TAP:.*]] = tensor.extract_slice %[[READ]][0, 0, 0, 0] [2, 4, 4, 8] [1, 2, 2, 1]
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[TAP]] {{.*}} into tensor<32x8xf32>
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]],
// UNKNOWN-LABEL: func.func @pointwise_strided(
func.func @pointwise_strided(%x: tensor<2x8x8x8xf32>, %w: tensor<1x1x8x16xf32>) -> tensor<2x4x4x16xf32> {
  %0 = pocket.conv2d %x, %w strides = [2, 2] layout = nhwc : (tensor<2x8x8x8xf32>, tensor<1x1x8x16xf32>) -> tensor<2x4x4x16xf32>
  return %0 : tensor<2x4x4x16xf32>
}

// -----

// A kernel for every channel.
// CHECK-LABEL: func.func @depthwise(
// CHECK-SAME: %[[X:.*]]: tensor<2x8x8x16xf32>, %[[W:.*]]: tensor<3x3x1x16xf32>)
// CHECK: %[[PAD:.*]] = tensor.pad %[[X]] low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: %[[K:.*]] = tensor.collapse_shape %[[W]] {{\[\[}}0], [1], [2, 3]] : tensor<3x3x1x16xf32> into tensor<3x3x16xf32>
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%[[PAD]], %[[K]] :
// UNKNOWN-LABEL: func.func @depthwise(
func.func @depthwise(%x: tensor<2x8x8x16xf32>, %w: tensor<3x3x1x16xf32>) -> tensor<2x8x8x16xf32> {
  %0 = pocket.conv2d %x, %w padding = [1, 1, 1, 1] groups = 16 layout = nhwc : (tensor<2x8x8x16xf32>, tensor<3x3x1x16xf32>) -> tensor<2x8x8x16xf32>
  return %0 : tensor<2x8x8x16xf32>
}

// -----

// Several kernels for every channel: filter f belongs to channel f / 2.
// CHECK-LABEL: func.func @depthwise_multiplied(
// CHECK: %[[K:.*]] = tensor.expand_shape %{{.*}} output_shape [3, 3, 4, 2] : tensor<72xf32> into tensor<3x3x4x2xf32>
// CHECK: %[[Y:.*]] = linalg.depthwise_conv_2d_nhwc_hwcm {{.*}} ins(%arg0, %[[K]] : tensor<2x10x10x4xf32>, tensor<3x3x4x2xf32>)
// CHECK: tensor.collapse_shape %[[Y]] {{\[\[}}0], [1], [2], [3, 4]] : tensor<2x8x8x4x2xf32> into tensor<2x8x8x8xf32>
// UNKNOWN-LABEL: func.func @depthwise_multiplied(
func.func @depthwise_multiplied(%x: tensor<2x10x10x4xf32>, %w: tensor<3x3x1x8xf32>) -> tensor<2x8x8x8xf32> {
  %0 = pocket.conv2d %x, %w groups = 4 layout = nhwc : (tensor<2x10x10x4xf32>, tensor<3x3x1x8xf32>) -> tensor<2x8x8x8xf32>
  return %0 : tensor<2x8x8x8xf32>
}

// -----

// Other groups are convolutions of their own, of their channels with their filters,
// laid beside each other.
// CHECK-LABEL: func.func @groups(
// CHECK-SAME: %[[X:.*]]: tensor<2x4x4x8xf32>, %[[W:.*]]: tensor<1x1x4x6xf32>)
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<2x4x4x6xf32>
// CHECK-DAG: %[[W0:.*]] = tensor.extract_slice %[[W]][0, 0, 0, 0] [1, 1, 4, 3] [1, 1, 1, 1]
// CHECK-DAG: %[[X0:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 0] [2, 4, 4, 4] [1, 1, 1, 1]
// CHECK-DAG: %[[F0:.*]] = tensor.collapse_shape %[[W0]]
// CHECK-DAG: %[[R0:.*]] = tensor.collapse_shape %[[X0]]
// CHECK: %[[P0:.*]] = linalg.generic {{.*}} ins(%[[R0]], %[[F0]] : tensor<32x4xf32>, tensor<4x3xf32>)
// CHECK: %[[Y0:.*]] = tensor.expand_shape %[[P0]]
// CHECK: %[[JOINED:.*]] = tensor.insert_slice %[[Y0]] into %[[EMPTY]][0, 0, 0, 0] [2, 4, 4, 3] [1, 1, 1, 1]
// CHECK-DAG: %[[W1:.*]] = tensor.extract_slice %[[W]][0, 0, 0, 3] [1, 1, 4, 3] [1, 1, 1, 1]
// CHECK-DAG: %[[X1:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 4] [2, 4, 4, 4] [1, 1, 1, 1]
// CHECK-DAG: %[[F1:.*]] = tensor.collapse_shape %[[W1]]
// CHECK-DAG: %[[R1:.*]] = tensor.collapse_shape %[[X1]]
// CHECK: %[[P1:.*]] = linalg.generic {{.*}} ins(%[[R1]], %[[F1]] :
// CHECK: %[[Y1:.*]] = tensor.expand_shape %[[P1]]
// CHECK: %[[BOTH:.*]] = tensor.insert_slice %[[Y1]] into %[[JOINED]][0, 0, 0, 3] [2, 4, 4, 3] [1, 1, 1, 1]
// CHECK: return %[[BOTH]]
// UNKNOWN-LABEL: func.func @groups(
func.func @groups(%x: tensor<2x4x4x8xf32>, %w: tensor<1x1x4x6xf32>) -> tensor<2x4x4x6xf32> {
  %0 = pocket.conv2d %x, %w groups = 2 layout = nhwc : (tensor<2x4x4x8xf32>, tensor<1x1x4x6xf32>) -> tensor<2x4x4x6xf32>
  return %0 : tensor<2x4x4x6xf32>
}

// -----

// Channels first: image, filter and result are transposed around the same op.
// CHECK-LABEL: func.func @channels_first(
// CHECK-SAME: %[[X:.*]]: tensor<2x4x10x10xf32>, %[[W:.*]]: tensor<16x4x3x3xf32>)
// CHECK-DAG: %[[HWIO:.*]] = linalg.transpose ins(%[[W]] : {{.*}} permutation = [2, 3, 1, 0]
// CHECK-DAG: %[[NHWC:.*]] = linalg.transpose ins(%[[X]] : {{.*}} permutation = [0, 2, 3, 1]
// CHECK: %[[Y:.*]] = linalg.conv_2d_nhwc_hwcf {{.*}} ins(%[[NHWC]], %[[HWIO]] : tensor<2x10x10x4xf32>, tensor<3x3x4x16xf32>)
// CHECK: %[[NCHW:.*]] = linalg.transpose ins(%[[Y]] : {{.*}} permutation = [0, 3, 1, 2]
// CHECK-NEXT: return %[[NCHW]]
// UNKNOWN-LABEL: func.func @channels_first(
func.func @channels_first(%x: tensor<2x4x10x10xf32>, %w: tensor<16x4x3x3xf32>) -> tensor<2x16x8x8xf32> {
  %0 = pocket.conv2d %x, %w : (tensor<2x4x10x10xf32>, tensor<16x4x3x3xf32>) -> tensor<2x16x8x8xf32>
  return %0 : tensor<2x16x8x8xf32>
}
