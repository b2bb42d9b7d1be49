// RUN: pocket-opt %s --pocket-tie-results | FileCheck %s

// New values of a parameter, its state and a buffer name the result on the argument
// they overwrite, whatever their order. Of ours, no attribute is left; others' stay.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %{{[^:]*}}: tensor<4xf32> {iree.abi.output = 2 : index},
// CHECK-SAME: %{{[^:]*}}: tensor<8xf32>,
// CHECK-SAME: %{{[^:]*}}: tensor<i64> {iree.abi.output = 1 : index},
// CHECK-SAME: %{{[^:]*}}: tensor<4xf32> {iree.abi.output = 3 : index, other.kept = "k"},
// CHECK-SAME: %{{[^:]*}}: tensor<f32>, %{{[^:]*}}: tensor<4xf32>)
// CHECK-SAME: -> (tensor<f32>, tensor<i64>, tensor<4xf32>, tensor<4xf32> {other.kept = "r"}) {
// CHECK-NOT: pocket.param
func.func @train_step(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = true, pocket.layout = array<i64: 0>},
                      %frozen: tensor<8xf32> {pocket.param = "frozen", pocket.needs_grad = false},
                      %count: tensor<i64> {pocket.buffer = "count"},
                      %m: tensor<4xf32> {pocket.param = "w", pocket.state = "momentum_buffer", other.kept = "k"},
                      %lr: tensor<f32> {pocket.role = "learning_rate"},
                      %x: tensor<4xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<i64> {pocket.buffer = "count"}, tensor<4xf32> {pocket.param = "w"},
        tensor<4xf32> {pocket.param = "w", pocket.state = "momentum_buffer", other.kept = "r"}) {
  return %lr, %count, %x, %m : tensor<f32>, tensor<i64>, tensor<4xf32>, tensor<4xf32>
}

// A value with storage of its own overwrites nothing; nor does a gradient, although it
// carries a parameter's name.
// CHECK-LABEL: func.func @not_tied(
// CHECK-SAME: %{{[^:]*}}: tensor<4xf32>, %{{[^:]*}}: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
func.func @not_tied(%a: tensor<4xf32> {pocket.param = "a"}, %b: tensor<4xf32> {pocket.param = "b"})
    -> (tensor<4xf32> {pocket.param = "a", pocket.inplace = false}, tensor<4xf32> {pocket.param = "b", pocket.role = "gradient"}) {
  return %b, %a : tensor<4xf32>, tensor<4xf32>
}

// In place is what it is by default.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: tensor<4xf32> {iree.abi.output = 0 : index}) -> tensor<4xf32> {
func.func @in_place(%a: tensor<4xf32> {pocket.param = "a"}) -> (tensor<4xf32> {pocket.param = "a", pocket.inplace = true}) {
  return %a : tensor<4xf32>
}

// A function that updates nothing loses its attributes too, and so does one without a body.
// CHECK-LABEL: func.func @predict(
// CHECK-SAME: %{{[^:]*}}: tensor<4xf32>, %{{[^:]*}}: tensor<4xf32>) -> tensor<4xf32> {
func.func @predict(%w: tensor<4xf32> {pocket.param = "w"}, %x: tensor<4xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<4xf32> {pocket.role = "output", pocket.name = "output0"}) {
  return %x : tensor<4xf32>
}
// CHECK: func.func private @elsewhere(tensor<4xf32>{{( \{iree.abi.output = 0 : index\})?}}) -> tensor<4xf32>{{$}}
func.func private @elsewhere(tensor<4xf32> {pocket.buffer = "b"}) -> (tensor<4xf32> {pocket.buffer = "b"})
