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

bool Tiles::worthPanels(int64_t rows, int64_t columns, int64_t inner) const {
  // Fewer rows read a panel too seldom to pay for its copy; the more so where the
  // copy leaves the cache.
  constexpr int64_t cached = 1 << 18;
  int64_t fewest = inner * columns <= cached ? 16 : 48;
  return lanes != 0 && rows >= fewest && inner >= lanes && (columns % lanes == 0 || columns > 4 * lanes);
}

/// Rows of a product's register tile: two registers of columns each, which leaves
/// three for the operands. x86 has 16 vector registers up to AVX2, 32 since; ARM has 32.
static int64_t mostRows(int64_t lanes) { return ((lanes == 8 ? 16 : 32) - 3) / 2; }

/// The most rows that divide `rows`, unless they make a tile so flat that it waits
/// for memory; else 0.
static int64_t rowsOf(int64_t rows, int64_t most) {
  for (int64_t tile = most; 2 * tile >= most; --tile)
    if (rows % tile == 0)
      return tile;
  return 0;
}

/// Steps of an inner loop at once.
static int64_t innerOf(int64_t inner) { return powerOfTwoDivisor(inner, 4); }

int64_t Tiles::innerParts(int64_t rows, int64_t columns, int64_t inner) const {
  // Pieces of some hundred steps. A large result is shared between threads as it is,
  // and its parts would cost memory; nor may they exceed what they are computed from.
  constexpr int64_t longest = 1024, largest = 1 << 16;
  int64_t parts = 1;
  while (lanes != 0 && rows * columns <= largest && inner / parts > longest && inner % (2 * parts) == 0 &&
         4 * parts * rows * columns <= (rows + columns) * inner)
    parts *= 2;
  return parts;
}

PanelTiles Tiles::panelTiles(int64_t rows, int64_t columns, int64_t inner) const {
  bool narrow = columns % (2 * lanes) && columns % lanes == 0;
  int64_t most = mostRows(lanes) * (narrow ? 4 : 3) / 3;
  int64_t tile = rowsOf(rows, most);
  if (!tile)
    tile = (most / 2 + 3) / 4 * 4;
  int64_t block = std::max<int64_t>(1, lanes / tile) * tile;
  // More than one block: a loop of one turn is folded away, and the tiles with it.
  return {tile, narrow ? lanes : 2 * lanes, innerOf(inner), rows % block || rows == block ? tile : block};
}

TilesAttr Tiles::convolution(ArrayRef<int64_t> output, ArrayRef<int64_t> filter) const {
  // A loop of one turn (one sample, a kernel of one row) is folded away by the code
  // generator, and the tiles with it.
  bool folds = output[0] == 1 || output[1] == 1 || filter[0] == 1 || filter[1] == 1 || filter[2] == 1;
  if (lanes == 0 || folds || output[3] % (2 * lanes))
    return {};
  int64_t tile = rowsOf(output[2], mostRows(lanes));
  if (tile < 4)
    return {};
  return TilesAttr::get(context, {1, output[1], output[2], 2 * lanes, 0, 0, 0}, {1, 1, tile, 2 * lanes, 0, 0, 0},
                        {0, 0, 0, 0, 1, 1, filter[2] <= 4 ? filter[2] : innerOf(filter[2])},
                        "ConvTileAndDecomposeExpert");
}

TilesAttr Tiles::panels(const PanelTiles &tile, int64_t outer, bool blocks, int64_t rows) const {
  // Workgroups of some hundred rows: enough of them for several threads, and each
  // reads its panel often.
  constexpr int64_t most = 256;
  int64_t piece = blocks ? tile.block : tile.rows;
  int64_t turns = llvm::divideCeil(rows, piece), group = 1;
  for (int64_t n = 1; n <= turns && n * piece <= most; ++n)
    if (turns % n == 0)
      group = n;
  SmallVector<int64_t> distribution(outer, 1), vector(outer, 1), reduction(outer, 0);
  if (blocks) {
    distribution.push_back(group);
    vector.push_back(1);
    reduction.push_back(0);
  }
  distribution.append({blocks ? piece : group * piece, tile.width, 0});
  vector.append({tile.rows, tile.width, 0});
  reduction.append({0, 0, tile.inner});
  return TilesAttr::get(context, distribution, vector, reduction, kPipeline);
}

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
