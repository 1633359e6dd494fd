// Makes a cut problem smaller without changing its answer: nodes with at most two neighbours are eliminated
// one after the other, as in series and parallel circuits. Chains, trees and whatever else is made of forks
// that meet again vanish completely; what is left has only nodes with three neighbours and more.
//
//   x ⇄ v ⇄ y   ⇒   x ⇄ y     the arc and the supplies of x and y say what the best choice for v costs
#pragma once

#include <vector>

#include "compiler/placement/min_cut.h"

namespace cohort::placement {

class Reduction {
 public:
  explicit Reduction(const CutGraph& graph);

  // What is left, with its nodes numbered anew.
  CutGraph core() const;
  // The minimum cut of the whole from that of the core: fewest nodes on the sink's side again.
  std::vector<bool> extended(const std::vector<bool>& core_on_sink_side) const;
  std::uint64_t work() const { return work_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Edge {
    std::uint32_t ends[2] = {0, 0};
    std::int64_t capacity[2] = {0, 0};       // [0]: cut where ends[0] is on the source's side; [1]: ends[1]
    std::uint32_t next[2] = {kNone, kNone};  // in the lists of the ends
  };
  // A node's capacities to and from one neighbour.
  struct Neighbour {
    std::uint32_t node = kNone;
    std::int64_t in = 0, out = 0;  // to the node eliminated, and from it
  };
  struct Eliminated {
    std::uint32_t node = 0;
    std::int64_t supply = 0;
    Neighbour neighbours[2];
  };

  void connect(std::uint32_t u, std::uint32_t v, std::int64_t forth, std::int64_t back);
  void eliminate(std::uint32_t v);
  void settle(std::uint32_t node);

  std::vector<std::int64_t> supply_;  // by node, as CutGraph's
  std::vector<std::uint32_t> first_;  // by node: its list of edges; those to eliminated nodes count no more
  std::vector<std::uint32_t> degree_;
  std::vector<bool> gone_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> waiting_;  // nodes that may have few enough neighbours
  std::vector<Eliminated> eliminated_;
  std::uint64_t work_ = 0;
};

}  // namespace cohort::placement
