// RUN: pocket-opt %s --pocket-attach-optimizer=optimizer=adamw --pocket-verify-inplace | FileCheck %s

// The channels are taken, updated and put back; what the optimizer keeps is theirs alone.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %[[W:[^:]*]]: tensor<8x16xf32> {{{[^}]*}}pocket.param = "w"}
// CHECK-SAME: %[[M:[^:]*]]: tensor<8x4xf32> {pocket.param = "w", pocket.state = "exp_avg"}
// CHECK-SAME: %[[V:[^:]*]]: tensor<8x4xf32> {pocket.param = "w", pocket.state = "exp_avg_sq"}
// CHECK-SAME: -> ({{.*}}tensor<8x16xf32> {pocket.param = "w"}, tensor<8x4xf32> {pocket.param = "w", pocket.state = "exp_avg"}
// CHECK: %[[S:.*]] = pocket.take_channels %[[W]] <dim = 1, [0 to 4]> : (tensor<8x16xf32>) -> tensor<8x4xf32>
// CHECK: %[[S1:[^,]*]], %{{.*}}, %{{.*}} = pocket.adamw %[[S]],
// CHECK: %[[W1:.*]] = pocket.assign_channels %[[W]] <dim = 1, [0 to 4]> with %[[S1]]
// CHECK: return %{{.*}}, %[[W1]],
func.func @train_step(%w: tensor<8x16xf32> {pocket.param = "w", pocket.needs_grad = #pocket.channels<dim = 1, [0 to 4]>},
    %g: tensor<8x4xf32> {pocket.role = "input", pocket.name = "g"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<8x4xf32> {pocket.param = "w", pocket.role = "gradient"}) {
  %0 = pocket.sum %g dims = [0, 1] : (tensor<8x4xf32>) -> tensor<f32>
  return %0, %g : tensor<f32>, tensor<8x4xf32>
}
