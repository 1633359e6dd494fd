#include "compiler/placement/min_cut.h"

#include <algorithm>
#include <deque>

#include "compiler/placement/reduce.h"

namespace cohort::placement {
namespace {

class PushRelabel {
 public:
  explicit PushRelabel(const CutGraph& graph)
      : nodes_(static_cast<std::uint32_t>(graph.supply.size())),
        excess_(nodes_, 0),
        to_sink_(nodes_, 0),
        label_(nodes_, 0),
        current_(nodes_, 0) {
    build_arcs(graph);
    for (std::uint32_t v = 0; v < nodes_; ++v)
      (graph.supply[v] > 0 ? excess_[v] : to_sink_[v]) = std::abs(graph.supply[v]);
  }

  Cut run() {
    // Between global relabellings about as much work as some of them take.
    const std::uint64_t pause = 6 * std::uint64_t{nodes_} + arcs_.size();
    relabel_all();
    std::uint64_t last = work_;
    while (!active_.empty()) {
      const std::uint32_t v = active_.front();
      active_.pop_front();
      discharge(v);
      if (work_ - last < pause) continue;
      relabel_all();
      last = work_;
    }
    relabel_all();
    Cut cut;
    cut.on_sink_side.resize(nodes_);
    for (std::uint32_t v = 0; v < nodes_; ++v) cut.on_sink_side[v] = label_[v] <= nodes_;
    cut.work = work_;
    return cut;
  }

 private:
  struct Arc {
    std::uint32_t to = 0, reverse = 0;
    std::int64_t residual = 0;
  };

  void build_arcs(const CutGraph& graph) {
    first_.assign(std::size_t{nodes_} + 1, 0);
    for (const CutArc& arc : graph.arcs) ++first_[arc.from + 1], ++first_[arc.to + 1];
    for (std::uint32_t v = 0; v < nodes_; ++v) first_[v + 1] += first_[v];
    std::vector<std::uint32_t> at(first_.begin(), first_.end() - 1);
    arcs_.resize(first_[nodes_]);
    for (const CutArc& arc : graph.arcs) {
      const std::uint32_t forth = at[arc.from]++, back = at[arc.to]++;
      arcs_[forth] = {arc.to, back, arc.capacity};
      arcs_[back] = {arc.from, forth, arc.back};
    }
  }

  // Labels become the distances to the sink, found backwards from it; beyond nodes_: there is no way.
  void relabel_all() {
    std::fill(label_.begin(), label_.end(), nodes_ + 1);
    active_.clear();
    queue_.clear();
    for (std::uint32_t v = 0; v < nodes_; ++v)
      if (to_sink_[v] > 0) reach(v, 1);
    for (std::size_t q = 0; q < queue_.size(); ++q) {
      const std::uint32_t v = queue_[q];
      for (std::uint32_t a = first_[v]; a < first_[v + 1]; ++a) {
        const std::uint32_t u = arcs_[a].to;
        if (label_[u] > nodes_ && arcs_[arcs_[a].reverse].residual > 0) reach(u, label_[v] + 1);
      }
      work_ += first_[v + 1] - first_[v];
    }
    work_ += nodes_;
  }
  void reach(std::uint32_t v, std::uint32_t label) {
    label_[v] = label;
    current_[v] = first_[v];
    queue_.push_back(v);
    if (excess_[v] > 0) active_.push_back(v);
  }

  void discharge(std::uint32_t v) {
    while (label_[v] <= nodes_) {
      for (; current_[v] < first_[v + 1]; ++current_[v]) {
        ++work_;
        Arc& arc = arcs_[current_[v]];
        if (arc.residual == 0 || label_[arc.to] + 1 != label_[v]) continue;
        push(v, arc);
        if (excess_[v] == 0) return;
      }
      relabel(v);
    }
  }

  void push(std::uint32_t v, Arc& arc) {
    const std::int64_t amount = std::min(excess_[v], arc.residual);
    arc.residual -= amount;
    arcs_[arc.reverse].residual += amount;
    excess_[v] -= amount;
    const std::uint32_t w = arc.to;
    const std::int64_t absorbed = std::min(amount, to_sink_[w]);
    to_sink_[w] -= absorbed;
    if (amount == absorbed) return;
    if (excess_[w] == 0) active_.push_back(w);
    excess_[w] += amount - absorbed;
  }

  // The node has no arc to the sink of its own: that would have taken its excess.
  void relabel(std::uint32_t v) {
    std::uint32_t lowest = nodes_;
    for (std::uint32_t a = first_[v]; a < first_[v + 1]; ++a)
      if (arcs_[a].residual > 0) lowest = std::min(lowest, label_[arcs_[a].to]);
    work_ += first_[v + 1] - first_[v];
    label_[v] = lowest + 1;
    current_[v] = first_[v];
  }

  const std::uint32_t nodes_;
  std::vector<std::int64_t> excess_, to_sink_;  // by node: to_sink_ is what the arc to the sink still takes
  std::vector<std::uint32_t> label_;            // by node: at most the distance to the sink
  std::vector<std::uint32_t> first_, current_;  // by node: its arcs, and the next one to look at
  std::vector<Arc> arcs_;
  std::deque<std::uint32_t> active_;  // nodes with excess
  std::vector<std::uint32_t> queue_;
  std::uint64_t work_ = 0;
};

}  // namespace

Cut min_cut(const CutGraph& graph) {
  const Reduction reduction(graph);
  Cut cut = PushRelabel(reduction.core()).run();
  cut.on_sink_side = reduction.extended(cut.on_sink_side);
  cut.work += reduction.work();
  return cut;
}

}  // namespace cohort::placement
