// The named pipelines, one after the other: what each takes the last one left, and
// leaves what its name says.
// RUN: pocket-opt %s --pocket-forward-pipeline -o %t.forward
// RUN: FileCheck %s --check-prefix=FORWARD --input-file=%t.forward
// RUN: pocket-opt %t.forward --pocket-gradient-pipeline -o %t.gradient
// RUN: FileCheck %s --check-prefix=GRADIENT --input-file=%t.gradient
// RUN: pocket-opt %t.gradient --pocket-update-pipeline=momentum=0.9 -o %t.update
// RUN: FileCheck %s --check-prefix=UPDATE --input-file=%t.update
// RUN: pocket-opt %t.update --pocket-schedule-pipeline -o %t.schedule
// RUN: FileCheck %s --check-prefix=SCHEDULE --input-file=%t.schedule
// RUN: pocket-opt %t.schedule --pocket-linalg-pipeline --allow-unregistered-dialect -o %t.linalg
// RUN: FileCheck %s --check-prefix=LINALG --input-file=%t.linalg --implicit-check-not=pocket.
// RUN: pocket-opt %t.schedule --pocket-linalg-pipeline=vector-bits=0 --allow-unregistered-dialect | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=compilation_info --implicit-check-not=linalg.pack
// RUN: pocket-opt %s --pocket-training-pipeline="momentum=0.9 vector-bits=0" --allow-unregistered-dialect | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not=compilation_info --implicit-check-not=linalg.pack

// All of them at once are the same.
// RUN: pocket-opt %s --pocket-training-pipeline=momentum=0.9 --allow-unregistered-dialect -o %t.training
// RUN: diff %t.linalg %t.training

// The optimizer's options reach it.
// RUN: pocket-opt %t.gradient --pocket-update-pipeline="optimizer=adamw beta1=0.5 beta2=0.75 epsilon=0.125 weight-decay=0.25" | FileCheck %s --check-prefix=ADAMW
// RUN: pocket-opt %t.gradient --pocket-update-pipeline="momentum=0.5 nesterov=true weight-decay=0.25" | FileCheck %s --check-prefix=NESTEROV
// ADAMW: pocket.adamw {{.*}} beta1 = 5.000000e-01 beta2 = 7.500000e-01 epsilon = 1.250000e-01 weight_decay = 2.500000e-01
// NESTEROV: pocket.sgd {{.*}} momentum = 5.000000e-01 nesterov weight_decay = 2.500000e-01

// Forward: simplified; the reshape to the same shape is gone, and so is the second of
// two equal products.
// FORWARD-LABEL: func.func @forward(
// FORWARD-SAME: -> (tensor<f32> {pocket.role = "loss"}, tensor<24x4xf32> {pocket.name = "output0", pocket.role = "output"})
// FORWARD-NEXT: %[[H:.*]] = pocket.matmul %arg3, %arg0 transposed
// FORWARD-NEXT: %[[A:.*]] = pocket.add %[[H]], %arg1
// FORWARD-NEXT: %[[R:.*]] = pocket.relu %[[A]]
// FORWARD-NEXT: %[[Y:.*]] = pocket.matmul %[[R]], %arg2 transposed
// FORWARD-NEXT: %[[LOSS:.*]], %{{.*}} = pocket.cross_entropy %[[Y]], %arg4
// FORWARD-NEXT: return %[[LOSS]], %[[Y]]

// Gradient: a step in @forward's place, which returns the loss and gradients.
// GRADIENT-NOT: @forward
// GRADIENT-LABEL: func.func @train_step(
// GRADIENT-SAME: -> (tensor<f32> {pocket.role = "loss"}, tensor<32x16xf32> {pocket.param = "0.weight", pocket.role = "gradient"}, tensor<32xf32> {pocket.param = "0.bias", pocket.role = "gradient"}, tensor<4x32xf32> {pocket.param = "1.weight", pocket.role = "gradient"})
// GRADIENT: %[[DY:.*]] = pocket.cross_entropy_grad
// GRADIENT-DAG: %[[DR:.*]] = pocket.matmul %[[DY]], %arg2 :
// GRADIENT-DAG: %[[DW1:.*]] = pocket.matmul %[[DY]] transposed,
// GRADIENT: %[[DA:.*]] = pocket.select {{.*}}, %[[DR]]
// GRADIENT-DAG: %[[DB:.*]] = pocket.sum %[[DA]] dims = [0]
// GRADIENT-DAG: %[[DW0:.*]] = pocket.matmul %[[DA]] transposed, %arg3
// GRADIENT: return %{{.*}}, %[[DW0]], %[[DB]], %[[DW1]]

// Update: new values instead of gradients; momentum comes in and goes out. The updates
// are still in the order of the parameters.
// UPDATE-NOT: "gradient"
// UPDATE-LABEL: func.func @train_step(
// UPDATE-SAME: %[[W0:[^:]*]]: tensor<32x16xf32> {pocket.needs_grad = true, pocket.param = "0.weight"}
// UPDATE-SAME: %[[B0:[^:]*]]: tensor<32xf32> {pocket.needs_grad = true, pocket.param = "0.bias"}
// UPDATE-SAME: %[[W1:[^:]*]]: tensor<4x32xf32> {pocket.needs_grad = true, pocket.param = "1.weight"}
// UPDATE-SAME: %[[M0:[^:]*]]: tensor<32x16xf32> {pocket.param = "0.weight", pocket.state = "momentum_buffer"}
// UPDATE-SAME: %[[LR:[^:]*]]: tensor<f32> {pocket.role = "learning_rate"}
// UPDATE: %[[NW0:.*]], %[[NM0:.*]] = pocket.sgd %[[W0]], %{{.*}} learning_rate %[[LR]] momentum_buffer %[[M0]] momentum = 9.000000e-01
// UPDATE-NEXT: pocket.sgd %[[B0]],
// UPDATE-NEXT: pocket.sgd %[[W1]],
// UPDATE-NEXT: return %{{.*}}, %[[NW0]], %{{.*}}, %{{.*}}, %[[NM0]],

