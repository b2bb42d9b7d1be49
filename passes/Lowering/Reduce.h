// Sums, maxima and minima over dimensions, in the forms that compile to fast loops.
#ifndef POCKET_PASSES_LOWERING_REDUCE_H
#define POCKET_PASSES_LOWERING_REDUCE_H

#include "passes/Lowering/Scalar.h"
#include "passes/Lowering/Tiles.h"

namespace pocket {

enum class Join { Sum, Max, Min };

/// A tensor seen as `[outer, size, inner]`: what is before, at and after the
/// reduced dimensions.
struct View {
  int64_t outer = 1, size = 1, inner = 1;
};
View viewAround(llvm::ArrayRef<int64_t> shape, int64_t firstDim, int64_t lastDim);

/// Joins the elements over `dims`.
mlir::Value reduce(Emit &e, mlir::Value input, llvm::ArrayRef<int64_t> dims, bool keepDims, Join join,
                   const Tiles &tiles);

/// What an input of a joint reduction over `[outer, size, inner]` has a value
/// for: every element, every result `[outer, inner]`, every reduced position
/// `[size]`, every outer `[outer]` or inner `[inner]` position, or one `[]`.
enum class Along { All, Results, Size, Outer, Inner, Scalar };
struct Term {
  mlir::Value value;
  Along along = Along::All;
};

/// Several reductions in one pass. `terms` gives the element that each result
/// joins, of the inputs' elements. Inputs have the shapes that `Along` tells,
/// without the dimensions of size 1 that `view` has; results are `[outer,
/// inner]` likewise.
llvm::SmallVector<mlir::Value>
reduceTogether(Emit &e, View view, llvm::ArrayRef<Term> inputs, llvm::ArrayRef<Join> joins, mlir::Type element,
               llvm::function_ref<llvm::SmallVector<Scalar>(llvm::ArrayRef<Scalar>)> terms, const Tiles &tiles);

/// Elementwise over `view`, with the same kinds of inputs.
mlir::Value mapView(Emit &e, View view, llvm::ArrayRef<Term> inputs, mlir::Type element,
                    llvm::function_ref<Scalar(llvm::ArrayRef<Scalar>)> formula);

/// `value` in the shape of the view: `[outer, size, inner]` without those of size 1.
mlir::Value toView(Emit &e, mlir::Value value, View view);
llvm::SmallVector<int64_t> viewShape(View view, Along along = Along::All);

} // namespace pocket

#endif // POCKET_PASSES_LOWERING_REDUCE_H
