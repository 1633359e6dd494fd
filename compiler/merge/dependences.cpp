#include "compiler/merge/dependences.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/kernel_passes/guards.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::merge {
namespace {

using namespace kernel;
using NodeId = std::uint32_t;

constexpr std::size_t kManyEdges = 16;  // beyond it a join takes their place

struct Range {
  std::int64_t first = 0, last = 0;
};
// The elements an access may touch: a box, and the flat positions it spans. Without axes: all of the buffer.
struct Region {
  std::vector<Range> axes;
  Range flat{0, INT64_MAX};
};
bool meet(const Range& a, const Range& b) { return a.first <= b.last && b.first <= a.last; }
bool meet(const Region& a, const Region& b) {
  if (!meet(a.flat, b.flat)) return false;
  if (a.axes.size() != b.axes.size()) return true;
  for (std::size_t axis = 0; axis < a.axes.size(); ++axis) {
    if (!meet(a.axes[axis], b.axes[axis])) return false;
  }
  return true;
}

// Values of index exprs in terms of the loops around them.
class Bounds {
 public:
  void enter(const Stmt& loop) {
    if (loop.value->kind == ExprKind::kConst)
      known_[loop.var] = {0, static_cast<std::int64_t>(loop.value->bits) - 1};
  }
  std::optional<Range> of(const ExprRef& e) const {
    if (e->kind == ExprKind::kConst) {
      const auto value = static_cast<std::int64_t>(e->bits);
      return Range{value, value};
    }
    if (e->kind == ExprKind::kVar) {
      const auto found = known_.find(e->id);
      if (found == known_.end()) return std::nullopt;
      return found->second;
    }
    if (e->kind != ExprKind::kOp || e->args.size() != 2) return std::nullopt;
    const std::optional<Range> a = of(e->args[0]), b = of(e->args[1]);
    if (!a || !b) return std::nullopt;
    if (e->op == ScalarOp::k_add) return Range{a->first + b->first, a->last + b->last};
    if (e->op == ScalarOp::k_sub) return Range{a->first - b->last, a->last - b->first};
    if (e->op != ScalarOp::k_mul) return std::nullopt;
    const auto [low, high] =
        std::minmax({a->first * b->first, a->first * b->last, a->last * b->first, a->last * b->last});
    return Range{low, high};
  }

 private:
  std::unordered_map<VarId, Range> known_;
};

Region region_of(const Buffer& buffer, const std::vector<ExprRef>* index, const Bounds& bounds) {
  Region region;
  if (index == nullptr || index->empty()) return region;
  Range flat;
  for (std::size_t axis = 0; axis < index->size(); ++axis) {
    const std::optional<Range> range = bounds.of((*index)[axis]);
    const Dim& extent = buffer.shape[axis];
    if (!extent.is_constant()) return Region{};
    region.axes.push_back(range ? *range : Range{0, extent.offset - 1});
    flat.first = flat.first * extent.offset + region.axes.back().first;
    flat.last = flat.last * extent.offset + region.axes.back().last;
  }
  region.flat = flat;
  return region;
}

struct Access {
  Region region;
  NodeId node = 0;
};
// What has touched a buffer so far. Accesses stand in ascending order of their flat positions without
// overlap as long as `sorted`.
struct Touches {
  std::vector<Access> accesses;
  bool sorted = true;
  NodeId join = UINT32_MAX;  // of all of them

  void add(Region region, NodeId node) {
    if (!accesses.empty()) {
      const Range& last = accesses.back().region.flat;
      sorted = sorted && last.last < region.flat.first;
    }
    accesses.push_back({std::move(region), node});
    join = UINT32_MAX;
  }
};

class DependenceFinder {
 public:
  DependenceFinder(const Program& program, const Lists& lists)
      : program_(program), lists_(lists), writes_(program.buffers.size()), reads_(program.buffers.size()) {
    const std::size_t count = program.kernels.size();
    graph_.next.resize(count);
    graph_.waiting.resize(count);
  }

