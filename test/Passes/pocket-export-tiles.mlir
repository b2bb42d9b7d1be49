// RUN: pocket-opt %s --pocket-export-tiles --allow-unregistered-dialect | FileCheck %s
// RUN: pocket-opt %s --pocket-export-tiles --allow-unregistered-dialect | pocket-opt --allow-unregistered-dialect | FileCheck %s

#columns = affine_map<(d0, d1) -> (d1, d0)>
#column = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @columns
// CHECK-NOT: pocket.tiles
// CHECK: compilation_info = #iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<distribution = [64, 0], vector_common_parallel = [64, 0], vector_reduction = [0, 1]>, translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>>
func.func @columns(%x: tensor<8x64xf32>, %zeros: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.generic {indexing_maps = [#columns, #column], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%zeros : tensor<64xf32>)
      attrs = {pocket.tiles = #pocket.tiles<distribution = [64, 0], vector = [64, 0], reduction = [0, 1], pipeline = "DoubleTilingExpert">} {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %out, %in : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

#index = affine_map<(d0, d1) -> (d0)>
#row = affine_map<(d0, d1) -> (d0, d1)>

// The op writes and reads anywhere its indices say: they are held in range.
// CHECK-LABEL: func.func @gather
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: "iree_linalg_ext.gather"(%arg0, %{{.*}}, %arg2) {dimension_map = array<i64: 0>} : (tensor<10x16xf32>, tensor<6xi32>, tensor<6x16xf32>) -> tensor<6x16xf32>
func.func @gather(%w: tensor<10x16xf32>, %i: tensor<6xi64>, %out: tensor<6x16xf32>) -> tensor<6x16xf32> {
  %0 = linalg.generic {indexing_maps = [#index, #row], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<6xi64>) outs(%out : tensor<6x16xf32>) attrs = {pocket.form = "gather_rows"} {
  ^bb0(%in: i64, %o: f32):
    %1 = arith.index_cast %in : i64 to index
    %2 = linalg.index 1 : index
    %3 = tensor.extract %w[%1, %2] : tensor<10x16xf32>
    linalg.yield %3 : f32
  } -> tensor<6x16xf32>
  return %0 : tensor<6x16xf32>
}

#index3 = affine_map<(d0, d1, d2) -> (d2)>
#row3 = affine_map<(d0, d1, d2) -> (d2, d1)>
#table3 = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-LABEL: func.func @scatter
// CHECK: "iree_linalg_ext.scatter"(%arg0, %{{.*}}, %arg2) ({
// CHECK: arith.addf
// CHECK: "iree_linalg_ext.yield"
// CHECK: {dimension_map = array<i64: 0>, unique_indices = false} : (tensor<6x16xf32>, tensor<6x1xi32>, tensor<10x16xf32>) -> tensor<10x16xf32>
func.func @scatter(%dy: tensor<6x16xf32>, %i: tensor<6xi64>, %zeros: tensor<10x16xf32>) -> tensor<10x16xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.generic {indexing_maps = [#index3, #row3, #table3], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%i, %dy : tensor<6xi64>, tensor<6x16xf32>) outs(%zeros : tensor<10x16xf32>) attrs = {pocket.form = "scatter_rows"} {
  ^bb0(%in: i64, %g: f32, %o: f32):
    %1 = linalg.index 0 : index
    %2 = arith.index_cast %1 : index to i64
    %3 = arith.cmpi eq, %in, %2 : i64
    %4 = arith.select %3, %g, %zero : f32
    %5 = arith.addf %o, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<10x16xf32>
  return %0 : tensor<10x16xf32>
}

// A named op, another pipeline, and no reduction among the loops.
// CHECK-LABEL: func.func @named
// CHECK: linalg.copy {compilation_info = #iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<distribution = [8], vector_common_parallel = [4]>, translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<ConvTileAndDecomposeExpert>>>}
// CHECK-SAME: ins(%arg0 : tensor<8xf32>)
func.func @named(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.copy {pocket.tiles = #pocket.tiles<distribution = [8], vector = [4], reduction = [], pipeline = "ConvTileAndDecomposeExpert">} ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// An op without tiles leaves its choice to the code generator.
// CHECK-LABEL: func.func @without
// CHECK-NEXT: linalg.copy ins(%arg0 : tensor<8xf32>)
// CHECK-NEXT: return
func.func @without(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.copy ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
