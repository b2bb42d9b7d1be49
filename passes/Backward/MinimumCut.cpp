#include "passes/Backward/MinimumCut.h"
#include <limits>

using namespace mlir;

namespace pocket {

static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max() / 4;

MinimumCut::MinimumCut() : outgoing(2) {}

void MinimumCut::addEdge(unsigned from, unsigned to, int64_t capacity) {
  outgoing[from].push_back(edges.size());
  edges.push_back({to, capacity});
  outgoing[to].push_back(edges.size());
  edges.push_back({from, 0});
}

/// A node is the first of its two vertices, what flows in; the second follows.
unsigned MinimumCut::getNode(Value value, int64_t cost) {
  auto [known, isNew] = nodes.try_emplace(value, outgoing.size());
  if (isNew) {
    outgoing.resize(outgoing.size() + 2);
    addEdge(known->second, known->second + 1, cost);
  }
  return known->second;
}

void MinimumCut::connectToSource(unsigned node) { addEdge(source, node, kUnlimited); }
void MinimumCut::connectToSink(unsigned node) { addEdge(node + 1, sink, kUnlimited); }
void MinimumCut::connect(unsigned from, unsigned to) { addEdge(from + 1, to, kUnlimited); }

SmallVector<int64_t> MinimumCut::reach() const {
  SmallVector<int64_t> by(outgoing.size(), -1);
  SmallVector<unsigned> queue = {source};
  by[source] = 0;
  for (unsigned i = 0; i < queue.size(); ++i)
    for (unsigned edge : outgoing[queue[i]])
      if (unsigned to = edges[edge].to; edges[edge].capacity > 0 && by[to] < 0) {
        by[to] = edge;
        queue.push_back(to);
      }
  return by;
}

bool MinimumCut::augment() {
  SmallVector<int64_t> by = reach();
  if (by[sink] < 0)
    return false;
  int64_t flow = kUnlimited;
  for (unsigned at = sink; at != source; at = edges[by[at] ^ 1].to)
    flow = std::min(flow, edges[by[at]].capacity);
  for (unsigned at = sink; at != source; at = edges[by[at] ^ 1].to) {
    edges[by[at]].capacity -= flow;
    edges[by[at] ^ 1].capacity += flow;
  }
  return true;
}

SmallVector<Value> MinimumCut::compute() {
  while (augment())
    ;
  SmallVector<int64_t> by = reach();
  SmallVector<Value> cut;
  for (auto [value, node] : nodes)
    if (by[node] >= 0 && by[node + 1] < 0)
      cut.push_back(value);
  return cut;
}

} // namespace pocket
