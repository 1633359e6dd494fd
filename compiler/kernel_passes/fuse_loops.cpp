// Nests over the same extents that share a buffer become one, so that values pass in registers:
//
//   simd v0 < 8 { t[v0] = add(x[v0], 1) }                simd v0 < 8 {
//   simd v1 < 8 { y[v1] = mul(t[v1], x[v1]) }     ⇒        t[v0] = add(x[v0], 1)
//                                                          y[v0] = mul(t[v0], x[v0])
//                                                        }
//
// Kernels are taken in order; one joins the last kernel it depends on, or a later one that reads an element it reads, if
// every dependence between the two is at the loop's own index (loop_uses.h), extents and modes agree, and the result
// stays small. Kernels between them do not depend on it, so it may run earlier. Inside the joined loop the same is done
// with the loops of its body. Kernels of scalar statements are gathered in groups.
//
// State may not change before the last check that can fail: a kernel that writes state joins or precedes none with checks.
#include <algorithm>
#include <set>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/loop_uses.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

constexpr std::size_t kMaxStatements = 200;   // in a kernel: compile time grows faster than the length of a function

enum class Shape : std::uint8_t { kNest, kScalars, kOther };

struct Group {
  Kernel kernel;
  LoopUses uses;
  Shape shape = Shape::kOther;
  std::size_t statements = 0;
};

Shape shape_of(const std::vector<Stmt>& body) {
  if (body.size() == 1 && body[0].kind == StmtKind::kFor) return Shape::kNest;
  const bool scalars = std::all_of(body.begin(), body.end(), [](const Stmt& s) {
    return s.kind == StmtKind::kLet || s.kind == StmtKind::kStore;
  });
  return scalars ? Shape::kScalars : Shape::kOther;
}

bool same_loop(const Stmt& a, const Stmt& b) {
  return a.kind == StmtKind::kFor && b.kind == StmtKind::kFor && a.mode == b.mode && equal(a.value, b.value);
}

// Appends the body of loop `second` to that of `first`.
void append_body(Stmt& first, Stmt second) {
  substitute(second.body, {{second.var, variable(first.var, DType::kI64)}});
  if (!second.body.empty()) {
    std::vector<std::uint32_t>& sources = second.body.front().sources;
    sources.insert(sources.begin(), second.sources.begin(), second.sources.end());
  }
  std::move(second.body.begin(), second.body.end(), std::back_inserter(first.body));
}

// Loops within one list of statements.
class ListFuser {
 public:
  explicit ListFuser(std::vector<Stmt>& list) : list_(list) {}

  void run() {
    std::vector<Stmt> pending = std::move(list_);
    list_.clear();
    for (Stmt& stmt : pending) {
      if (stmt.kind != StmtKind::kFor || !join(stmt)) list_.push_back(std::move(stmt));
    }
    for (Stmt& stmt : list_) {
      if (!stmt.body.empty()) ListFuser(stmt.body).run();
      if (!stmt.else_body.empty()) ListFuser(stmt.else_body).run();
    }
  }

 private:
  // Looks backward for a loop to join, past statements that the loop does not depend on; accumulators move along.
  bool join(Stmt& loop) {
    const LoopUses uses = loop_uses(loop.body, loop.var);
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
        if (!may_fuse(loop_uses(earlier.body, earlier.var), uses)) return false;
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
    if (defines) return needed.contains(earlier.var) || conflict(loop_uses({earlier}, earlier.var), uses);
    if (earlier.kind == StmtKind::kStore) return conflict(loop_uses({earlier}, kNoVar), uses);
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

  static constexpr VarId kNoVar = UINT32_MAX;
  std::vector<Stmt>& list_;
};

class KernelFuser {
 public:
  explicit KernelFuser(const Program& program)
      : program_(program), last_writer_(program.buffers.size(), kNone), last_reader_(program.buffers.size(), kNone) {}

  std::vector<Kernel> run(std::vector<Kernel> kernels) {
    for (Kernel& kernel : kernels) place(std::move(kernel));
    std::vector<Kernel> result;
    for (Group& group : groups_) {
      ListFuser(group.kernel.body).run();
      result.push_back(std::move(group.kernel));
    }
    return result;
  }

 private:
  static constexpr int kNone = -1;

