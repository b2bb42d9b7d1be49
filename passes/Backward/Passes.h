#ifndef POCKET_PASSES_BACKWARD_PASSES_H
#define POCKET_PASSES_BACKWARD_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pocket {
#define GEN_PASS_DECL
#include "passes/Backward/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Backward/Passes.h.inc"
} // namespace pocket

#endif // POCKET_PASSES_BACKWARD_PASSES_H
