#include "compiler/placement/reduce.h"

#include <algorithm>

namespace cohort::placement {
namespace {

std::int64_t add(std::int64_t a, std::int64_t b) { return std::min(a + b, kUncuttable); }

}  // namespace

Reduction::Reduction(const CutGraph& graph)
    : supply_(graph.supply),
      first_(graph.supply.size(), kNone),
      degree_(graph.supply.size(), 0),
      gone_(graph.supply.size(), false) {
  edges_.reserve(graph.arcs.size() + graph.supply.size() / 2);
  for (const CutArc& arc : graph.arcs) connect(arc.from, arc.to, arc.capacity, arc.back);
  for (std::uint32_t v = 0; v < supply_.size(); ++v) settle(v);
  for (std::size_t w = 0; w < waiting_.size(); ++w) {
    const std::uint32_t v = waiting_[w];
    if (!gone_[v]) eliminate(v);
  }
  work_ += supply_.size() + waiting_.size();
}

void Reduction::settle(std::uint32_t node) {
  if (degree_[node] <= 2) waiting_.push_back(node);
}

// Adds to an edge that is there, if it is among the first of either end; otherwise two stand side by side.
void Reduction::connect(std::uint32_t u, std::uint32_t v, std::int64_t forth, std::int64_t back) {
  constexpr int kMostLooks = 8;
  for (int turn = 0; turn < 2; ++turn, std::swap(u, v), std::swap(forth, back)) {
    std::uint32_t e = first_[u];
    for (int look = 0; look < kMostLooks && e != kNone; ++look, ++work_) {
      Edge& edge = edges_[e];
      const int end = edge.ends[1] == u;
      if (edge.ends[1 - end] == v) {
        edge.capacity[end] = add(edge.capacity[end], forth);
        edge.capacity[1 - end] = add(edge.capacity[1 - end], back);
        return;
      }
      e = edge.next[end];
    }
  }
  const auto e = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back({{u, v}, {forth, back}, {first_[u], first_[v]}});
  first_[u] = first_[v] = e;
  ++degree_[u];
  ++degree_[v];
}

// The least cost by the sides of the neighbours x and y (1: the sink's) is
//   g(x, y) = min(out_x x + out_y y, supply + in_x (1 - x) + in_y (1 - y))
//           = g00 + (g11 - g01) x + (g01 - g00) y + (g10 + g01 - g00 - g11) x (1 - y)
// and the last factor is never negative, so it is the capacity of an arc from y to x. The other way round is
// as good; x and y are named so that what cannot be cut is in the arc and not in the supplies.
void Reduction::eliminate(std::uint32_t v) {
  Eliminated made{v, supply_[v], {}};
  int count = 0;
  for (std::uint32_t e = first_[v]; e != kNone;) {
    ++work_;
    const Edge& edge = edges_[e];
    const int end = edge.ends[1] == v;
    e = edge.next[end];
    const std::uint32_t other = edge.ends[1 - end];
    if (gone_[other]) continue;
    int n = 0;
    while (n < count && made.neighbours[n].node != other) ++n;
    if (n == count) made.neighbours[count++].node = other;
    made.neighbours[n].in = add(made.neighbours[n].in, edge.capacity[1 - end]);
    made.neighbours[n].out = add(made.neighbours[n].out, edge.capacity[end]);
    --degree_[other];
  }
  gone_[v] = true;
  auto& [x, y] = made.neighbours;
  const auto least = [&](bool at_x, bool at_y) {
    return std::min((at_x ? x.out : 0) + (at_y ? y.out : 0),
                    made.supply + (at_x ? 0 : x.in) + (at_y ? 0 : y.in));
  };
  if (count == 2 && least(false, true) > least(true, false)) std::swap(x, y);
  if (count > 0)
    supply_[x.node] +=
        count == 1 ? least(true, false) - least(false, false) : least(true, true) - least(false, true);
  if (count == 2) {
    supply_[y.node] += least(false, true) - least(false, false);
    const std::int64_t arc =
        least(true, false) + least(false, true) - least(false, false) - least(true, true);
    if (arc > 0) connect(y.node, x.node, std::min(arc, kUncuttable), 0);
  }
  for (int n = 0; n < count; ++n) settle(made.neighbours[n].node);
  eliminated_.push_back(made);
}

CutGraph Reduction::core() const {
  CutGraph core;
  std::vector<std::uint32_t> number(supply_.size(), kNone);
  for (std::uint32_t v = 0; v < supply_.size(); ++v) {
    if (gone_[v]) continue;
    number[v] = static_cast<std::uint32_t>(core.supply.size());
    core.supply.push_back(supply_[v]);
  }
  for (const Edge& edge : edges_) {
    if (gone_[edge.ends[0]] || gone_[edge.ends[1]]) continue;
    core.arcs.push_back({number[edge.ends[0]], number[edge.ends[1]], edge.capacity[0], edge.capacity[1]});
  }
  return core;
}

std::vector<bool> Reduction::extended(const std::vector<bool>& core_on_sink_side) const {
  std::vector<bool> on_sink_side(supply_.size());
  std::size_t next = 0;
  for (std::uint32_t v = 0; v < supply_.size(); ++v)
    if (!gone_[v]) on_sink_side[v] = core_on_sink_side[next++];
  for (std::size_t i = eliminated_.size(); i-- > 0;) {
    const Eliminated& made = eliminated_[i];
    std::int64_t source = 0, sink = made.supply;
    for (const Neighbour& neighbour : made.neighbours) {
      if (neighbour.node == kNone) continue;
      if (on_sink_side[neighbour.node])
        source += neighbour.out;
      else
        sink += neighbour.in;
    }
    on_sink_side[made.node] = sink < source;
  }
  return on_sink_side;
}

}  // namespace cohort::placement