  struct Effects {
    bool checks = false, prints = false, writes_state = false;
  };
  Effects effects_of(const Kernel& kernel, const LoopUses& uses) const {
    Effects effects;
    for_each_stmt(kernel.body, [&](const Stmt& s) {
      effects.checks = effects.checks || s.kind == StmtKind::kCheck || s.kind == StmtKind::kAssert;
      effects.prints = effects.prints || s.kind == StmtKind::kPrint || s.kind == StmtKind::kAssert;
    });
    effects.writes_state = std::any_of(uses.begin(), uses.end(), [&](const auto& use) {
      return use.second.written && program_.buffers[use.first].kind == BufferKind::kState;
    });
    return effects;
  }

  void place(Kernel kernel) {
    Group fresh;
    fresh.shape = shape_of(kernel.body);
    fresh.uses = loop_uses(kernel.body, fresh.shape == Shape::kNest ? kernel.body[0].var : UINT32_MAX);
    fresh.statements = count_statements(kernel.body);
    const Effects effects = effects_of(kernel, fresh.uses);
    int earliest = kNone;
    for (const auto& [buffer, use] : fresh.uses) {
      earliest = std::max(earliest, last_writer_[buffer]);
      if (use.written) earliest = std::max(earliest, last_reader_[buffer]);
    }
    if (effects.writes_state) earliest = std::max(earliest, last_check_ + 1);
    if (effects.prints) earliest = std::max(earliest, last_print_);
    fresh.kernel = std::move(kernel);
    int home = find_home(fresh, earliest);
    if (home == kNone) {
      home = static_cast<int>(groups_.size());
      groups_.emplace_back();
    }
    record(home, fresh, effects);
    put(groups_[static_cast<std::size_t>(home)], std::move(fresh));
  }

  int find_home(const Group& fresh, int earliest) {
    if (fresh.shape == Shape::kScalars) return last_scalars_ >= earliest && fits(last_scalars_, fresh) ? last_scalars_ : kNone;
    if (fresh.shape != Shape::kNest) return kNone;
    std::set<int> candidates;
    if (earliest != kNone && earliest < static_cast<int>(groups_.size())) candidates.insert(earliest);
    for (const auto& [buffer, use] : fresh.uses) {
      if (last_reader_[buffer] >= std::max(earliest, 0)) candidates.insert(last_reader_[buffer]);
    }
    for (const int candidate : candidates) {
      const Group& group = groups_[static_cast<std::size_t>(candidate)];
      if (group.shape == Shape::kNest && fits(candidate, fresh) &&
          same_loop(group.kernel.body[0], fresh.kernel.body[0]) && share_elements(group.uses, fresh.uses) &&
          may_fuse(group.uses, fresh.uses))
        return candidate;
    }
    return kNone;
  }

  bool fits(int group, const Group& fresh) const {
    return group != kNone && groups_[static_cast<std::size_t>(group)].statements + fresh.statements <= kMaxStatements;
  }

  void record(int home, const Group& fresh, const Effects& effects) {
    for (const auto& [buffer, use] : fresh.uses) {
      int& last = use.written ? last_writer_[buffer] : last_reader_[buffer];
      last = std::max(last, home);
    }
    if (effects.checks) last_check_ = std::max(last_check_, home);
    if (effects.prints) last_print_ = std::max(last_print_, home);
    if (fresh.shape == Shape::kScalars) last_scalars_ = std::max(last_scalars_, home);
  }

  static void put(Group& group, Group fresh) {
    if (group.statements == 0) {
      group = std::move(fresh);
      return;
    }
    group.statements += fresh.statements;
    add(group.uses, fresh.uses);
    std::vector<Stmt>& body = fresh.kernel.body;
    if (group.shape == Shape::kNest) return append_body(group.kernel.body[0], std::move(body[0]));
    std::move(body.begin(), body.end(), std::back_inserter(group.kernel.body));
  }

  const Program& program_;
  std::vector<Group> groups_;
  std::vector<int> last_writer_, last_reader_;   // the last group that does so, by BufferId
  int last_check_ = kNone;
  int last_print_ = kNone;
  int last_scalars_ = kNone;
};

}  // namespace

Program fuse_loops(Program program, const Dims&) {
  program.kernels = KernelFuser(program).run(std::move(program.kernels));
  return program;
}

}  // namespace cohort::loop_passes
