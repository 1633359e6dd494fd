#include "compiler/kernel_passes/independence.h"

#include <algorithm>
#include <map>

#include "compiler/kernel_passes/linear.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

struct Access {
  std::vector<IndexRef> all;
  bool written = false;
  bool ordered = false;  // by something else than atomic stores
};
using Accesses = std::map<BufferId, Access>;

bool lanes_allow(const Stmt& stmt, const LoopVariation& loop) {
  switch (stmt.kind) {
    case StmtKind::kCheck:
    case StmtKind::kAssert:
    case StmtKind::kPrint:
    case StmtKind::kCall:
    case StmtKind::kBarrier:
    case StmtKind::kTransfer:
      return false;
    case StmtKind::kFor:
    case StmtKind::kIf:
      return !varies(stmt.value, loop);
    case StmtKind::kAssign:
      return loop.inside.contains(stmt.var);
    case StmtKind::kAccumulator:
      return !stmt.lanes && stmt.dtype != DType::kBool;  // emitters hold no masks in these
    case StmtKind::kAccumulate:
      return loop.inside.contains(stmt.var) ||
             (!stmt.index.empty() && stmt.index[0]->kind == ExprKind::kVar && stmt.index[0]->id == loop.var);
    case StmtKind::kVar:
      return stmt.dtype != DType::kBool;
    case StmtKind::kStore:
    case StmtKind::kLet:
      return true;
  }
  return false;
}

bool threads_allow(const Stmt& stmt, const LoopVariation& loop) {
  switch (stmt.kind) {
    case StmtKind::kCheck:
      return stmt.index.size() == 3;
    case StmtKind::kAssert:
      return stmt.index.size() == 1;
    case StmtKind::kPrint:
    case StmtKind::kCall:
    case StmtKind::kBarrier:
    case StmtKind::kTransfer:
      return false;
    case StmtKind::kAssign:
    case StmtKind::kAccumulate:
      return loop.inside.contains(stmt.var);
    default:
      return true;
  }
}

bool statements_allow(const std::vector<Stmt>& list, const LoopVariation& loop, Together how,
                      Accesses& accesses) {
  return std::all_of(list.begin(), list.end(), [&](const Stmt& stmt) {
    for_each_use_of(stmt, [&](const BufferUse& use) {
      Access& access = accesses[use.buffer];
      access.all.push_back(use.index);
      access.written = access.written || use.written;
      access.ordered = access.ordered || !use.written || stmt.op == ScalarOp::kNone;
    });
    const bool allowed = how == Together::kLanes ? lanes_allow(stmt, loop) : threads_allow(stmt, loop);
    return allowed && statements_allow(stmt.body, loop, how, accesses) &&
           statements_allow(stmt.else_body, loop, how, accesses);
  });
}

// What flat accesses of one iteration reach: factor * (the loop's variable) + something from low to high, but
// for multiples of factor * extent.
struct Window {
  ExprRef factor, low, high;
};

bool certainly_natural(const ExprRef& expr) {  // extents are never negative
  const Linear linear = decompose(expr);
  return std::all_of(linear.terms.begin(), linear.terms.end(),
                     [](const Term& t) { return !t.atom && t.constant > 0; });
}

class FlatAccesses {
  static constexpr int kMaxDepth = 8;  // of lets within lets

 public:
  FlatAccesses(const Stmt& loop, const LoopVariation& variation)
      : extent_(loop.value), variation_(variation) {
    for_each_stmt(loop.body, [&](const Stmt& s) {
      if (s.kind == StmtKind::kFor) extents_.emplace(s.var, s.value);
    });
  }

  // Whether the windows of different iterations never meet.
  bool lie_apart(const Buffer& buffer, const std::vector<IndexRef>& accesses) const {
    if (!buffer.row_starts.empty()) return lie_in_rows(buffer, accesses);
    constexpr std::size_t kMaxWindows = 8;
    std::vector<Window> windows;
    for (const IndexRef access : accesses) {
      const std::optional<Window> window = access ? window_of((*access)[0]) : std::nullopt;
      if (!window) return false;
      const auto same = [&](const Window& w) {
        return equal(w.factor, window->factor) && equal(w.low, window->low) && equal(w.high, window->high);
      };
      if (std::none_of(windows.begin(), windows.end(), same)) windows.push_back(*window);
      if (windows.size() > kMaxWindows) return false;
    }
    return std::all_of(windows.begin(), windows.end(), [&](const Window& a) {
      return std::all_of(windows.begin(), windows.end(), [&](const Window& b) {
        return equal(a.factor, b.factor) && certainly_natural(a.factor - constant_index(1) - a.high + b.low);
      });
    });
  }