  Dependences run() {
    std::vector<NodeId> state_writers, all_checks;
    std::vector<NodeId> checks;  // those since a kernel that waited for checks, or their join
    NodeId last_print = UINT32_MAX;
    for (NodeId k = 0; k < program_.kernels.size(); ++k) {
      const Guards guards = guards_of(program_, program_.kernels[k].body);
      if (guards.guarded) {
        if (checks.size() > 1) checks = {join_of(checks)};
        if (!checks.empty()) depend(checks.front(), k);
      }
      accesses(k);
      if (guards.writes_state) state_writers.push_back(k);
      if (guards.checks) {
        checks.push_back(k);
        all_checks.push_back(k);
      }
      if (guards.prints) depend(std::exchange(last_print, k), k);
    }
    if (!all_checks.empty() && !state_writers.empty()) {
      const NodeId all = join_of(all_checks);
      for (const NodeId k : state_writers) {
        if (!std::binary_search(all_checks.begin(), all_checks.end(), k)) depend(all, k);
      }
    }
    return std::move(graph_);
  }

 private:
  void depend(NodeId on, NodeId node) {
    if (on == UINT32_MAX || on == node) return;
    graph_.next[on].push_back(node);
    ++graph_.waiting[node];
  }
  NodeId join_of(const std::vector<NodeId>& nodes) {
    const NodeId node = new_node();
    for (const NodeId n : nodes) depend(n, node);
    return node;
  }
  NodeId new_node() {
    graph_.next.emplace_back();
    graph_.waiting.push_back(0);
    return static_cast<NodeId>(graph_.waiting.size() - 1);
  }

  void accesses(NodeId k) {
    std::vector<std::pair<BufferId, Region>> reads, writes;
    Bounds bounds;
    for_each_stmt(program_.kernels[k].body, [&](const Stmt& stmt) {
      if (stmt.kind == StmtKind::kFor) bounds.enter(stmt);
      for_each_use_of(stmt, [&](const BufferUse& use) {
        if (const auto list = lists_.arrays.find(use.buffer); list != lists_.arrays.end()) {
          for (const BufferId b : list->second) reads.emplace_back(b, Region{});
          return;
        }
        (use.written ? writes : reads)
            .emplace_back(use.buffer, region_of(program_.buffers[use.buffer], use.index, bounds));
      });
    });
    for (const auto& [buffer, region] : reads) after(writes_[buffer], region, k);
    for (const auto& [buffer, region] : writes) {
      after(writes_[buffer], region, k);
      after(reads_[buffer], region, k);
    }
    for (auto& [buffer, region] : reads) add(reads_[buffer], std::move(region), k);
    for (auto& [buffer, region] : writes) add(writes_[buffer], std::move(region), k);
  }
  static void add(Touches& touches, Region region, NodeId k) {
    const auto& all = touches.accesses;
    if (!all.empty() && all.back().node == k && all.back().region.flat.first == region.flat.first &&
        all.back().region.flat.last == region.flat.last)
      return;
    touches.add(std::move(region), k);
  }

  void after(Touches& touches, const Region& region, NodeId k) {
    auto begin = touches.accesses.begin(), end = touches.accesses.end();
    if (touches.sorted) {
      begin = std::lower_bound(begin, end, region.flat.first, [](const Access& a, std::int64_t first) {
        return a.region.flat.last < first;
      });
      end = std::upper_bound(begin, end, region.flat.last,
                             [](std::int64_t last, const Access& a) { return last < a.region.flat.first; });
    }
    if (static_cast<std::size_t>(end - begin) > kManyEdges) return depend(join_of(touches), k);
    for (auto a = begin; a != end; ++a) {
      if (a->node != k && meet(a->region, region)) depend(a->node, k);
    }
  }
  // One node after all accesses so far. That is more than asked for where only some of many are touched.
  NodeId join_of(Touches& touches) {
    if (touches.join != UINT32_MAX) return touches.join;
    const NodeId node = new_node();
    for (const Access& a : touches.accesses) depend(a.node, node);
    touches.join = node;
    return node;
  }

  const Program& program_;
  const Lists& lists_;
  Dependences graph_;
  std::vector<Touches> writes_, reads_;  // by BufferId
};

}  // namespace

Dependences find_dependences(const Program& program, const Lists& lists) {
  return DependenceFinder(program, lists).run();
}

}  // namespace cohort::merge
