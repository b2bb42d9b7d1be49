#ifndef POCKET_PASSES_BACKWARD
#define POCKET_PASSES_BACKWARD
include "mlir/Pass/PassBase.td"

def PruneGradients : Pass<"pocket-prune-gradients", "::mlir::ModuleOp"> {
  let summary = "Compute the gradients of chosen channels only";
  let description = [{
    `pocket-autodiff` takes the trained channels of a whole gradient. This pass
    takes them from the operands instead, through convolutions' weight gradients,
    products, sums, transposes and reshapes that nothing else reads: the products
    shrink, and of the forward pass only the channels are read.

    Before:

    ```mlir
    %dw = pocket.matmul %dy transposed, %x : (tensor<8x4xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %0 = pocket.take_channels %dw <dim = 1, [0 to 4]> : (tensor<4x16xf32>) -> tensor<4x4xf32>
    ```

    After:

    ```mlir
    %0 = pocket.take_channels %x <dim = 1, [0 to 4]> : (tensor<8x16xf32>) -> tensor<8x4xf32>
    %dw = pocket.matmul %dy transposed, %0 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    ```

    Of a convolution in groups only whole groups of a depthwise one are taken; other
    gradients are computed as a whole and then cut.
  }];
  let dependentDialects = ["::pocket::PocketDialect"];
  let statistics = [Statistic<"numTaken", "taken-earlier", "Ops that now compute some channels only">];
}

def SaveActivations : Pass<"pocket-save-activations", "::mlir::ModuleOp"> {
  let summary = "Choose the fewest bytes that the forward pass keeps for the backward pass";
  let description = [{
    Between the two passes stand computations that depend on no gradient but serve
    gradients only: whether a ReLU let an element through, some channels of an
    activation. They can run in the forward pass, and what they make is kept, or in
    the backward pass, and what they read is kept. A minimum cut chooses, over the
    whole step, what costs the fewest bytes; nothing of the forward pass is computed
    twice. What it keeps of the former kind becomes `pocket.save`; booleans are
    packed eight to a byte.

    Before (nothing else reads `%y` after the forward pass):

    ```mlir
    %y = pocket.relu %x : tensor<8x64xf32>
    ...
    %off = pocket.compare le %y, %zero : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xi1>
    %dx = pocket.select %off, %zero, %dy : ...
    ```

    After:

    ```mlir
    %y = pocket.relu %x : tensor<8x64xf32>
    %off = pocket.compare le %y, %zero : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xi1>
    %bits = pocket.pack_bits %off dim = 0 : (tensor<8x64xi1>) -> tensor<1x64xi8>
    %kept = pocket.save %bits : tensor<1x64xi8>
    ...
    %0 = pocket.unpack_bits %kept dim = 0 : (tensor<1x64xi8>) -> tensor<8x64xi1>
    %dx = pocket.select %0, %zero, %dy : ...
    ```

    Max-pools keep the place of each maximum, a byte each. The gradients of hard-swish,
    SiLU, GELU and ELU need the values themselves: of those the input is kept.

    The cut is as in the partitioner of PyTorch's AOTAutograd, without recomputing.
  }];
  let dependentDialects = ["::pocket::PocketDialect"];
  let statistics = [
    Statistic<"numSaved", "saved-values", "Values kept for the backward pass">,
    Statistic<"savedBytesCount", "saved-bytes", "Their bytes">,
    Statistic<"numPacked", "packed-values", "Values kept as bits">
  ];
}

def CountCosts : Pass<"pocket-count-costs", "::mlir::ModuleOp"> {
  let summary = "Count what each layer costs: bytes kept for the backward pass, operations forward and backward";
  let description = [{
    Counts the ops of `@train_step` before its updates and leaves the sums on the module,
    by layer; the statistics are the sums over all layers. A product counts its
    multiplications and additions, any other computation one operation per element
    of its largest tensor, a movement none. Bytes count for the layer whose gradient
    reads them first.

    ```mlir
    module attributes {pocket.costs = {"features.0" =
        {forward_flops = 4096 : i64, gradient_flops = 8192 : i64, saved_bytes = 2048 : i64}}} {
    ```
  }];
  let statistics = [
    Statistic<"savedBytes", "saved-bytes", "Bytes kept for the backward pass">,
    Statistic<"forwardFlops", "forward-flops", "Operations of the forward pass">,
    Statistic<"gradientFlops", "gradient-flops", "Operations of the backward pass">
  ];
}
#endif
