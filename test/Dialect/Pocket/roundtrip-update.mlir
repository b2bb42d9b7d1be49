// RUN: pocket-opt %s | FileCheck %s
// RUN: pocket-opt %s --mlir-print-op-generic | pocket-opt | FileCheck %s
// RUN: pocket-opt %s --emit-bytecode | pocket-opt | FileCheck %s

// CHECK-LABEL: @updates
func.func @updates(%w: tensor<3x4xf32>, %g: tensor<3x4xf32>, %m: tensor<3x4xf32>, %v: tensor<3x4xf32>, %lr: tensor<f32>, %i: tensor<i64>) {
  // CHECK: pocket.assign %{{.*}} with %{{.*}} : tensor<3x4xf32>{{$}}
  %0 = pocket.assign %w with %g : tensor<3x4xf32>
  // CHECK: pocket.assign %{{.*}} with %{{.*}} : tensor<i64>{{$}}
  %1 = pocket.assign %i with %i : tensor<i64>
  // CHECK: pocket.sgd %{{.*}}, %{{.*}} learning_rate %{{.*}} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>{{$}}
  %2 = pocket.sgd %w, %g learning_rate %lr : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  // CHECK: pocket.sgd %{{.*}}, %{{.*}} learning_rate %{{.*}} weight_decay = 1.000000e-02 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>{{$}}
  %3 = pocket.sgd %w, %g learning_rate %lr weight_decay = 1.000000e-02 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  // CHECK: pocket.sgd %{{.*}}, %{{.*}} learning_rate %{{.*}} momentum_buffer %{{.*}} momentum = 9.000000e-01 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>){{$}}
  %4:2 = pocket.sgd %w, %g learning_rate %lr momentum_buffer %m momentum = 9.000000e-01 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  // CHECK: pocket.sgd %{{.*}}, %{{.*}} learning_rate %{{.*}} momentum_buffer %{{.*}} momentum = 5.000000e-01 nesterov weight_decay = 1.000000e-02 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>){{$}}
  %5:2 = pocket.sgd %w, %g learning_rate %lr momentum_buffer %m momentum = 5.000000e-01 nesterov weight_decay = 1.000000e-02 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  // CHECK: pocket.adamw %{{.*}}, %{{.*}} exp_avg %{{.*}} exp_avg_sq %{{.*}} learning_rate %{{.*}} step %{{.*}} beta1 = 9.000000e-01 beta2 = 0.99899999999999999 epsilon = 1.000000e-08 weight_decay = 1.000000e-02 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>){{$}}
  %6:3 = pocket.adamw %w, %g exp_avg %m exp_avg_sq %v learning_rate %lr step %lr beta1 = 9.000000e-01 beta2 = 0.99899999999999999 epsilon = 1.000000e-08 weight_decay = 1.000000e-02 : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
  return
}
