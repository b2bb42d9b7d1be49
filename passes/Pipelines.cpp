// The named pipelines: the way from @forward to what the code generator takes.
#include "Pocket/IR/Pocket.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Autodiff/Passes.h"
#include "passes/Layout/Passes.h"
#include "passes/Lowering/Passes.h"
#include "passes/Memory/Passes.h"
#include "passes/Register.h"
#include "passes/Updates/Passes.h"

void pocket::registerPassesAndPipelines() {
  registerPocketAutodiffPasses();
  registerPocketUpdatesPasses();
  registerPocketMemoryPasses();
  registerPocketLayoutPasses();
  registerPocketLoweringPasses();
}
