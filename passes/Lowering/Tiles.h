// The tile sizes that our linalg ops ask of the code generator, in one place.
#ifndef POCKET_PASSES_LOWERING_TILES_H
#define POCKET_PASSES_LOWERING_TILES_H

#include "Pocket/IR/Pocket.h"

namespace pocket {

/// Name of the attribute that holds an op's tiles until `pocket-export-tiles`.
inline constexpr llvm::StringLiteral kTilesName = "pocket.tiles";

/// Marks a linalg op as one that the code generator has a faster op of its own for.
inline constexpr llvm::StringLiteral kFormName = "pocket.form";
/// `result[n, :] = source[index[n], :]`, the source read by tensor.extract.
inline constexpr llvm::StringLiteral kGatherRows = "gather_rows";
/// `result[v, :]` is the sum of the rows n with `index[n] == v`, loops v, column, n.
inline constexpr llvm::StringLiteral kScatterRows = "scatter_rows";

/// A register tile of a product over panels.
struct PanelTiles {
  /// Rows at once, columns of a panel, steps of the inner loop at once.
  int64_t rows, width, inner;
  /// Rows that lie together where the left operand is packed: some tiles of them,
  /// as pieces of a register's width are packed fastest.
  int64_t block;
};

/// Tile choices for a processor with vector registers of `vectorBits`, 0 for a
/// target that chooses its own (a GPU). No tiles (a null attribute) leaves the
/// choice to the code generator.
class Tiles {
public:
  Tiles(mlir::MLIRContext *context, int64_t vectorBits) : context(context), lanes(vectorBits / 32) {}

  /// Whether the target's registers are known, so that tiles are chosen here.
  bool known() const { return lanes != 0; }

  /// Whether a product gains more from panels than their copies cost.
  bool worthPanels(int64_t rows, int64_t columns, int64_t inner) const;
  /// Into how many products one with a long inner loop is cut, and then summed.
  int64_t innerParts(int64_t rows, int64_t columns, int64_t inner) const;
  PanelTiles panelTiles(int64_t rows, int64_t columns, int64_t inner) const;
  /// Loops: `outer` others, blocks of rows (if `blocks`), rows, a panel's columns, the
  /// inner loop.
  TilesAttr panels(const PanelTiles &tile, int64_t outer, bool blocks, int64_t rows) const;

  /// A dense convolution's `[samples, rows, columns, filters]` from a filter `[rows,
  /// columns, channels, filters]`; loops the output's, then the filter's first three.
  TilesAttr convolution(llvm::ArrayRef<int64_t> output, llvm::ArrayRef<int64_t> filter) const;

  /// `[batch, rows, cols] -> [batch, cols]`, loops (batch,) cols, rows.
  TilesAttr columnSum(int64_t batch, int64_t rows, int64_t cols) const;
  /// `[rows, cols] -> [rows]`, loops rows, cols.
  TilesAttr rowSum(int64_t rows, int64_t cols) const;
  /// Nine sums along the rows of `[batch, rows, columns, channels]`, loops batch,
  /// rows, channels, columns.
  TilesAttr depthwiseTaps(int64_t rows, int64_t channels) const;

private:
  mlir::MLIRContext *context;
  int64_t lanes;
};

} // namespace pocket

#endif // POCKET_PASSES_LOWERING_TILES_H