 private:
  // Whether each iteration keeps to the row of its own number, see Note [merged storage] in ir/kernel.h.
  bool lie_in_rows(const Buffer& buffer, const std::vector<IndexRef>& accesses) const {
    const auto is_own_row = [&](const Term& t) {
      return t.constant == 1 && t.dims.empty() && t.atom && t.atom->kind == ExprKind::kLoad &&
             t.atom->id == buffer.row_table && t.atom->args[0]->kind == ExprKind::kVar &&
             t.atom->args[0]->id == variation_.var;
    };
    return std::all_of(accesses.begin(), accesses.end(), [&](IndexRef access) {
      if (!access) return false;
      const Linear linear = decompose(expanded((*access)[0], kMaxDepth));
      return std::count_if(linear.terms.begin(), linear.terms.end(), is_own_row) == 1;
    });
  }

  // Lets of the body replaced by what they stand for.
  ExprRef expanded(const ExprRef& expr, int depth) const {
    return rewrite(expr, [&](const ExprRef& e) -> ExprRef {
      if (e->kind != ExprKind::kVar || e->dtype != DType::kI64 || depth == 0) return e;
      const auto found = variation_.lets.find(e->id);
      return found == variation_.lets.end() ? e : expanded(found->second, depth - 1);
    });
  }

  std::optional<Window> window_of(const ExprRef& index) const {
    const Linear linear = decompose(expanded(index, kMaxDepth));
    const std::optional<Linear> factor = factor_of(linear, variation_.var);
    if (!factor) return std::nullopt;
    Window window{compose(*factor), constant_index(0), constant_index(0)};
    const Linear whole = multiply(*factor, decompose(extent_));
    for (const Term& term : linear.terms) {
      const bool own = term.atom && term.atom->kind == ExprKind::kVar && term.atom->id == variation_.var;
      if (own || is_multiple(term, whole)) continue;
      const ExprRef step = compose({{{term.constant, term.dims, nullptr}}});
      ExprRef low = step, high = step;
      if (term.atom && is_outside(term.atom)) {
        low = high = term.atom * step;
      } else if (term.atom) {
        const auto inner = term.atom->kind == ExprKind::kVar ? extents_.find(term.atom->id) : extents_.end();
        if (inner == extents_.end() || !is_outside(inner->second)) return std::nullopt;
        const ExprRef last = (inner->second - constant_index(1)) * step;
        low = term.constant > 0 ? constant_index(0) : last;
        high = term.constant > 0 ? last : constant_index(0);
      }
      window.low = window.low + low;
      window.high = window.high + high;
    }
    return window;
  }

  // Whether a term is `whole` times an integer. Where `whole` is what the loop covers, factor * extent, such
  // terms tell nothing: equal elements are equal without them, modulo `whole`, and there the loop goes round
  // once at most.
  static bool is_multiple(const Term& term, const Linear& whole) {
    if (whole.terms.size() != 1 || whole.terms[0].atom || term.constant % whole.terms[0].constant != 0)
      return false;
    const std::vector<Dim>& part = whole.terms[0].dims;
    return std::all_of(part.begin(), part.end(), [&](const Dim& d) {
      return std::count(part.begin(), part.end(), d) <= std::count(term.dims.begin(), term.dims.end(), d);
    });
  }

  // The same throughout the loop.
  bool is_outside(const ExprRef& e) const {
    if (e->kind == ExprKind::kVar) return !variation_.inside.contains(e->id);
    if (e->kind == ExprKind::kLoad || e->kind == ExprKind::kFinish) return false;
    return std::all_of(e->args.begin(), e->args.end(), [&](const ExprRef& a) { return is_outside(a); });
  }

  const ExprRef extent_;
  const LoopVariation& variation_;
  std::unordered_map<VarId, ExprRef> extents_;  // of the loops within
};

// Whether a state variable is written and reached through another buffer, too: alone, and as one of many.
bool shares_state(const Program& program, const Accesses& accesses) {
  std::map<std::uint32_t, std::pair<int, bool>> states;  // buffers of each, and whether one is written
  for (const auto& [id, access] : accesses) {
    const Buffer& buffer = program.buffers[id];
    if (buffer.kind != BufferKind::kState) continue;
    const std::vector<std::uint32_t> alone{buffer.index};
    for (const std::uint32_t state : buffer.members.empty() ? alone : buffer.members) {
      ++states[state].first;
      states[state].second = states[state].second || access.written;
    }
  }
  return std::any_of(states.begin(), states.end(),
                     [](const auto& s) { return s.second.first > 1 && s.second.second; });
}

}  // namespace

bool is_independent(const Program& program, const Stmt& loop, const LoopVariation& variation, Together how) {
  Accesses accesses;
  if (!statements_allow(loop.body, variation, how, accesses) || shares_state(program, accesses)) return false;
  const FlatAccesses flat(loop, variation);
  return std::all_of(accesses.begin(), accesses.end(), [&](const auto& entry) {
    if (!entry.second.written || !entry.second.ordered) return true;
    return program.flat ? flat.lie_apart(program.buffers[entry.first], entry.second.all)
                        : tells_iterations_apart(entry.second.all, variation);
  });
}

}  // namespace cohort::kernel
