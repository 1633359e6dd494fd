#include "compiler/kernel_passes/join_loops.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "compiler/kernel_passes/loop_uses.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {

bool same_loop(const Stmt& a, const Stmt& b) {
  return a.kind == StmtKind::kFor && b.kind == StmtKind::kFor && a.mode == b.mode && equal(a.value, b.value);
}

void append_body(Stmt& first, Stmt second) {
  substitute(second.body, {{second.var, variable(first.var, DType::kI64)}});
  if (!second.body.empty()) {
    std::vector<std::uint32_t>& sources = second.body.front().sources;
    sources.insert(sources.begin(), second.sources.begin(), second.sources.end());
  }
  std::move(second.body.begin(), second.body.end(), std::back_inserter(first.body));
}

namespace {

// Loops within one list of statements.
class ListJoiner {
 public:
  explicit ListJoiner(std::vector<Stmt>& list) : list_(list) {}

  void run() {
    std::vector<Stmt> pending = std::move(list_);
    list_.clear();
    for (Stmt& stmt : pending) {
      if (stmt.kind != StmtKind::kFor || !join(stmt)) list_.push_back(std::move(stmt));
    }
    for (Stmt& stmt : list_) {
      if (!stmt.body.empty()) ListJoiner(stmt.body).run();
      if (!stmt.else_body.empty()) ListJoiner(stmt.else_body).run();
    }
  }

 private:
  // Looks backward for a loop to join, past statements that the loop does not depend on; accumulators move
  // along.
  bool join(Stmt& loop) {
    const LoopUses uses = loop_uses(loop);
    std::set<VarId> needed;
    for_each_stmt(loop.body, [&](const Stmt& s) {
      if (s.kind == StmtKind::kAccumulate || s.kind == StmtKind::kAssign) needed.insert(s.var);
      for_each_expr(s, [&](const ExprRef& e) {
        for_each_node(e, [&](const Expr& n) {
          if (n.kind == ExprKind::kVar || n.kind == ExprKind::kFinish) needed.insert(n.id);
        });
      });
    });
    std::vector<std::size_t> carried;
    for (std::size_t i = list_.size(); i-- > 0;) {
      Stmt& earlier = list_[i];
      if (same_loop(earlier, loop)) {
        if (!may_fuse(loop_uses(earlier), uses)) return false;
        carry(carried, i);
        append_body(list_[i + carried.size()], std::move(loop));
        return true;
      }
      if (earlier.kind == StmtKind::kAccumulator && needed.contains(earlier.var)) {
        carried.push_back(i);
        continue;
      }
      if (blocks(earlier, uses, needed)) return false;
    }
    return false;
  }

  static bool blocks(const Stmt& earlier, const LoopUses& uses, const std::set<VarId>& needed) {
    const bool defines = earlier.kind == StmtKind::kLet || earlier.kind == StmtKind::kVar ||
                         earlier.kind == StmtKind::kAccumulate || earlier.kind == StmtKind::kAssign;
    if (defines) return needed.contains(earlier.var) || conflict(list_uses({earlier}), uses);
    if (earlier.kind == StmtKind::kStore) return conflict(list_uses({earlier}), uses);
    return earlier.kind != StmtKind::kAccumulator;
  }

  // Moves the accumulators at `carried` (descending positions) before the statement at `to`.
  void carry(const std::vector<std::size_t>& carried, std::size_t to) {
    std::vector<Stmt> moved;
    for (const std::size_t i : carried) {
      moved.insert(moved.begin(), std::move(list_[i]));
      list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    list_.insert(list_.begin() + static_cast<std::ptrdiff_t>(to), std::make_move_iterator(moved.begin()),
                 std::make_move_iterator(moved.end()));
  }

  std::vector<Stmt>& list_;
};

}  // namespace

void join_loops(std::vector<Stmt>& list) { ListJoiner(list).run(); }

bool join_lists(std::vector<Stmt>& first, const std::vector<Stmt>& second) {
  const auto loops = [](const std::vector<Stmt>& list) {
    return std::count_if(list.begin(), list.end(), [](const Stmt& s) { return s.kind == StmtKind::kFor; });
  };
  std::vector<Stmt> both = first;
  both.insert(both.end(), second.begin(), second.end());
  const auto before = loops(both);
  join_loops(both);
  if (loops(both) == before) return false;
  first = std::move(both);
  return true;
}

}  // namespace cohort::kernel
