// Shape rules shared by verifiers, inference, gradients and lowering.
#ifndef POCKET_IR_SHAPES_H
#define POCKET_IR_SHAPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/ValueRange.h"
#include "mlir/Support/LLVM.h"
#include <optional>

namespace pocket {

/// Whether a static shape has at most 2^40 elements, counting empty dimensions as 1.
bool isAddressable(llvm::ArrayRef<int64_t> shape);

/// Whether every number below the length stands there once. (Upstream's
/// isPermutationVector asserts on some numbers.)
bool isPermutation(llvm::ArrayRef<int64_t> numbers);

/// The sum of sizes, or the largest integer where that overflows.
int64_t sumOfSizes(llvm::ArrayRef<int64_t> sizes);

/// The value's type if it is a tensor of static shape, else null.
mlir::RankedTensorType staticTensor(mlir::Value value);

/// The common shape of numpy broadcasting, or nothing where shapes disagree.
std::optional<llvm::SmallVector<int64_t>> broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// Appends the broadcast type of `values` (with their element type, or
/// `element` where it is given), or reports why there is none.
llvm::LogicalResult inferBroadcast(std::optional<mlir::Location> location, mlir::ValueRange values,
                                   mlir::Type element, llvm::SmallVectorImpl<mlir::Type> &types);

/// "2x3x4", for messages.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// The rows and columns of a convolution or pool, whatever its layout is.
struct Spatial {
  int64_t batch, channels, height, width;
};
Spatial spatial(mlir::RankedTensorType type, bool nhwc);
llvm::SmallVector<int64_t> spatialShape(Spatial s, bool nhwc);

/// Output size along one dimension of a convolution; 0 where the kernel does not fit.
int64_t convOutputSize(int64_t size, int64_t kernel, int64_t stride, int64_t paddingLow, int64_t paddingHigh,
                       int64_t dilation);

/// Output size along one dimension of a pool as PyTorch counts it: with
/// `ceilMode` the last window must start inside the input or its left padding.
int64_t poolOutputSize(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceilMode);

} // namespace pocket

#endif // POCKET_IR_SHAPES_H
