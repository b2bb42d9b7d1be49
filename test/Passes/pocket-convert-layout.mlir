// RUN: pocket-opt %s --split-input-file --pocket-convert-layout | FileCheck %s

// The image comes in and goes out transposed; between, all is channels-last. The filter
// is stored as it is read, and the bias, one number for each channel, as it was.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x3x8x8xf32> {pocket.name = "x", pocket.role = "input"}
// CHECK-SAME: %[[W:[^:]*]]: tensor<3x3x3x4xf32> {pocket.layout = array<i64: 2, 3, 1, 0>, pocket.param = "w"}
// CHECK-SAME: %[[B:[^:]*]]: tensor<4xf32> {pocket.param = "b"}) -> tensor<1x4x6x6xf32> {
// CHECK-NEXT: %[[NHWC:.*]] = pocket.transpose %[[X]] permutation = [0, 2, 3, 1] : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
// CHECK-NEXT: %[[Y:.*]] = pocket.conv2d %[[NHWC]], %[[W]] bias %[[B]] padding = [1, 0, 1, 0] layout = nhwc : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>, tensor<4xf32>) -> tensor<1x7x7x4xf32>
// CHECK-NEXT: %[[R:.*]] = pocket.relu %[[Y]] : tensor<1x7x7x4xf32>
// CHECK-NEXT: %[[Z:.*]] = pocket.avg_pool2d %[[R]] {{.*}} layout = nhwc : (tensor<1x7x7x4xf32>) -> tensor<1x6x6x4xf32>
// CHECK-NEXT: %[[NCHW:.*]] = pocket.transpose %[[Z]] permutation = [0, 3, 1, 2]
// CHECK-NEXT: return %[[NCHW]]
func.func @forward(%x: tensor<1x3x8x8xf32> {pocket.role = "input", pocket.name = "x"}, %w: tensor<4x3x3x3xf32> {pocket.param = "w"},
                   %b: tensor<4xf32> {pocket.param = "b"}) -> tensor<1x4x6x6xf32> {
  %0 = pocket.conv2d %x, %w bias %b padding = [1, 0, 1, 0] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x7x7xf32>
  %1 = pocket.relu %0 : tensor<1x4x7x7xf32>
  %2 = pocket.avg_pool2d %1 kernel = [2, 2] strides = [1, 1] : (tensor<1x4x7x7xf32>) -> tensor<1x4x6x6xf32>
  return %2 : tensor<1x4x6x6xf32>
}

// -----

// A residual that bypasses a convolution is transposed on its own, once; the sum and
// what follows stay channels-last.
// CHECK-LABEL: func.func @residual(
// CHECK: %[[Y:.*]] = pocket.conv2d
// CHECK: %[[RES:.*]] = pocket.transpose %arg0 permutation = [0, 2, 3, 1]
// CHECK: %[[SUM:.*]] = pocket.add %[[Y]], %[[RES]] : (tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>)
// CHECK: %[[Z:.*]] = pocket.conv2d %[[SUM]],
// CHECK: pocket.transpose %[[Z]] permutation = [0, 3, 1, 2]
func.func @residual(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xf32>, %v: tensor<4x4x3x3xf32>) -> tensor<2x4x6x6xf32> {
  %0 = pocket.conv2d %x, %w padding = [1, 1, 1, 1] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x8xf32>
  %1 = pocket.add %0, %x : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %2 = pocket.conv2d %1, %v : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x6x6xf32>
  return %2 : tensor<2x4x6x6xf32>
}

// -----

// Both results of a pool come out transposed, the places too.
// CHECK-LABEL: func.func @places(
// CHECK: %[[Y:.*]], %[[I:.*]] = pocket.max_pool2d %{{.*}} layout = nhwc : (tensor<2x8x8x4xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi8>)
// CHECK-DAG: %[[I2:.*]] = pocket.transpose %[[I]] permutation = [0, 3, 1, 2]
// CHECK-DAG: %[[Y2:.*]] = pocket.transpose %[[Y]] permutation = [0, 3, 1, 2]
// CHECK: return %[[Y2]], %[[I2]]
func.func @places(%x: tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi8>) {
  %0, %1 = pocket.max_pool2d %x kernel = [2, 2] strides = [2, 2] : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi8>)
  return %0, %1 : tensor<2x4x4x4xf32>, tensor<2x4x4x4xi8>
}

// -----

