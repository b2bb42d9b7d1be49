// RUN: pocket-opt %s --split-input-file --pocket-verify-inplace --verify-diagnostics | FileCheck %s

// In a right order nothing is reported, and nothing changes.
// CHECK-LABEL: func.func @right(
// CHECK-NEXT: pocket.matmul
// CHECK-NEXT: pocket.matmul
// CHECK-NEXT: pocket.sgd
// CHECK-NEXT: return
func.func @right(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> {pocket.param = "w"}) {
  %dx = pocket.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dw = pocket.matmul %x transposed, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %dx, %new : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The bad order: the second product would read the new weight.
func.func @read_after_update(%w: tensor<4x4xf32> {pocket.param = "fc.weight"}, %lr: tensor<f32> {pocket.role = "learning_rate"},
                             %dw: tensor<4x4xf32>, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> {pocket.param = "fc.weight"}) {
  // expected-error @+1 {{'pocket.sgd' op overwrites parameter "fc.weight" before its last read}}
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  // expected-note @+1 {{'pocket.matmul' reads the old value here}}
  %dx = pocket.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %dx, %new : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The update stands last, but runs with its gradient.
func.func @fused_with_gradient(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> {pocket.param = "w"}) {
  // expected-note @+1 {{it is fused with its gradient and runs here}}
  %0 = pocket.matmul %x transposed, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-note @+1 {{'pocket.matmul' reads the old value here}}
  %dx = pocket.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dw = pocket.neg %0 : tensor<4x4xf32>
  // expected-error @+1 {{'pocket.sgd' op overwrites parameter "w" before its last read}}
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %dx, %new : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Nothing is fused with a gradient that something else needs too.
// CHECK-LABEL: func.func @gradient_needed_twice(
func.func @gradient_needed_twice(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> {pocket.param = "w"}, tensor<4xf32>) {
  %dw = pocket.matmul %x transposed, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dx = pocket.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %norm = pocket.sum %dw dims = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %dx, %new, %norm : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
}

// -----

// A transposed weight is read where it is used.
func.func @read_through_movement(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"},
                                 %dw: tensor<4x4xf32>, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> {pocket.param = "w"}) {
  %t = pocket.transpose %w permutation = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{'pocket.sgd' op overwrites parameter "w" before its last read}}
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  // expected-note @+1 {{'pocket.matmul' reads the old value here}}
  %dx = pocket.matmul %x, %t : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %dx, %new : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// So is one that an elementwise op reads, if its first user stands behind.
func.func @read_through_elementwise(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"},
                                    %dw: tensor<4x4xf32>, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32> {pocket.param = "w"}) {
  // expected-note @+1 {{'pocket.exp' reads the old value and runs with its users}}
  %e = pocket.exp %w : tensor<4x4xf32>
  %f = pocket.neg %e : tensor<4x4xf32>
  // expected-error @+1 {{'pocket.sgd' op overwrites parameter "w" before its last read}}
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %dx = pocket.matmul %x, %f : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %dx, %new : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// What a user before the update has made it compute is no danger.
// CHECK-LABEL: func.func @elementwise_used_before(
func.func @elementwise_used_before(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"},
                                   %dw: tensor<4x4xf32>, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32> {pocket.param = "w"}) {
  %e = pocket.exp %w : tensor<4x4xf32>
  %y = pocket.matmul %x, %e : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %z = pocket.matmul %y, %e : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y, %z, %new : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Weight decay in the loss: the update's own loop reads each element before it
// writes it.
// CHECK-LABEL: func.func @elementwise_gradient(
func.func @elementwise_gradient(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"})
    -> (tensor<4x4xf32> {pocket.param = "w"}) {
  %dw = pocket.mul %w, %lr : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %new : tensor<4x4xf32>
}

// -----

// But not where it reads other elements.
func.func @transposed_gradient(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"})
    -> (tensor<4x4xf32> {pocket.param = "w"}) {
  %dw = pocket.transpose %w permutation = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @+2 {{'pocket.sgd' op overwrites parameter "w" before its last read}}
  // expected-note @+1 {{'pocket.sgd' reads the old value in the loop that overwrites it}}
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %new : tensor<4x4xf32>
}

// -----

func.func @gradient_reads_weight(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {pocket.param = "w"}) {
  // expected-note @+2 {{it is fused with its gradient and runs here}}
  // expected-note @+1 {{'pocket.matmul' reads the old value in the loop that overwrites it}}
  %dw = pocket.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{'pocket.sgd' op overwrites parameter "w" before its last read}}
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %new : tensor<4x4xf32>
}

// -----

// With storage of its own it may be read at any time.
// CHECK-LABEL: func.func @not_in_place(
func.func @not_in_place(%w: tensor<4x4xf32> {pocket.param = "w"}, %lr: tensor<f32> {pocket.role = "learning_rate"}, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {pocket.param = "w", pocket.inplace = false}) {
  %dw = pocket.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %new = pocket.sgd %w, %dw learning_rate %lr : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %new : tensor<4x4xf32>
}

// -----

func.func @returned_old_value(%w: tensor<4xf32> {pocket.param = "w"}, %m: tensor<4xf32> {pocket.param = "w", pocket.state = "momentum_buffer"},
                              %lr: tensor<f32> {pocket.role = "learning_rate"}, %dw: tensor<4xf32>)
    -> (tensor<4xf32> {pocket.param = "w"}, tensor<4xf32> {pocket.param = "w", pocket.state = "momentum_buffer"}, tensor<4xf32>) {
  // expected-error @+1 {{'pocket.sgd' op overwrites state "momentum_buffer" of "w" before its last read}}
  %new, %newm = pocket.sgd %w, %dw learning_rate %lr momentum_buffer %m momentum = 0.9
      : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // expected-note @+1 {{'func.return' reads the old value here}}
  return %new, %newm, %m : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0 of @no_update, the new value of buffer "mean", is no update of that argument; pocket.assign makes one of any value}}
func.func @no_update(%m: tensor<4xf32> {pocket.buffer = "mean"}) -> (tensor<4xf32> {pocket.buffer = "mean"}) {
  %0 = pocket.neg %m : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0 of @unchanged, the new value of buffer "mean", is no update of that argument}}
func.func @unchanged(%m: tensor<4xf32> {pocket.buffer = "mean"}) -> (tensor<4xf32> {pocket.buffer = "mean"}) {
  return %m : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0 of @swapped, the new value of buffer "a", is no update of that argument}}
func.func @swapped(%a: tensor<4xf32> {pocket.buffer = "a"}, %b: tensor<4xf32> {pocket.buffer = "b"}, %x: tensor<4xf32>)
    -> (tensor<4xf32> {pocket.buffer = "a"}) {
  // expected-error @+1 {{'pocket.assign' op overwrites argument 1 but its result 0 is not returned as the new value}}
  %0 = pocket.assign %b with %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0 of @unknown, the new value of parameter "v", has no argument to overwrite}}
func.func @unknown(%x: tensor<4xf32>) -> (tensor<4xf32> {pocket.param = "v"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 1 of @twice, the new value of buffer "a", is a second one: an argument is overwritten once}}
func.func @twice(%a: tensor<4xf32> {pocket.buffer = "a"}, %x: tensor<4xf32>)
    -> (tensor<4xf32> {pocket.buffer = "a"}, tensor<4xf32> {pocket.buffer = "a"}) {
  // expected-error @+1 {{'pocket.assign' op overwrites buffer "a" before its last read}}
  %0 = pocket.assign %a with %x : tensor<4xf32>
  // expected-note @+2 {{'pocket.assign' reads the old value here}}
  // expected-error @+1 {{'pocket.assign' op overwrites argument 0 but its result 0 is not returned as the new value}}
  %1 = pocket.assign %a with %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @no_argument(%a: tensor<4xf32> {pocket.buffer = "a"}, %x: tensor<4xf32>) -> (tensor<4xf32> {pocket.buffer = "a"}) {
  %0 = pocket.assign %a with %x : tensor<4xf32>
  // expected-error @+1 {{'pocket.assign' op overwrites a value that is no argument of the function}}
  %1 = pocket.assign %0 with %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{@blocks overwrites arguments and expects a body of one block, without regions}}
func.func @blocks(%a: tensor<4xf32> {pocket.buffer = "a"}) -> (tensor<4xf32> {pocket.buffer = "a"}) {
  cf.br ^exit
^exit:
  return %a : tensor<4xf32>
}
