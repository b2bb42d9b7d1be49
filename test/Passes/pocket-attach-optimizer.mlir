// RUN: pocket-opt %s --pocket-attach-optimizer | FileCheck %s --check-prefix=SGD
// RUN: pocket-opt %s --pocket-attach-optimizer="optimizer=sgd momentum=0.9 nesterov=true weight-decay=0.01" | FileCheck %s --check-prefix=MOMENTUM
// RUN: pocket-opt %s --pocket-attach-optimizer="optimizer=adamw beta1=0.8 beta2=0.99 epsilon=1e-06 weight-decay=0.1" | FileCheck %s --check-prefix=ADAMW

// Plain SGD keeps nothing: only the learning rate comes in, behind the buffers.
// SGD-LABEL: func.func @train_step(
// SGD-SAME: %[[W:[^:]*]]: tensor<4x8xf32> {pocket.layout = array<i64: 1, 0>, pocket.needs_grad = true, pocket.param = "w"}
// SGD-SAME: %[[FROZEN:[^:]*]]: tensor<8xf32> {pocket.needs_grad = false, pocket.param = "frozen"}
// SGD-SAME: %[[B:[^:]*]]: tensor<4xf32> {pocket.needs_grad = true, pocket.param = "b"}
// SGD-SAME: %{{[^:]*}}: tensor<i64> {pocket.buffer = "count"}
// SGD-SAME: %[[LR:[^:]*]]: tensor<f32> {pocket.role = "learning_rate"}
// SGD-SAME: %{{[^:]*}}: tensor<4x8xf32> {pocket.name = "x", pocket.role = "input"}
// SGD-SAME: -> (tensor<f32> {pocket.role = "loss"}, tensor<i64> {pocket.buffer = "count"}, tensor<4x8xf32> {pocket.param = "w"}, tensor<4xf32> {pocket.param = "b"})
// SGD: %[[NW:.*]] = pocket.sgd %[[W]], %[[DW:.*]] learning_rate %[[LR]] :
// SGD-NEXT: %[[NB:.*]] = pocket.sgd %[[B]], %[[DB:.*]] learning_rate %[[LR]] :
// SGD-NEXT: return %{{.*}}, %{{.*}}, %[[NW]], %[[NB]]

// Momentum buffers are arguments and results, in the layout of their parameters.
// MOMENTUM-LABEL: func.func @train_step(
// MOMENTUM-SAME: pocket.buffer = "count"
// MOMENTUM-SAME: %[[MW:[^:]*]]: tensor<4x8xf32> {pocket.layout = array<i64: 1, 0>, pocket.param = "w", pocket.state = "momentum_buffer"}
// MOMENTUM-SAME: %[[MB:[^:]*]]: tensor<4xf32> {pocket.param = "b", pocket.state = "momentum_buffer"}
// MOMENTUM-SAME: pocket.role = "learning_rate"
// MOMENTUM-SAME: tensor<4x8xf32> {pocket.param = "w"}, tensor<4xf32> {pocket.param = "b"}, tensor<4x8xf32> {pocket.param = "w", pocket.state = "momentum_buffer"}, tensor<4xf32> {pocket.param = "b", pocket.state = "momentum_buffer"})
// MOMENTUM: %[[NW:.*]], %[[NMW:.*]] = pocket.sgd %{{.*}}, %{{.*}} learning_rate %{{.*}} momentum_buffer %[[MW]] momentum = 9.000000e-01 nesterov weight_decay = 1.000000e-02
// MOMENTUM-NEXT: %[[NB:.*]], %[[NMB:.*]] = pocket.sgd %{{.*}}, %{{.*}} learning_rate %{{.*}} momentum_buffer %[[MB]]
// MOMENTUM-NEXT: return %{{.*}}, %{{.*}}, %[[NW]], %[[NB]], %[[NMW]], %[[NMB]]

// AdamW counts the steps: the updates read the new count.
// ADAMW-LABEL: func.func @train_step(
// ADAMW-SAME: pocket.param = "w", pocket.state = "exp_avg"}
// ADAMW-SAME: pocket.param = "w", pocket.state = "exp_avg_sq"}
// ADAMW-SAME: pocket.param = "b", pocket.state = "exp_avg"}
// ADAMW-SAME: pocket.param = "b", pocket.state = "exp_avg_sq"}
// ADAMW-SAME: %[[STEP:[^:]*]]: tensor<f32> {pocket.state = "step"}
// ADAMW-SAME: %[[LR:[^:]*]]: tensor<f32> {pocket.role = "learning_rate"}
// ADAMW-NEXT: pocket.constant dense<1.0{{.*}}> : tensor<f32>
// ADAMW-NEXT: %[[COUNT:.*]] = pocket.add %[[STEP]], %{{.*}}
// ADAMW-NEXT: %[[NSTEP:.*]] = pocket.assign %[[STEP]] with %[[COUNT]]
// ADAMW: pocket.adamw %{{.*}} learning_rate %[[LR]] step %[[NSTEP]] beta1 = 8.000000e-01 beta2 = 0.98{{9*}} epsilon = 9.99{{.*}}E-7 weight_decay = 1.000000e-01
// ADAMW-NEXT: pocket.adamw
// ADAMW-NEXT: return {{.*}}, %[[NSTEP]] :
func.func @train_step(%w: tensor<4x8xf32> {pocket.param = "w", pocket.needs_grad = true, pocket.layout = array<i64: 1, 0>},
                      %frozen: tensor<8xf32> {pocket.param = "frozen", pocket.needs_grad = false},
                      %b: tensor<4xf32> {pocket.param = "b", pocket.needs_grad = true},
                      %count: tensor<i64> {pocket.buffer = "count"},
                      %x: tensor<4x8xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<i64> {pocket.buffer = "count"},
        tensor<4x8xf32> {pocket.param = "w", pocket.role = "gradient"}, tensor<4xf32> {pocket.param = "b", pocket.role = "gradient"}) {
  %one = pocket.constant dense<1> : tensor<i64>
  %next = pocket.add %count, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %new = pocket.assign %count with %next : tensor<i64>
  %loss = pocket.sum %x dims = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  %dw = pocket.mul %w, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %db = pocket.sum %dw dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %loss, %new, %dw, %db : tensor<f32>, tensor<i64>, tensor<4x8xf32>, tensor<4xf32>
}

// Other functions stay as they are.
// SGD-LABEL: func.func @predict(%arg0: tensor<4xf32> {pocket.needs_grad = true, pocket.param = "b"}) -> tensor<4xf32> {
// SGD-NEXT: return
func.func @predict(%b: tensor<4xf32> {pocket.param = "b", pocket.needs_grad = true}) -> tensor<4xf32> {
  return %b : tensor<4xf32>
}
