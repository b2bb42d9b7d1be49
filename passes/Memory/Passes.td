#ifndef POCKET_PASSES_MEMORY
#define POCKET_PASSES_MEMORY
include "mlir/Pass/PassBase.td"

def Schedule : Pass<"pocket-schedule", "::mlir::ModuleOp"> {
  let summary = "Run every update as soon as its gradient and the last read of the old value are done";
  let description = [{
    Moves each update up to behind its gradient and behind the last read of what
    it overwrites, so that a gradient lives no longer than it must. All else stays
    in its order, but for one case: the code generator fuses an update into the
    product or reduction that makes its gradient, and where that stands before
    the last read, it is moved behind it (passes/Memory/Overwrites.h).

    An update that no order makes safe, as that of two parameters whose gradients
    read each other, gets storage of its own: its result is marked
    `pocket.inplace = false`.

    Before:

    ```mlir
    %dw = pocket.matmul %g transposed, %x : ...
    %dx = pocket.matmul %g, %w : ...
    %db = pocket.sum %dx dims = [0] : ...
    %new_w = pocket.sgd %w, %dw learning_rate %lr : ...
    %new_b = pocket.sgd %b, %db learning_rate %lr : ...
    ```

    After:

    ```mlir
    %dx = pocket.matmul %g, %w : ...
    %dw = pocket.matmul %g transposed, %x : ...
    %new_w = pocket.sgd %w, %dw learning_rate %lr : ...
    %db = pocket.sum %dx dims = [0] : ...
    %new_b = pocket.sgd %b, %db learning_rate %lr : ...
    ```
  }];
  let dependentDialects = ["::pocket::PocketDialect"];
  let statistics = [
    Statistic<"numMoved", "moved", "Places in the order that hold another op than before">,
    Statistic<"numNotInPlace", "not-in-place", "Updates that got storage of their own">
  ];
}

def VerifyInplace : Pass<"pocket-verify-inplace", "::mlir::ModuleOp"> {
  let summary = "Reject a program that reads a value after an update has overwritten it";
  let description = [{
    A result that carries an argument's identity is written over that argument.
    The pass checks that each such result comes from an update op of that very
    argument, that each update is returned so, once, and that every read of the
    old value comes before the update may run. Where ops run is not where they
    stand: passes/Memory/Overwrites.h says what is assumed of the code generator.
    Results marked `pocket.inplace = false` have storage of their own.

    The program does not change. This one is rejected, for the second product
    would read the new weight:

    ```mlir
    %dw = pocket.matmul %g transposed, %x : ...
    %new_w = pocket.sgd %w, %dw learning_rate %lr : ...
    %dx = pocket.matmul %g, %w : ...
    ```
  }];
  let dependentDialects = ["::pocket::PocketDialect"];
}
#endif
