// RUN: pocket-opt %s --split-input-file --verify-diagnostics --pocket-prune-gradients
// RUN: pocket-opt %s --split-input-file --verify-diagnostics --pocket-save-activations
// RUN: pocket-opt %s --split-input-file --verify-diagnostics --pocket-count-costs

// expected-error @+1 {{has no @train_step with gradients; run pocket-autodiff first}}
module {
  func.func @forward(%x: tensor<f32>) -> (tensor<f32> {pocket.role = "loss"}) {
    return %x : tensor<f32>
  }
}
