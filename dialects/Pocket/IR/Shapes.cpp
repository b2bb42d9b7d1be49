#include "Pocket/IR/Shapes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace pocket {

RankedTensorType staticTensor(Value value) {
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

std::optional<SmallVector<int64_t>> broadcastShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> shape(a);
  size_t lead = a.size() - b.size();
  for (auto [i, size] : llvm::enumerate(b)) {
    int64_t &joint = shape[lead + i];
    if (joint == 1)
      joint = size;
    else if (size != 1 && size != joint)
      return std::nullopt;
  }
  return shape;
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os);
  os << ']';
  return text;
}

LogicalResult inferBroadcast(std::optional<Location> location, ValueRange values, Type element,
                             SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape;
  Type common;
  for (Value value : values) {
    RankedTensorType type = staticTensor(value);
    if (!type)
      return emitOptionalError(location, "expects tensors of static shape");
    if (!common)
      common = type.getElementType();
    else if (common != type.getElementType())
      return emitOptionalError(location, "expects operands of one element type, found ", common, " and ",
                               type.getElementType());
    auto joint = broadcastShapes(shape, type.getShape());
    if (!joint)
      return emitOptionalError(location, "cannot broadcast shape ", shapeText(type.getShape()), " with ",
                               shapeText(shape));
    shape = *joint;
  }
  types.push_back(RankedTensorType::get(shape, element ? element : common));
  return success();
}

Spatial spatial(RankedTensorType type, bool nhwc) {
  ArrayRef<int64_t> s = type.getShape();
  return nhwc ? Spatial{s[0], s[3], s[1], s[2]} : Spatial{s[0], s[1], s[2], s[3]};
}

SmallVector<int64_t> spatialShape(Spatial s, bool nhwc) {
  if (nhwc)
    return {s.batch, s.height, s.width, s.channels};
  return {s.batch, s.channels, s.height, s.width};
}

int64_t convOutputSize(int64_t size, int64_t kernel, int64_t stride, int64_t paddingLow, int64_t paddingHigh,
                       int64_t dilation) {
  int64_t span = size + paddingLow + paddingHigh - dilation * (kernel - 1) - 1;
  return span < 0 ? 0 : span / stride + 1;
}

int64_t poolOutputSize(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
                       bool ceilMode) {
  int64_t span = size + 2 * padding - dilation * (kernel - 1) - 1;
  if (span < 0 && !ceilMode)
    return 0;
  int64_t out = (ceilMode && span % stride != 0 && span > 0 ? span / stride + 1 : (span < 0 ? 0 : span / stride)) + 1;
  if (ceilMode && (out - 1) * stride >= size + padding)
    --out;
  return out;
}

} // namespace pocket
