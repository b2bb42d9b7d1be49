#include "passes/Lowering/Tiles.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace pocket {

/// The largest power of two up to `limit` that divides `n`.
static int64_t powerOfTwoDivisor(int64_t n, int64_t limit) {
  int64_t size = 1;
  while (2 * size <= limit && n % (2 * size) == 0)
    size *= 2;
  return size;
}

static constexpr StringLiteral kPipeline = "DoubleTilingExpert";

/// Below this many elements a dispatch's own cost is all there is.
static constexpr int64_t kSmall = 2048;

TilesAttr Tiles::columnSum(int64_t batch, int64_t rows, int64_t cols) const {
  // A strip of columns in eight registers runs down all the rows. The code
  // generator's own choice is one register's width; widths that are no power
  // of two, or more than one row at a time, are several times slower.
  if (lanes == 0 || batch * rows * cols < kSmall || cols < 2 * lanes)
    return {};
  int64_t width = powerOfTwoDivisor(cols, 8 * lanes);
  if (width < 2 * lanes)
    width = cols >= 8 * lanes ? 8 * lanes : 2 * lanes;
  if (batch == 1)
    return TilesAttr::get(context, {width, 0}, {width, 0}, {0, 1}, kPipeline);
  return TilesAttr::get(context, {1, width, 0}, {1, width, 0}, {0, 0, 1}, kPipeline);
}

TilesAttr Tiles::rowSum(int64_t rows, int64_t cols) const {
  // A row that its tile does not divide is summed slower than with no tile.
  int64_t width = powerOfTwoDivisor(cols, 8 * lanes);
  if (lanes == 0 || rows * cols < kSmall || width < 2 * lanes)
    return {};
  return TilesAttr::get(context, {8, 0}, {1, 0}, {0, width}, kPipeline);
}

TilesAttr Tiles::depthwiseTaps(int64_t rows, int64_t channels) const {
  // One register of channels for each sum.
  if (lanes == 0 || channels % lanes != 0)
    return {};
  return TilesAttr::get(context, {1, rows, lanes, 0}, {1, 1, lanes, 0}, {0, 0, 0, 1}, kPipeline);
}

} // namespace pocket
