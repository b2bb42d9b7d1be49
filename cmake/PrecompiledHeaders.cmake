# MLIR's headers are nine tenths of what a file of ours compiles: 12 of 13
# seconds. They are compiled once, and pocket_precompiled_headers(library) makes
# a library start from there. Only headers that never change with our sources
# stand here.
file(WRITE ${CMAKE_BINARY_DIR}/cmake/Precompiled.cpp "")
add_mlir_library(PocketPrecompiled ${CMAKE_BINARY_DIR}/cmake/Precompiled.cpp PARTIAL_SOURCES_INTENDED
  DISABLE_INSTALL ENABLE_AGGREGATION)
target_precompile_headers(obj.PocketPrecompiled PRIVATE
  <mlir/Bytecode/BytecodeOpInterface.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Utils/IndexingUtils.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/DialectImplementation.h>
  <mlir/IR/Matchers.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Interfaces/FunctionInterfaces.h>
  <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Pass/Pass.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>
  <llvm/ADT/TypeSwitch.h>)

function(pocket_precompiled_headers library)
  target_precompile_headers(obj.${library} REUSE_FROM obj.PocketPrecompiled)
endfunction()