// Operands that are broadcast are turned as well: a scale for each channel ends last, a
// row of numbers for the columns last but one. A scalar has no order.
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x4x8x8xf32>, %[[C:[^:]*]]: tensor<4x1x1xf32>, %[[R:[^:]*]]: tensor<8xf32>, %[[S:[^:]*]]: tensor<f32>
// CHECK: %[[Y:.*]] = pocket.avg_pool2d
// CHECK: %[[CHANNELS:.*]] = pocket.reshape %[[C]] : (tensor<4x1x1xf32>) -> tensor<1x1x1x4xf32>
// CHECK: %[[SCALED:.*]] = pocket.mul %[[Y]], %[[CHANNELS]]
// CHECK: %[[COLUMNS:.*]] = pocket.reshape %[[R]] : (tensor<8xf32>) -> tensor<1x1x8x1xf32>
// CHECK: %[[SUM:.*]] = pocket.add %[[SCALED]], %[[COLUMNS]]
// CHECK: %[[Q:.*]] = pocket.div %[[SUM]], %[[S]] : (tensor<2x4x8x4xf32>, tensor<f32>)
// CHECK: pocket.transpose %[[Q]] permutation = [0, 3, 1, 2]
func.func @broadcast(%x: tensor<2x4x8x8xf32>, %c: tensor<4x1x1xf32>, %r: tensor<8xf32>, %s: tensor<f32>) -> tensor<2x4x4x8xf32> {
  %0 = pocket.avg_pool2d %x kernel = [2, 1] strides = [2, 1] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x8xf32>
  %1 = pocket.mul %0, %c : (tensor<2x4x4x8xf32>, tensor<4x1x1xf32>) -> tensor<2x4x4x8xf32>
  %2 = pocket.add %1, %r : (tensor<2x4x4x8xf32>, tensor<8xf32>) -> tensor<2x4x4x8xf32>
  %3 = pocket.div %2, %s : (tensor<2x4x4x8xf32>, tensor<f32>) -> tensor<2x4x4x8xf32>
  return %3 : tensor<2x4x4x8xf32>
}

// -----

