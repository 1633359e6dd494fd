#include "compiler/placement/problem.h"

#include <algorithm>
#include <cmath>

#include "compiler/placement/min_cut.h"
#include "ir/diagnostics.h"

namespace cohort::placement {
namespace {

// All that may be on the side, other clusters where they must be.
Sides all_on(const Problem& problem, Side side) {
  Sides sides;
  for (const Cluster& cluster : problem.clusters) {
    const bool fixed = cluster.allowed != Allowed::kBoth;
    sides.push_back(!fixed ? side : cluster.allowed == Allowed::kGpu ? Side::kGpu : Side::kCpu);
  }
  return sides;
}

// All that may be on the GPU, and the state that any of it touches.
Sides all_on_gpu(const Problem& problem) {
  Sides sides = all_on(problem, Side::kGpu);
  const auto is_free_state = [&](std::uint32_t c) {
    return problem.clusters[c].state && problem.clusters[c].allowed == Allowed::kBoth;
  };
  const Sides all = sides;
  for (std::uint32_t c = 0; c < sides.size(); ++c)
    if (is_free_state(c)) sides[c] = Side::kCpu;
  for (const Value& value : problem.values) {
    for (const std::uint32_t reader : value.readers) {
      for (const auto& [state, toucher] : {std::pair{value.producer, reader}, {reader, value.producer}})
        if (is_free_state(state) && !problem.clusters[toucher].state && all[toucher] == Side::kGpu)
          sides[state] = Side::kGpu;
    }
  }
  return sides;
}

// The rule of Theano's and PyTensor's GraphToGPU: state lives on the GPU; forwards, what has any input there
// goes there; then backwards, what is taken by clusters of the GPU alone.
Sides greedy(const Problem& problem) {
  std::vector<std::vector<std::uint32_t>> inputs(problem.clusters.size()), outputs(problem.clusters.size());
  for (std::uint32_t v = 0; v < problem.values.size(); ++v) {
    outputs[problem.values[v].producer].push_back(v);
    for (const std::uint32_t reader : problem.values[v].readers) inputs[reader].push_back(v);
  }
  Sides sides = all_on(problem, Side::kCpu);
  const auto movable = [&](std::size_t c) {
    return problem.clusters[c].allowed == Allowed::kBoth && sides[c] == Side::kCpu;
  };
  for (std::size_t c = 0; c < sides.size(); ++c)
    if (problem.clusters[c].state && movable(c)) sides[c] = Side::kGpu;
  for (std::size_t c = 0; c < sides.size(); ++c) {
    const auto on_gpu = [&](std::uint32_t v) { return sides[problem.values[v].producer] == Side::kGpu; };
    if (movable(c) && std::any_of(inputs[c].begin(), inputs[c].end(), on_gpu)) sides[c] = Side::kGpu;
  }
  for (std::size_t c = sides.size(); c-- > 0;) {
    bool any = false, all = true;
    for (const std::uint32_t v : outputs[c]) {
      for (const std::uint32_t reader : problem.values[v].readers) {
        any = true;
        all = all && sides[reader] == Side::kGpu;
      }
    }
    if (movable(c) && any && all) sides[c] = Side::kGpu;
  }
  return sides;
}

// The source's side is the CPU. A value with several readers has two more nodes, each with one arc that is
// cut at most once whatever the readers are: `up` leads to the readers, and from them the way leads to
// `down`.
//
//   producer ─up─▶ (up) ─∞─▶ reader        reader ─∞─▶ (down) ─down─▶ producer
//
// What is fixed is no node: arcs to it and from it are supplies of their other ends.
class CutBuilder {
 public:
  explicit CutBuilder(const Problem& problem) : clusters_(problem.clusters) {
    double sum = 0;
    for (const Cluster& cluster : clusters_) {
      node_.push_back(cluster.allowed == Allowed::kBoth ? node(cluster.gpu - cluster.cpu) : kNone);
      sum += static_cast<double>(cluster.cpu) + static_cast<double>(cluster.gpu);
    }
    for (const Value& value : problem.values) {
      sum += static_cast<double>(value.up + value.down) * static_cast<double>(value.readers.size());
      add(value);
    }
    require(sum < static_cast<double>(kUncuttable), "times fit the numbers in which they are added");
  }
  const CutGraph& graph() const { return graph_; }
  std::uint32_t node_of(std::size_t cluster) const { return node_[cluster]; }
  static constexpr std::uint32_t kNone = UINT32_MAX;

 private:
  std::uint32_t node(Ticks supply) {
    graph_.supply.push_back(supply);
    return static_cast<std::uint32_t>(graph_.supply.size() - 1);
  }
  bool is_fixed(std::uint32_t cluster, Side side) const {
    return clusters_[cluster].allowed == (side == Side::kCpu ? Allowed::kCpu : Allowed::kGpu);
  }

