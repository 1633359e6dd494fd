// The minimum s-t cut of a graph whose nodes have a capacity from the source or to the sink: what reduce.h
// leaves is solved by pushing and relabelling (Goldberg and Tarjan 1988; first in, first out, with global
// relabelling as in Cherkassky and Goldberg, "On implementing the push-relabel method for the maximum flow
// problem", 1997). A cut needs only the first phase: what cannot reach the sink any more is not sent back.
#pragma once

#include <cstdint>
#include <vector>

namespace cohort::placement {

struct CutArc {
  std::uint32_t from = 0, to = 0;
  std::int64_t capacity = 0;  // cut where `from` is on the source's side and `to` on the sink's
  std::int64_t back = 0;      // cut where it is the other way round
};
struct CutGraph {
  // By node: a positive number is the capacity from the source, a negative one that to the sink.
  std::vector<std::int64_t> supply;
  std::vector<CutArc> arcs;
};
// A capacity that no minimum cut pays, if the others together are no more.
inline constexpr std::int64_t kUncuttable = std::int64_t{1} << 61;

struct Cut {
  // Of all minimum cuts the one with the fewest nodes on the sink's side, which is unique.
  std::vector<bool> on_sink_side;  // by node
  std::uint64_t work = 0;          // arcs looked at: what the time is made of
};
// The sum of all finite capacities must be less than kUncuttable.
Cut min_cut(const CutGraph& graph);

}  // namespace cohort::placement
