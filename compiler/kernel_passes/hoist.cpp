// What does not change in a loop is computed before it, once for equal exprs:
//
//   simd v0 < 8 { y[v0] = mul(x[v0], exp(s[0])) }      ⇒      let v1 = exp(s[0])
//                                                             simd v0 < 8 { y[v0] = mul(x[v0], v1) }
//
// Lets of the body move as they are, from other statements the largest unchanging parts that cost something:
// a load or an operator not on indices (what is plain index arithmetic the host compiler sees to). Checks
// move, too. Loads and checks move only from loops that run at least once, not out of branches, not past
// stores to a buffer they read, and loads not past a check. Innermost loops first, so that what moves out of
// one may move out of the next.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "compiler/kernel_passes/access.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/statements.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

class LoopHoister {
 public:
  LoopHoister(Stmt& loop, VarId& next_var, const Dims& dims) : loop_(loop), next_var_(next_var) {
    for_each_stmt(loop.body, [&](const Stmt& s) {
      if (s.kind == StmtKind::kLet || s.kind == StmtKind::kVar || s.kind == StmtKind::kFor ||
          s.kind == StmtKind::kAccumulator || s.kind == StmtKind::kAssign || s.kind == StmtKind::kAccumulate)
        changing_.insert(s.var);
    });
    changing_.insert(loop.var);
    if (loop.mode == LoopMode::kRanges) changing_.insert(loop.count);
    for_each_use(loop.body, [&](const BufferUse& use) {
      if (use.written) written_.insert(use.buffer);
    });
    const Expr& extent = *loop.value;
    runs_ = (extent.kind == ExprKind::kConst && static_cast<std::int64_t>(extent.bits) > 0) ||
            (extent.kind == ExprKind::kDim && min_extent(extent.dim, dims) > 0);
  }

  // The statements to put before the loop.
  std::vector<Stmt> run() {
    list(loop_.body, runs_);
    return std::move(before_);
  }

 private:
  void list(std::vector<Stmt>& statements, bool loads_allowed) {
    std::vector<Stmt> rest;
    rest.reserve(statements.size());
    for (Stmt& stmt : statements) {
      loads_allowed = loads_allowed && !checked_;
      if (stmt.kind == StmtKind::kCheck || stmt.kind == StmtKind::kAssert) {
        const auto fixed = [&](const ExprRef& e) { return is_fixed(e, true); };
        if (loads_allowed && fixed(stmt.value) && std::all_of(stmt.index.begin(), stmt.index.end(), fixed)) {
          before_.push_back(std::move(stmt));
          continue;
        }
        checked_ = true;  // what follows may be in range only because the check holds
      }
      if (stmt.kind == StmtKind::kLet && is_fixed(stmt.value, loads_allowed)) {
        changing_.erase(stmt.var);
        known_.emplace(hash(stmt.value), std::pair(stmt.value, variable(stmt.var, stmt.dtype)));
        before_.push_back(std::move(stmt));
        continue;
      }
      if (stmt.value) stmt.value = moved(stmt.value, loads_allowed);
      for (ExprRef& e : stmt.index) e = moved(e, loads_allowed);
      const bool branch = stmt.kind == StmtKind::kIf;
      const bool runs =
          stmt.kind != StmtKind::kFor || (stmt.value->kind == ExprKind::kConst && stmt.value->bits > 0);
      list(stmt.body, loads_allowed && !branch && runs);
      list(stmt.else_body, loads_allowed && !branch && runs);
      rest.push_back(std::move(stmt));
    }
    statements = std::move(rest);
  }

  bool is_fixed(const ExprRef& e, bool loads_allowed) const {
    if ((e->kind == ExprKind::kVar || e->kind == ExprKind::kFinish) && changing_.contains(e->id))
      return false;
    if (e->kind == ExprKind::kLoad && (!loads_allowed || written_.contains(e->id))) return false;
    return std::all_of(e->args.begin(), e->args.end(),
                       [&](const ExprRef& a) { return is_fixed(a, loads_allowed); });
  }

  static bool costs(const ExprRef& e) {
    if (e->kind == ExprKind::kLoad || e->kind == ExprKind::kCustom) return true;
    if (e->kind == ExprKind::kOp && e->dtype != DType::kI64) return true;
    return std::any_of(e->args.begin(), e->args.end(), costs);
  }

  ExprRef moved(const ExprRef& e, bool loads_allowed) {
    if (e->args.empty()) return e;
    if (is_fixed(e, loads_allowed)) return costs(e) ? named(e) : e;
    std::vector<ExprRef> args;
    bool changed = false;
    for (const ExprRef& arg : e->args) {
      args.push_back(moved(arg, loads_allowed));
      changed = changed || args.back() != arg;
    }
    if (!changed) return e;
    return with_args(*e, std::move(args));
  }

  ExprRef named(const ExprRef& e) {
    const auto [begin, end] = known_.equal_range(hash(e));
    for (auto it = begin; it != end; ++it) {
      if (equal(it->second.first, e)) return it->second.second;
    }
    before_.push_back(let(next_var_++, e));
    const ExprRef result = variable(before_.back().var, e->dtype);
    known_.emplace(hash(e), std::pair(e, result));
    return result;
  }

  Stmt& loop_;
  VarId& next_var_;
  std::set<VarId> changing_;
  std::set<BufferId> written_;
  bool runs_ = false;
  bool checked_ = false;
  std::vector<Stmt> before_;
  std::unordered_multimap<std::uint64_t, std::pair<ExprRef, ExprRef>>
      known_;  // exprs moved, and their variables
};

void hoist_list(std::vector<Stmt>& list, VarId& next_var, const Dims& dims) {
  std::vector<Stmt> result;
  result.reserve(list.size());
  for (Stmt& stmt : list) {
    hoist_list(stmt.body, next_var, dims);
    hoist_list(stmt.else_body, next_var, dims);
    if (stmt.kind == StmtKind::kFor) {
      std::vector<Stmt> before = LoopHoister(stmt, next_var, dims).run();
      std::move(before.begin(), before.end(), std::back_inserter(result));
      if (stmt.body.empty()) continue;
    }
    result.push_back(std::move(stmt));
  }
  list = std::move(result);
}

}  // namespace

Program hoist(Program program, const Dims& dims) {
  for (Kernel& kernel : program.kernels) hoist_list(kernel.body, program.next_var, dims);
  return program;
}

}  // namespace cohort::loop_passes
