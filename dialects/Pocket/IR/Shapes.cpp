#include "Pocket/IR/Shapes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace pocket {

bool isAddressable(ArrayRef<int64_t> shape) {
  constexpr int64_t limit = int64_t(1) << 40;
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size > limit / elements)
      return false;
    elements *= std::max<int64_t>(size, 1);
  }
  return true;
}

bool isPermutation(ArrayRef<int64_t> numbers) {
  llvm::SmallBitVector seen(numbers.size());
  for (int64_t number : numbers) {
    if (number < 0 || number >= static_cast<int64_t>(numbers.size()) || seen.test(number))
      return false;
    seen.set(number);
  }
  return true;
}

int64_t sumOfSizes(ArrayRef<int64_t> sizes) {
  int64_t sum = 0;
  for (int64_t size : sizes)
    if (llvm::AddOverflow(sum, size, sum))
      return std::numeric_limits<int64_t>::max();
  return sum;
}

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

// Attributes may hold any number: output sizes are computed in twice the width.
__extension__ typedef __int128 Wide;

static int64_t clampToInt64(Wide value) {
  return static_cast<int64_t>(std::min<Wide>(value, std::numeric_limits<int64_t>::max()));
}

/// The places that a dilated window can move by: its last start in the padded input.
static Wide lastStart(Wide size, Wide padding, int64_t kernel, int64_t dilation) {
  return size + padding - Wide(dilation) * (kernel - 1) - 1;
}

int64_t convOutputSize(int64_t size, int64_t kernel, int64_t stride, int64_t paddingLow, int64_t paddingHigh,
                       int64_t dilation) {
  Wide last = lastStart(size, Wide(paddingLow) + paddingHigh, kernel, dilation);
  return last < 0 ? 0 : clampToInt64(last / stride + 1);
}

int64_t poolOutputSize(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
                       bool ceilMode) {
  Wide last = lastStart(size, Wide(padding) * 2, kernel, dilation) + (ceilMode ? stride - 1 : 0);
  if (last < 0)
    return 0;
  Wide out = last / stride + 1;
  if (ceilMode && (out - 1) * stride >= Wide(size) + padding)
    --out;
  return clampToInt64(out);
}

} // namespace pocket