  void add(const Value& value) {
    if (value.readers.size() == 1) return one_reader(value.producer, value.readers[0], value.up, value.down);
    const auto any_fixed = [&](Side side) {
      return std::any_of(value.readers.begin(), value.readers.end(),
                         [&](std::uint32_t r) { return is_fixed(r, side); });
    };
    // Where a reader is fixed on the other side, the others do not matter.
    if (any_fixed(Side::kGpu))
      from_producer(value, value.up, 0);
    else if (value.up > 0 && !is_fixed(value.producer, Side::kGpu) && !value.readers.empty())
      several_readers(value, true);
    if (any_fixed(Side::kCpu))
      from_producer(value, 0, value.down);
    else if (value.down > 0 && !is_fixed(value.producer, Side::kCpu) && !value.readers.empty())
      several_readers(value, false);
  }

  void one_reader(std::uint32_t producer, std::uint32_t reader, Ticks up, Ticks down) {
    const std::uint32_t p = node_[producer], r = node_[reader];
    if (p != kNone && r != kNone) {
      graph_.arcs.push_back({p, r, up, down});
    } else if (r != kNone) {
      graph_.supply[r] += is_fixed(producer, Side::kCpu) ? up : -down;
    } else if (p != kNone) {
      graph_.supply[p] += is_fixed(reader, Side::kCpu) ? down : -up;
    }
  }
  // The value is wanted on both sides or on the other one in any case: on the GPU it costs `down`, on the CPU
  // `up`.
  void from_producer(const Value& value, Ticks up, Ticks down) {
    if (node_[value.producer] != kNone) graph_.supply[node_[value.producer]] += down - up;
  }
  void several_readers(const Value& value, bool upwards) {
    const std::uint32_t p = node_[value.producer];
    const Ticks price = upwards ? value.up : value.down;
    const std::uint32_t between = node(p != kNone ? 0 : upwards ? price : -price);
    if (p != kNone)
      graph_.arcs.push_back(upwards ? CutArc{p, between, price, 0} : CutArc{between, p, price, 0});
    for (const std::uint32_t reader : value.readers) {
      const std::uint32_t r = node_[reader];
      if (r == kNone) continue;  // on the producer's side, or it would have been found
      graph_.arcs.push_back(upwards ? CutArc{between, r, kUncuttable, 0}
                                    : CutArc{r, between, kUncuttable, 0});
    }
  }

  const std::vector<Cluster>& clusters_;
  CutGraph graph_;
  std::vector<std::uint32_t> node_;  // by cluster; kNone: it is fixed
};

}  // namespace

Ticks ticks(double ns) {
  constexpr double kMost = 1LL << 42;
  return std::llround(std::clamp(ns * kTicksPerNs, 0.0, kMost));
}

bool crosses(const Value& value, const Sides& sides) {
  return std::any_of(value.readers.begin(), value.readers.end(),
                     [&](std::uint32_t reader) { return sides[reader] != sides[value.producer]; });
}

Cost cost_of(const Problem& problem, const Sides& sides) {
  Cost cost;
  for (std::size_t c = 0; c < problem.clusters.size(); ++c)
    (sides[c] == Side::kCpu ? cost.cpu : cost.gpu) +=
        sides[c] == Side::kCpu ? problem.clusters[c].cpu : problem.clusters[c].gpu;
  for (const Value& value : problem.values) {
    if (!crosses(value, sides)) continue;
    const bool up = sides[value.producer] == Side::kCpu;
    const Ticks price = up ? value.up : value.down;
    cost.transfers += price;
    if (price > 0) ++(up ? cost.uploads : cost.downloads);
  }
  return cost;
}

std::string_view policy_name(Policy policy) {
  constexpr std::string_view kNames[] = {"cpu", "gpu", "greedy", "cut"};
  return kNames[static_cast<int>(policy)];
}

Sides place_by(const Problem& problem, Policy policy, std::uint64_t* work) {
  if (policy == Policy::kGreedy) return greedy(problem);
  if (policy == Policy::kGpu) return all_on_gpu(problem);
  if (policy == Policy::kCpu) return all_on(problem, Side::kCpu);
  const CutBuilder builder(problem);
  const Cut cut = min_cut(builder.graph());
  if (work) *work = cut.work;
  Sides sides = all_on(problem, Side::kCpu);
  for (std::size_t c = 0; c < sides.size(); ++c)
    if (builder.node_of(c) != CutBuilder::kNone && cut.on_sink_side[builder.node_of(c)])
      sides[c] = Side::kGpu;
  return sides;
}

}  // namespace cohort::placement
