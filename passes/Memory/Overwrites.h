// What an update in place overwrites, and who reads the old value when.
//
// The code generator does not run ops where they stand: it fuses them. Here is
// what that does to an update of an argument `w`:
//
//   - Movements (reshape, transpose, slice, ...) are moved into what uses them,
//     so a read through one happens where its last user stands. One that moves
//     a product's only result is folded into the product, which then runs there.
//   - A computation that is not the root of a loop nest of its own (elementwise,
//     norms) is fused with its first user, so it reads where that one stands.
//   - The update itself is fused into the product or the reduction that makes
//     its gradient, if nothing else needs that: it then runs where that *root*
//     stands, not where the update does.
//
// An update is safe if every read of the old value comes before the place where
// it may run. Elementwise reads by the update's own loop are no danger: they
// read the element that is written next.
#ifndef POCKET_PASSES_MEMORY_OVERWRITES_H
#define POCKET_PASSES_MEMORY_OVERWRITES_H

#include "Pocket/IR/Pocket.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pocket {

/// On a result with an argument's identity: false gives it storage of its own.
inline constexpr llvm::StringLiteral inPlaceAttribute = "pocket.inplace";

/// `pocket.param`, `pocket.buffer`, `pocket.state`: what an argument stands for
/// and which result is its new value.
struct Identity {
  mlir::Attribute param, buffer, state;

  static Identity ofArgument(mlir::func::FuncOp function, unsigned argument);
  /// Nothing for results with a role.
  static Identity ofResult(mlir::func::FuncOp function, unsigned result);
  explicit operator bool() const { return param || buffer || state; }
  bool operator==(const Identity &other) const {
    return param == other.param && buffer == other.buffer && state == other.state;
  }
  /// `parameter "fc.weight"`, for messages.
  std::string describe() const;
};

/// A function's result that takes over an argument's storage.
struct Overwrite {
  mlir::BlockArgument argument;
  unsigned result;
  /// The op whose result it is; null if it is no update of that argument.
  mlir::Operation *update;
  /// False where the result has storage of its own (`pocket.inplace = false`).
  bool inPlace;
};

/// Whether `function` is one block of ops without regions that ends in a
/// return: only there can reads be ordered.
bool isFlat(mlir::func::FuncOp function);

/// The results of a flat `function` that carry an argument's identity. The second of
/// two with one identity, and those without an argument, are left out.
llvm::SmallVector<Overwrite> findOverwrites(mlir::func::FuncOp function);

/// Whether `op` runs where it stands, as products and reductions do.
bool runsInPlace(mlir::Operation *op);

/// A read of an old value: by `reader`, which runs where `place` stands.
struct Read {
  mlir::Operation *reader = nullptr, *place = nullptr;
  explicit operator bool() const { return reader; }
};

/// The read of `argument` that runs last, as far as it can disturb `update`.
Read findLastRead(mlir::BlockArgument argument, mlir::Operation *update);

/// The op where `update` may run: the root it is fused into, or itself.
mlir::Operation *findPlaceOfUpdate(mlir::Operation *update);

/// The read that `overwrite` disturbs, or nothing.
Read findLateRead(const Overwrite &overwrite);

} // namespace pocket

#endif // POCKET_PASSES_MEMORY_OVERWRITES_H
