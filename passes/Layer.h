// The layer of the user's model that an op belongs to.
#ifndef POCKET_PASSES_LAYER_H
#define POCKET_PASSES_LAYER_H

#include "mlir/IR/Location.h"

namespace pocket {

/// The module path that a location carries ("features.3.conv"), or nothing.
inline llvm::StringRef layerOf(mlir::Location location) {
  llvm::StringRef path;
  location->walk([&](mlir::Location inner) {
    auto name = llvm::dyn_cast<mlir::NameLoc>(inner);
    if (!name)
      return mlir::WalkResult::advance();
    path = name.getName();
    return mlir::WalkResult::interrupt();
  });
  return path;
}

} // namespace pocket

#endif // POCKET_PASSES_LAYER_H
