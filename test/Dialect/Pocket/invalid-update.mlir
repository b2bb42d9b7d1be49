// RUN: pocket-opt %s --verify-diagnostics --split-input-file

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>, %q: tensor<4xf32>) {
  // expected-error @+1 {{'pocket.assign' op failed to verify that all of {old_value, new_value, result} have same type}}
  %0 = "pocket.assign"(%w, %q) : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>, %q: tensor<4xf32>) {
  // expected-error @+1 {{'pocket.sgd' op failed to verify that all of {parameter, gradient, new_parameter} have same type}}
  %0 = pocket.sgd %w, %q learning_rate %lr : (tensor<3xf32>, tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{'pocket.sgd' op operand #2 must be a tensor of f16, bf16, f32 or f64 of rank 0}}
  %0 = pocket.sgd %w, %w learning_rate %w : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{'pocket.sgd' op returns a new momentum buffer exactly if it takes one}}
  %0 = pocket.sgd %w, %w learning_rate %lr momentum_buffer %w momentum = 0.5 : (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{'pocket.sgd' op returns a new momentum buffer exactly if it takes one}}
  %0:2 = pocket.sgd %w, %w learning_rate %lr : (tensor<3xf32>, tensor<3xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>, %q: tensor<4xf32>) {
  // expected-error @+1 {{'pocket.sgd' op expects momentum buffers of the parameter's type 'tensor<3xf32>'}}
  %0:2 = pocket.sgd %w, %w learning_rate %lr momentum_buffer %q momentum = 0.5 : (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<4xf32>) -> (tensor<3xf32>, tensor<4xf32>)
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{'pocket.sgd' op needs a momentum buffer for momentum and nesterov}}
  %0 = pocket.sgd %w, %w learning_rate %lr momentum = 0.5 : (tensor<3xf32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{'pocket.sgd' op needs a momentum buffer for momentum and nesterov}}
  %0 = pocket.sgd %w, %w learning_rate %lr nesterov : (tensor<3xf32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{'pocket.sgd' op expects momentum from 0 on, found -5.000000e-01}}
  %0:2 = pocket.sgd %w, %w learning_rate %lr momentum_buffer %w momentum = -0.5 : (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{'pocket.sgd' op expects weight_decay from 0 on, found -1.000000e+00}}
  %0 = pocket.sgd %w, %w learning_rate %lr weight_decay = -1.0 : (tensor<3xf32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{'pocket.adamw' op expects beta1 from 0 on and below 1.000000e+00, found 1.000000e+00}}
  %0:3 = pocket.adamw %w, %w exp_avg %w exp_avg_sq %w learning_rate %lr step %lr beta1 = 1.0 beta2 = 0.5 epsilon = 0.1 weight_decay = 0.0 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{'pocket.adamw' op expects beta2 from 0 on and below 1.000000e+00, found -1.000000e+00}}
  %0:3 = pocket.adamw %w, %w exp_avg %w exp_avg_sq %w learning_rate %lr step %lr beta1 = 0.5 beta2 = -1.0 epsilon = 0.1 weight_decay = 0.0 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{'pocket.adamw' op expects epsilon from 0 on, found -1.000000e+00}}
  %0:3 = pocket.adamw %w, %w exp_avg %w exp_avg_sq %w learning_rate %lr step %lr beta1 = 0.5 beta2 = 0.5 epsilon = -1.0 weight_decay = 0.0 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{'pocket.adamw' op expects weight_decay from 0 on, found -1.000000e+00}}
  %0:3 = pocket.adamw %w, %w exp_avg %w exp_avg_sq %w learning_rate %lr step %lr beta1 = 0.5 beta2 = 0.5 epsilon = 0.1 weight_decay = -1.0 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @test(%w: tensor<3xf32>, %lr: tensor<f32>, %q: tensor<4xf32>) {
  // expected-error @+1 {{'pocket.adamw' op failed to verify that all of {parameter, gradient, exp_avg, exp_avg_sq, new_parameter, new_exp_avg, new_exp_avg_sq} have same type}}
  %0:3 = pocket.adamw %w, %w exp_avg %q exp_avg_sq %w learning_rate %lr step %lr beta1 = 0.5 beta2 = 0.5 epsilon = 0.1 weight_decay = 0.0 : (tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
