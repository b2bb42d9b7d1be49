// What a pipeline does beyond the pass it is named for, and where it stops.
// RUN: pocket-opt %s --split-input-file --pocket-forward-pipeline | FileCheck %s --check-prefix=FORWARD
// RUN: not pocket-opt %s --split-input-file --pocket-gradient-pipeline --allow-unregistered-dialect 2>&1 | FileCheck %s --check-prefix=GRADIENT
// RUN: not pocket-opt %s --split-input-file --pocket-schedule-pipeline 2>&1 | FileCheck %s --check-prefix=SCHEDULE

// The forward pipeline chooses layouts, and cleans up behind: of the two transposes of
// the input one is left.
// FORWARD-LABEL: func.func @layout(
// FORWARD-SAME: tensor<1x1x4x4xf32> {pocket.layout = array<i64: 2, 3, 1, 0>, pocket.param = "w"}
// FORWARD: pocket.transpose %arg0 permutation = [0, 2, 3, 1]
// FORWARD-NEXT: pocket.conv2d {{.*}} layout = nhwc
// FORWARD-NEXT: pocket.add
// FORWARD-NEXT: pocket.mean
// FORWARD-NEXT: return
func.func @layout(%x: tensor<2x4x8x8xf32> {pocket.role = "input", pocket.name = "x"}, %w: tensor<4x4x1x1xf32> {pocket.param = "w"}) -> tensor<2x4xf32> {
  %0 = pocket.conv2d %x, %w : (tensor<2x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<2x4x8x8xf32>
  %1 = pocket.add %0, %x : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %2 = pocket.mean %1 dims = [2, 3] : (tensor<2x4x8x8xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// The gradient pipeline first looks for ops without a gradient, and names them all.
// GRADIENT: error: 2 ops between the trained parameters and the loss without a gradient
// GRADIENT: 'pocket.softmax_grad' has no gradient
// GRADIENT: 'pocket.embedding_grad' has no gradient
func.func @forward(%w: tensor<2x3xf32> {pocket.param = "w", pocket.needs_grad = true}, %i: tensor<2xi64>) -> (tensor<f32> {pocket.role = "loss"}) {
  %0 = pocket.softmax_grad %w, %w dim = 1 : tensor<2x3xf32>
  %1 = pocket.embedding_grad %0, %i : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<4x3xf32>
  %2 = pocket.sum %1 dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// The schedule pipeline ends in a proof: a new value that is no update does not pass.
// SCHEDULE: error: result 0 of @train_step, the new value of parameter "w", is no update of that argument
func.func @train_step(%w: tensor<4xf32> {pocket.param = "w"}) -> (tensor<4xf32> {pocket.param = "w"}) {
  %0 = pocket.neg %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// It takes attention apart before it orders, so that the reads of its parts count.
// SCHEDULE-LABEL: func.func @attend(
// SCHEDULE-NOT: pocket.attention
// SCHEDULE: %[[S:.*]] = pocket.matmul %arg0, %arg1 transposed
// SCHEDULE: %[[P:.*]] = pocket.softmax
// SCHEDULE: %[[Y:.*]] = pocket.matmul %[[P]], %arg2 :
// SCHEDULE-NEXT: %[[NEW:.*]] = pocket.sgd %arg2,
// SCHEDULE-NEXT: return %[[Y]], %[[NEW]]
func.func @attend(%q: tensor<1x1x4x4xf32>, %k: tensor<1x1x4x4xf32>, %v: tensor<1x1x4x4xf32> {pocket.param = "v"}, %g: tensor<1x1x4x4xf32>,
                  %lr: tensor<f32> {pocket.role = "learning_rate"}) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32> {pocket.param = "v"}) {
  %y, %p = pocket.attention %q, %k, %v scale = 5.0e-01 : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>)
  %new = pocket.sgd %v, %g learning_rate %lr : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x4x4xf32>
  return %y, %new : tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>
}