// Schedule: each update right behind its gradient, the last layer's first.
// SCHEDULE-LABEL: func.func @train_step(
// SCHEDULE-NOT: pocket.inplace
// SCHEDULE: %[[DY:.*]] = pocket.cross_entropy_grad
// SCHEDULE-NEXT: pocket.matmul %[[DY]], %arg2 :
// SCHEDULE-NEXT: %[[DW1:.*]] = pocket.matmul %[[DY]] transposed,
// SCHEDULE-NEXT: pocket.sgd %arg2, %[[DW1]]
// SCHEDULE: %[[DB:.*]] = pocket.sum
// SCHEDULE-NEXT: pocket.sgd %arg1, %[[DB]]
// SCHEDULE-NEXT: %[[DW0:.*]] = pocket.matmul
// SCHEDULE-NEXT: pocket.sgd %arg0, %[[DW0]]
// SCHEDULE-NEXT: return

// Linalg: nothing of ours is left. Arguments name the results that overwrite them, the
// bias is added to panels, and tiles are the code generator's attribute.
// LINALG-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// LINALG-DAG: #[[BIAS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// LINALG-LABEL: func.func @train_step(
// LINALG-SAME: %[[W0:[^:]*]]: tensor<32x16xf32> {iree.abi.output = 1 : index}
// LINALG-SAME: %[[B0:[^:]*]]: tensor<32xf32> {iree.abi.output = 2 : index}
// LINALG-SAME: %[[W1:[^:]*]]: tensor<4x32xf32> {iree.abi.output = 3 : index}
// LINALG-SAME: %[[M0:[^:]*]]: tensor<32x16xf32> {iree.abi.output = 4 : index}
// LINALG-SAME: %{{[^:]*}}: tensor<32xf32> {iree.abi.output = 5 : index}
// LINALG-SAME: %{{[^:]*}}: tensor<4x32xf32> {iree.abi.output = 6 : index}
// LINALG-SAME: %[[LR:[^:]*]]: tensor<f32>, %[[X:[^:]*]]: tensor<24x16xf32>, %{{[^:]*}}: tensor<24xi64>) -> (tensor<f32>,
// LINALG: %[[PACK:.*]] = linalg.pack %[[W0]]
// LINALG: %[[H:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[PACK]] : {{.*}}compilation_info = #iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<distribution = [1, 24, 16, 0], vector_common_parallel = [1, 6, 16, 0], vector_reduction = [0, 0, 0, 4]>,
// LINALG: %[[CUT:.*]] = tensor.expand_shape %[[B0]]
// LINALG: linalg.generic {indexing_maps = [#[[ALL]], #[[BIAS]], #[[ALL]]], {{.*}} ins(%[[H]], %[[CUT]] :
// The last parameter's update: its gradient is a product over panels and stays in them.
// LINALG: %[[DW0:.*]] = linalg.generic {{.*}}compilation_info{{.*}} {
// LINALG: %[[WCUT:.*]] = tensor.expand_shape %[[W0]]
// LINALG: %[[MCUT:.*]] = tensor.expand_shape %[[M0]]
// LINALG: %[[NEW:.*]]:2 = linalg.generic {{.*}} ins(%[[WCUT]], %[[DW0]], %[[LR]], %[[MCUT]] :
// LINALG-DAG: %[[NW0:.*]] = tensor.collapse_shape %[[NEW]]#0
// LINALG-DAG: %[[NM0:.*]] = tensor.collapse_shape %[[NEW]]#1
// LINALG: return %{{.*}}, %[[NW0]], %{{.*}}, %{{.*}}, %[[NM0]],

// A target whose registers are not known gets no tiles and no panels.
// UNKNOWN: func.func @train_step(
// UNKNOWN: linalg.generic
func.func @forward(%w0: tensor<32x16xf32> {pocket.param = "0.weight", pocket.needs_grad = true},
                   %b0: tensor<32xf32> {pocket.param = "0.bias", pocket.needs_grad = true},
                   %w1: tensor<4x32xf32> {pocket.param = "1.weight", pocket.needs_grad = true},
                   %x: tensor<24x16xf32> {pocket.role = "input", pocket.name = "x"},
                   %t: tensor<24xi64> {pocket.role = "target", pocket.name = "target"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<24x4xf32> {pocket.role = "output", pocket.name = "output0"}) {
  %same = pocket.reshape %x : (tensor<24x16xf32>) -> tensor<24x16xf32>
  %h = pocket.matmul %same, %w0 transposed : (tensor<24x16xf32>, tensor<32x16xf32>) -> tensor<24x32xf32>
  %a = pocket.add %h, %b0 : (tensor<24x32xf32>, tensor<32xf32>) -> tensor<24x32xf32>
  %r = pocket.relu %a : tensor<24x32xf32>
  %y = pocket.matmul %r, %w1 transposed : (tensor<24x32xf32>, tensor<4x32xf32>) -> tensor<24x4xf32>
  %again = pocket.matmul %r, %w1 transposed : (tensor<24x32xf32>, tensor<4x32xf32>) -> tensor<24x4xf32>
  %loss, %lse = pocket.cross_entropy %y, %t : (tensor<24x4xf32>, tensor<24xi64>) -> (tensor<f32>, tensor<24xf32>)
  return %loss, %again : tensor<f32>, tensor<24x4xf32>
}