// A comparison and a selection: elements of other types move along.
// CHECK-LABEL: func.func @select(
// CHECK: %[[Y:.*]] = pocket.avg_pool2d
// CHECK: %[[M:.*]] = pocket.compare gt %[[Y]], %arg1 : (tensor<2x4x8x4xf32>, tensor<f32>) -> tensor<2x4x8x4xi1>
// CHECK: %[[Z:.*]] = pocket.select %[[M]], %[[Y]], %arg1 : {{.*}} -> tensor<2x4x8x4xf32>
// CHECK: %[[H:.*]] = pocket.convert %[[Z]] : (tensor<2x4x8x4xf32>) -> tensor<2x4x8x4xf16>
// CHECK: pocket.transpose %[[H]] permutation = [0, 3, 1, 2]
func.func @select(%x: tensor<2x4x8x8xf32>, %s: tensor<f32>) -> tensor<2x4x4x8xf16> {
  %0 = pocket.avg_pool2d %x kernel = [2, 1] strides = [2, 1] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x8xf32>
  %1 = pocket.compare gt %0, %s : (tensor<2x4x4x8xf32>, tensor<f32>) -> tensor<2x4x4x8xi1>
  %2 = pocket.select %1, %0, %s : (tensor<2x4x4x8xi1>, tensor<2x4x4x8xf32>, tensor<f32>) -> tensor<2x4x4x8xf32>
  %3 = pocket.convert %2 : (tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf16>
  return %3 : tensor<2x4x4x8xf16>
}

// -----

// Ops along dimensions name them anew: channels (1) are 3, rows (2) are 1, columns (3)
// are 2. Statistics are per channel and no image.
// CHECK-LABEL: func.func @dimensions(
// CHECK: %[[A:.*]] = pocket.avg_pool2d
// CHECK: %[[B:.*]], %[[MEAN:.*]], %{{.*}} = pocket.batch_norm_training %[[A]] scale %arg1 bias %arg1 epsilon = 1.000000e-05 channel_dim = 3
// CHECK: %[[C:.*]] = pocket.batch_norm_inference %[[B]] mean %arg1 variance %arg1 epsilon = 1.000000e-05 channel_dim = 3
// CHECK: %[[D:.*]] = pocket.softmax %[[C]] dim = 3
// CHECK: %[[E:.*]] = pocket.log_softmax %[[D]] dim = 1
// CHECK: %[[F:.*]] = pocket.reverse %[[E]] dims = [3, 2]
// CHECK: %[[G:.*]] = pocket.concat %[[F]], %[[A]] dim = 1 : {{.*}} -> tensor<2x8x8x4xf32>
// CHECK: %[[H:.*]] = pocket.slice %[[G]] offsets = [0, 2, 0, 1] sizes = [2, 3, 8, 3] strides = [1, 2, 1, 1]
// CHECK: %[[I:.*]] = pocket.pad %[[H]] low = [0, 1, 0, 0] high = [0, 0, 1, 0] value = 2.000000e+00
// CHECK: %[[J:.*]] = pocket.transpose %[[I]] permutation = [0, 3, 1, 2] : (tensor<2x4x9x3xf32>) -> tensor<2x3x4x9xf32>
// CHECK: return %[[J]], %[[MEAN]]
func.func @dimensions(%x: tensor<2x4x8x8xf32>, %s: tensor<4xf32>) -> (tensor<2x3x4x9xf32>, tensor<4xf32>) {
  %0 = pocket.avg_pool2d %x kernel = [2, 1] strides = [2, 1] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x8xf32>
  %1, %m, %v = pocket.batch_norm_training %0 scale %s bias %s epsilon = 1.0e-5 : (tensor<2x4x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x4x4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  %2 = pocket.batch_norm_inference %1 mean %s variance %s epsilon = 1.0e-5 : (tensor<2x4x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x8xf32>
  %3 = pocket.softmax %2 dim = 1 : tensor<2x4x4x8xf32>
  %4 = pocket.log_softmax %3 dim = 2 : tensor<2x4x4x8xf32>
  %5 = pocket.reverse %4 dims = [1, 3] : tensor<2x4x4x8xf32>
  %6 = pocket.concat %5, %0 dim = 2 : (tensor<2x4x4x8xf32>, tensor<2x4x4x8xf32>) -> tensor<2x4x8x8xf32>
  %7 = pocket.slice %6 offsets = [0, 1, 2, 0] sizes = [2, 3, 3, 8] strides = [1, 1, 2, 1] : (tensor<2x4x8x8xf32>) -> tensor<2x3x3x8xf32>
  %8 = pocket.pad %7 low = [0, 0, 1, 0] high = [0, 0, 0, 1] value = 2.0 : (tensor<2x3x3x8xf32>) -> tensor<2x3x4x9xf32>
  return %8, %m : tensor<2x3x4x9xf32>, tensor<4xf32>
}

// -----

// A mean over an image's places needs no transpose behind it, nor does one over channels.
// What is left of the channels and places is put in its old order.
// CHECK-LABEL: func.func @reductions(
// CHECK: %[[Y:.*]] = pocket.avg_pool2d
// CHECK: %[[MEAN:.*]] = pocket.mean %[[Y]] dims = [1, 2] : (tensor<2x4x8x4xf32>) -> tensor<2x4xf32>
// CHECK: %[[SUM:.*]] = pocket.sum %[[Y]] dims = [0] : (tensor<2x4x8x4xf32>) -> tensor<4x8x4xf32>
// CHECK: %[[CHW:.*]] = pocket.transpose %[[SUM]] permutation = [2, 0, 1] : (tensor<4x8x4xf32>) -> tensor<4x4x8xf32>
// CHECK: %[[MAX:.*]] = pocket.reduce_max %[[Y]] dims = [1] keepdims : (tensor<2x4x8x4xf32>) -> tensor<2x1x8x4xf32>
// CHECK: %[[NCHW:.*]] = pocket.transpose %[[MAX]] permutation = [0, 3, 1, 2]
// CHECK: %[[MIN:.*]] = pocket.reduce_min %[[Y]] dims = [3] : (tensor<2x4x8x4xf32>) -> tensor<2x4x8xf32>
// CHECK: return %[[MEAN]], %[[CHW]], %[[NCHW]], %[[MIN]]
func.func @reductions(%x: tensor<2x4x8x8xf32>) -> (tensor<2x4xf32>, tensor<4x4x8xf32>, tensor<2x4x1x8xf32>, tensor<2x4x8xf32>) {
  %0 = pocket.avg_pool2d %x kernel = [2, 1] strides = [2, 1] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x8xf32>
  %1 = pocket.mean %0 dims = [2, 3] : (tensor<2x4x4x8xf32>) -> tensor<2x4xf32>
  %2 = pocket.sum %0 dims = [0] : (tensor<2x4x4x8xf32>) -> tensor<4x4x8xf32>
  %3 = pocket.reduce_max %0 dims = [2] keepdims : (tensor<2x4x4x8xf32>) -> tensor<2x4x1x8xf32>
  %4 = pocket.reduce_min %0 dims = [1] : (tensor<2x4x4x8xf32>) -> tensor<2x4x8xf32>
  return %1, %2, %3, %4 : tensor<2x4xf32>, tensor<4x4x8xf32>, tensor<2x4x1x8xf32>, tensor<2x4x8xf32>
}

// -----

// A flattening and a layer norm over the last dimension care for the order: they read
// channels-first values, as before.
// CHECK-LABEL: func.func @order_matters(
// CHECK: %[[Y:.*]] = pocket.avg_pool2d
// CHECK: %[[NCHW:.*]] = pocket.transpose %[[Y]] permutation = [0, 3, 1, 2]
// CHECK: pocket.reshape %[[NCHW]] : (tensor<2x4x4x8xf32>) -> tensor<2x128xf32>
// CHECK: pocket.layer_norm %[[NCHW]] {{.*}} axis = 3
func.func @order_matters(%x: tensor<2x4x8x8xf32>, %g: tensor<8xf32>) -> (tensor<2x128xf32>, tensor<2x4x4x8xf32>) {
  %0 = pocket.avg_pool2d %x kernel = [2, 1] strides = [2, 1] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x8xf32>
  %1 = pocket.reshape %0 : (tensor<2x4x4x8xf32>) -> tensor<2x128xf32>
  %2, %m, %r = pocket.layer_norm %0 scale %g bias %g axis = 3 epsilon = 1.0e-5 : (tensor<2x4x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x4x4x8xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
  return %1, %2 : tensor<2x128xf32>, tensor<2x4x4x8xf32>
}

// -----

// An op that repeats the image would have its result, the larger value, transposed.
// CHECK-LABEL: func.func @repeated(
// CHECK: %[[Y:.*]] = pocket.avg_pool2d
// CHECK: %[[NCHW:.*]] = pocket.transpose %[[Y]] permutation = [0, 3, 1, 2] : (tensor<1x4x8x4xf32>) -> tensor<1x4x4x8xf32>
// CHECK: pocket.add %[[NCHW]], %arg1 : (tensor<1x4x4x8xf32>, tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
func.func @repeated(%x: tensor<1x4x8x8xf32>, %y: tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %0 = pocket.avg_pool2d %x kernel = [2, 1] strides = [2, 1] : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x8xf32>
  %1 = pocket.add %0, %y : (tensor<1x4x4x8xf32>, tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %1 : tensor<2x4x4x8xf32>
}

// -----

// Without convolutions and pools of this order nothing changes, not even a transpose
// that would move.
// CHECK-LABEL: func.func @untouched(
// CHECK-SAME: tensor<3x3x4x4xf32> {pocket.param = "w"})
// CHECK-NEXT: %[[Y:.*]] = pocket.conv2d %arg0, %arg1 layout = nhwc
// CHECK-NEXT: %[[T:.*]] = pocket.transpose %[[Y]] permutation = [0, 3, 1, 2]
// CHECK-NEXT: pocket.relu %[[T]]
func.func @untouched(%x: tensor<2x8x8x4xf32>, %w: tensor<3x3x4x4xf32> {pocket.param = "w"}) -> tensor<2x4x6x6xf32> {
  %0 = pocket.conv2d %x, %w layout = nhwc : (tensor<2x8x8x4xf32>, tensor<3x3x4x4xf32>) -> tensor<2x6x6x4xf32>
  %1 = pocket.transpose %0 permutation = [0, 3, 1, 2] : (tensor<2x6x6x4xf32>) -> tensor<2x4x6x6xf32>
  %2 = pocket.relu %1 : tensor<2x4x6x6xf32>
  return %2 : tensor<2x4x6x6xf32>
}

// -----

// Gradient ops are converted where they stand: images, filter and the filter's gradient.
// CHECK-LABEL: func.func @gradients(
// CHECK-DAG: %[[DY:.*]] = pocket.transpose %arg1 permutation = [0, 2, 3, 1]
// CHECK-DAG: %[[F:.*]] = pocket.transpose %arg2 permutation = [2, 3, 1, 0]
// CHECK: %[[DX:.*]] = pocket.conv2d_input_grad %[[DY]], %[[F]] layout = nhwc : (tensor<2x6x6x8xf32>, tensor<3x3x4x8xf32>) -> tensor<2x8x8x4xf32>
// CHECK: pocket.transpose %[[DX]] permutation = [0, 3, 1, 2]
// CHECK-DAG: %[[X:.*]] = pocket.transpose %arg0 permutation = [0, 2, 3, 1]
// CHECK: %[[DW:.*]] = pocket.conv2d_weight_grad %[[X]], %{{.*}} layout = nhwc : (tensor<2x8x8x4xf32>, tensor<2x6x6x8xf32>) -> tensor<3x3x4x8xf32>
// CHECK: pocket.transpose %[[DW]] permutation = [3, 2, 0, 1] : (tensor<3x3x4x8xf32>) -> tensor<8x4x3x3xf32>
func.func @gradients(%x: tensor<2x4x8x8xf32>, %dy: tensor<2x8x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> (tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>) {
  %0 = pocket.conv2d_input_grad %dy, %w : (tensor<2x8x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<2x4x8x8xf32>
  %1 = pocket.conv2d_weight_grad %x, %dy : (tensor<2x4x8x8xf32>, tensor<2x8x6x6xf32>) -> tensor<8x4x3x3xf32>
  return %0, %1 : tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>
}
