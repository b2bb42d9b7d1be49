// RUN: not pocket-opt %s --pocket-export-tiles 2>&1 | FileCheck %s
// RUN: pocket-opt %s --pocket-export-tiles --allow-unregistered-dialect -o /dev/null

// CHECK: error: makes attributes and ops of IREE's, which this context does not know: run pocket-opt with --allow-unregistered-dialect
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.copy {pocket.tiles = #pocket.tiles<distribution = [4], vector = [4], reduction = [0], pipeline = "DoubleTilingExpert">} ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
