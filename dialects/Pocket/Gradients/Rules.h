// What the files of derivative rules share.
#ifndef POCKET_GRADIENTS_RULES_H
#define POCKET_GRADIENTS_RULES_H

#include "Pocket/Gradients/Expr.h"
#include "Pocket/IR/Pocket.h"

namespace pocket {

using Cotangents = llvm::ArrayRef<mlir::Value>;
using Needed = llvm::ArrayRef<bool>;
using Values = llvm::SmallVectorImpl<mlir::Value>;

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// a + b, where either may be no value at all.
inline Expr addMaybe(Expr a, Expr b) { return !a ? b : !b ? a : a + b; }

/// 0 .. rank - 1 without `dim`.
inline llvm::SmallVector<int64_t> allDimsBut(int64_t dim, int64_t rank) {
  llvm::SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    if (i != dim)
      dims.push_back(i);
  return dims;
}

} // namespace pocket

#endif // POCKET_GRADIENTS_RULES_H
