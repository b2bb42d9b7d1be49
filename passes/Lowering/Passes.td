#ifndef POCKET_PASSES_LOWERING
#define POCKET_PASSES_LOWERING
include "mlir/Pass/PassBase.td"

def Decompose : Pass<"pocket-decompose", "::mlir::ModuleOp"> {
  let summary = "Rewrite attention into matrix products and softmax";
  let description = [{
    Ops that are whole for the sake of their gradient, but are best compiled as
    several others. The probabilities stay a value: the backward pass reads them.

    ```mlir
    %y, %p = pocket.attention %q, %k, %v scale = 5.0e-01 causal : ...
    ```
    becomes
    ```mlir
    %0 = pocket.matmul %q, %k transposed : ...
    %1 = pocket.mul %0, %scale : ...
    %2 = pocket.compare ge %row_numbers, %column_numbers : ...
    %3 = pocket.select %2, %1, %minus_infinity : ...
    %p = pocket.softmax %3 dim = 3 : ...
    %y = pocket.matmul %p, %v : ...
    ```
  }];
  let dependentDialects = ["::pocket::PocketDialect"];
}

def ToLinalg : Pass<"pocket-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower pocket ops to linalg on tensors";
  let description = [{
    Every op becomes `linalg`, `tensor`, `arith` and `math` ops, in the forms that
    compile to fast loops. Where the code generator's own tile sizes are far off,
    the op carries ours as `pocket.tiles`, for `vector-bits` wide registers; see
    `pocket-export-tiles`.

    ```mlir
    %0 = pocket.sum %x dims = [0] : (tensor<1024x64xf32>) -> tensor<64xf32>
    ```
    becomes
    ```mlir
    %0 = linalg.generic {indexing_maps = [(d0, d1) -> (d1, d0), (d0, d1) -> (d0)],
                         iterator_types = ["parallel", "reduction"]}
           ins(%x) outs(%zeros) attrs = {pocket.tiles = #pocket.tiles<...>} {
      ^bb0(%in: f32, %out: f32):
        %1 = arith.addf %out, %in : f32
        linalg.yield %1 : f32
    }
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "256", "Width of the target's vector registers, in bits">
  ];
  let dependentDialects = ["::pocket::PocketDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect", "::mlir::func::FuncDialect"];
}

def ExpandConsumers : Pass<"pocket-expand-consumers", "::mlir::ModuleOp"> {
  let summary = "Compute what follows a product in the shape of its panels";
  let description = [{
    A product over panels yields `[rows, panels, columns]`, joined to `[rows, panels *
    columns]`. The joining stands between it and a bias, an activation or an update,
    which the code generator would otherwise apply to a tile while it is in registers.
    Those elementwise ops move before the joining.

    ```mlir
    %0 = linalg.generic <product> ... -> tensor<64x2x16xf32>
    %1 = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<64x2x16xf32> into tensor<64x32xf32>
    %2 = linalg.generic <add> ins(%1, %bias : tensor<64x32xf32>, tensor<32xf32>) ...
    ```
    becomes
    ```mlir
    %0 = linalg.generic <product> ... -> tensor<64x2x16xf32>
    %1 = tensor.expand_shape %bias [[0, 1]] : tensor<32xf32> into tensor<2x16xf32>
    %2 = linalg.generic <add> ins(%0, %1 : tensor<64x2x16xf32>, tensor<2x16xf32>) ...
    %3 = tensor.collapse_shape %2 [[0], [1, 2]] : tensor<64x2x16xf32> into tensor<64x32xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ExportTiles : Pass<"pocket-export-tiles", "::mlir::ModuleOp"> {
  let summary = "Turn tile sizes into the attribute that IREE's code generator reads";
  let description = [{
    The last pass before IREE. Its attribute is opaque here: what reads the result
    back must allow unregistered dialects. Reads and sums of table rows, which
    `pocket-to-linalg` marks by `pocket.form`, become ops of IREE's.

    ```mlir
    linalg.generic ... attrs = {pocket.tiles = #pocket.tiles<distribution = [64, 0],
        vector = [64, 0], reduction = [0, 1], pipeline = "DoubleTilingExpert">}
    ```
    becomes
    ```mlir
    linalg.generic ... attrs = {compilation_info = #iree_codegen.compilation_info<
        lowering_config = #iree_cpu.lowering_config<distribution = [64, 0],
          vector_common_parallel = [64, 0], vector_reduction = [0, 1]>,
        translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>>}
    ```
  }];
  let statistics = [Statistic<"numExported", "exported", "Number of ops whose tiles were exported">,
                    Statistic<"numReplaced", "replaced", "Number of ops replaced by one of IREE's">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def TieResults : Pass<"pocket-tie-results", "::mlir::ModuleOp"> {
  let summary = "Tell IREE which argument each new value overwrites";
  let description = [{
    A result with an argument's identity (`pocket.param`, `pocket.buffer`,
    `pocket.state`) takes over its storage: `iree.abi.output` on the argument
    names the result. The attributes of our dialect, which IREE does not know, are
    taken away.

    ```mlir
    func.func @train_step(%w: tensor<4xf32> {pocket.param = "w", pocket.needs_grad = true})
        -> (tensor<f32> {pocket.role = "loss"}, tensor<4xf32> {pocket.param = "w"})
    ```
    becomes
    ```mlir
    func.func @train_step(%w: tensor<4xf32> {iree.abi.output = 1 : index}) -> (tensor<f32>, tensor<4xf32>)
    ```
  }];
}
#endif
