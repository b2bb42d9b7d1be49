#ifndef POCKET_PASSES_LAYOUT
#define POCKET_PASSES_LAYOUT
include "mlir/Pass/PassBase.td"

def ConvertLayout : Pass<"pocket-convert-layout", "::mlir::ModuleOp"> {
  let summary = "Move convolutions and what surrounds them to channels-last";
  let description = [{
    Convolutions and pools become `nhwc` between transposes; then the transposes
    move down through everything that works on single elements, until they
    cancel or meet an op that cares about the order of dimensions. A parameter
    that is only ever read transposed is stored so: its type changes, and
    `pocket.layout` tells the session how to permute PyTorch's values.

    It runs before differentiation, once: gradient ops take their layout from
    the ops they belong to.

    ```mlir
    func.func @forward(%x: tensor<1x3x8x8xf32> {pocket.role = "input", pocket.name = "x"},
                       %w: tensor<4x3x3x3xf32> {pocket.param = "w"}) -> tensor<1x4x6x6xf32> {
      %0 = pocket.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
      %1 = pocket.relu %0 : tensor<1x4x6x6xf32>
      return %1 : tensor<1x4x6x6xf32>
    }
    ```
    becomes
    ```mlir
    func.func @forward(%x: tensor<1x3x8x8xf32> {pocket.role = "input", pocket.name = "x"},
                       %w: tensor<3x3x3x4xf32> {pocket.param = "w", pocket.layout = array<i64: 2, 3, 1, 0>}) -> tensor<1x4x6x6xf32> {
      %0 = pocket.transpose %x permutation = [0, 2, 3, 1] : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
      %1 = pocket.conv2d %0, %w layout = nhwc : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
      %2 = pocket.relu %1 : tensor<1x6x6x4xf32>
      %3 = pocket.transpose %2 permutation = [0, 3, 1, 2] : (tensor<1x6x6x4xf32>) -> tensor<1x4x6x6xf32>
      return %3 : tensor<1x4x6x6xf32>
    }
    ```
  }];
  let dependentDialects = ["::pocket::PocketDialect"];
  let statistics = [
    Statistic<"opsConverted", "ops-converted", "Convolutions and pools moved to channels-last">,
    Statistic<"parametersStored", "parameters-stored", "Parameters stored in another order">
  ];
}
#endif
