// RUN: pocket-opt %s --split-input-file --pocket-tie-results --verify-diagnostics

// expected-error @+1 {{result 1 is the new value of argument 0 and has another type: 'tensor<8xf32>', not 'tensor<4xf32>'}}
func.func @another_type(%w: tensor<4xf32> {pocket.param = "w"}, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {pocket.param = "w"}) {
  return %x, %x : tensor<8xf32>, tensor<8xf32>
}

// -----

// expected-error @+1 {{result 0 is the new value of an argument that does not exist}}
func.func @unknown(%w: tensor<4xf32> {pocket.param = "w"}) -> (tensor<4xf32> {pocket.param = "v"}) {
  return %w : tensor<4xf32>
}

// -----

// State belongs to its parameter: another parameter's is another.
// expected-error @+1 {{result 0 is the new value of an argument that does not exist}}
func.func @state_of_another(%m: tensor<4xf32> {pocket.param = "w", pocket.state = "exp_avg"})
    -> (tensor<4xf32> {pocket.param = "v", pocket.state = "exp_avg"}) {
  return %m : tensor<4xf32>
}

// -----

// A parameter is not its own state.
// expected-error @+1 {{result 0 is the new value of an argument that does not exist}}
func.func @parameter_for_state(%w: tensor<4xf32> {pocket.param = "w"}) -> (tensor<4xf32> {pocket.param = "w", pocket.state = "exp_avg"}) {
  return %w : tensor<4xf32>
}

// -----

// Not in place, the value still has to be some argument's.
// expected-error @+1 {{result 0 is the new value of an argument that does not exist}}
func.func @not_in_place(%w: tensor<4xf32>) -> (tensor<4xf32> {pocket.param = "w", pocket.inplace = false}) {
  return %w : tensor<4xf32>
}
