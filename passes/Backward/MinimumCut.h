// The cheapest values that separate a source from a sink.
#ifndef POCKET_PASSES_BACKWARD_MINIMUMCUT_H
#define POCKET_PASSES_BACKWARD_MINIMUMCUT_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"

namespace pocket {

/// A minimum vertex cut, by the augmenting paths of Edmonds and Karp (1972): each
/// value is a pair of vertices with an edge of its cost between them.
class MinimumCut {
public:
  MinimumCut();

  /// The node of `value`; `cost` counts when it is asked for first.
  unsigned getNode(mlir::Value value, int64_t cost);
  void connectToSource(unsigned node);
  void connectToSink(unsigned node);
  /// What flows through `from` flows on through `to`.
  void connect(unsigned from, unsigned to);

  /// The values of the cut, in the order they were added. Of several cheapest cuts
  /// it is the one next to the source.
  llvm::SmallVector<mlir::Value> compute();

private:
  struct Edge {
    unsigned to;
    int64_t capacity;
  };

  void addEdge(unsigned from, unsigned to, int64_t capacity);
  /// Sends flow along a shortest path; false where there is none.
  bool augment();
  /// For every vertex the edge that it is reached by from the source; -1 where it is not.
  llvm::SmallVector<int64_t> reach() const;

  static constexpr unsigned source = 0, sink = 1;
  /// Edge 2i + 1 is the way back of edge 2i.
  llvm::SmallVector<Edge> edges;
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> outgoing;
  llvm::MapVector<mlir::Value, unsigned> nodes;
};

} // namespace pocket

#endif // POCKET_PASSES_BACKWARD_MINIMUMCUT_H
