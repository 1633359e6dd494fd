// Two nested loops that walk all their memory as one array become one loop.
//
//   for v0 < 9 {
//     simd v1 < 50 { y[add(mul(v0, 50), v1)] = neg(x[add(mul(v0, 50), v1)]) }      ⇒
//   }
//                                                           simd v1 < 450 { y[v1] = neg(x[v1]) }
//
// In every index the factor of the outer variable must be that of the inner one times the inner extent;
// nothing else may read either variable. A simd loop is collapsed only if the outer iterations are
// independent, too: each buffer that is written is accessed at one index only, which the inner variable and
// nothing further in changes. After `flatten_indices`.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/linear.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

// The outer of two loops and the only statement of its body.
class LoopPair {
 public:
  LoopPair(const Stmt& outer, const std::set<VarId>& around)
      : outer_(outer.var), inner_(outer.body[0]), around_(around), extent_(decompose(inner_.value)) {}

  bool collapses() {
    return fits(inner_.value) && all_fit(inner_.body) &&
           (inner_.mode == LoopMode::kSerial || is_independent());
  }

 private:
  struct Access {
    ExprRef index;  // the first one seen
    bool written = false, differ = false, moves = false;
  };

  bool all_fit(const std::vector<Stmt>& list) {
    return std::all_of(list.begin(), list.end(), [&](const Stmt& s) {
      if (s.kind == StmtKind::kCall || s.kind == StmtKind::kPrint) return false;
      if (s.kind == StmtKind::kStore && !fits_index(s.buffer, s.index[0], true)) return false;
      if (s.value && !fits(s.value)) return false;
      const auto fit = [&](const ExprRef& e) { return s.kind == StmtKind::kStore || fits(e); };
      return std::all_of(s.index.begin(), s.index.end(), fit) && all_fit(s.body) && all_fit(s.else_body);
    });
  }

  bool fits(const ExprRef& e) {
    if (e->kind == ExprKind::kVar) return e->id != outer_ && e->id != inner_.var;
    if (e->kind == ExprKind::kLoad) return fits_index(e->id, e->args[0], false);
    return std::all_of(e->args.begin(), e->args.end(), [&](const ExprRef& a) { return fits(a); });
  }

  bool fits_index(BufferId buffer, const ExprRef& index, bool written) {
    const Linear linear = decompose(index);
    const std::optional<Linear> outer = factor_of(linear, outer_), inner = factor_of(linear, inner_.var);
    if (!outer || !inner || !equal(*outer, multiply(*inner, extent_))) return false;
    const std::optional<std::int64_t> step = constant_value(*inner);
    Access& access = accesses_[buffer];
    if (!access.index) access.index = index;
    access.differ = access.differ || !equal(access.index, index);
    access.written = access.written || written;
    access.moves =
        step && *step != 0 && std::all_of(linear.terms.begin(), linear.terms.end(), [&](const Term& t) {
          return !t.atom || (t.atom->kind == ExprKind::kVar && is_loop(t.atom->id));
        });
    return true;
  }
  bool is_loop(VarId var) const { return var == outer_ || var == inner_.var || around_.contains(var); }

  bool is_independent() const {
    return std::all_of(accesses_.begin(), accesses_.end(), [](const auto& entry) {
      return !entry.second.written || (!entry.second.differ && entry.second.moves);
    });
  }

  VarId outer_;
  const Stmt& inner_;
  const std::set<VarId>& around_;  // variables of the loops around the pair
  Linear extent_;
  std::map<BufferId, Access> accesses_;
};

void simplify(std::vector<Stmt>& list) {
  rewrite_exprs(list, [](const ExprRef& e) -> ExprRef {
    return e->kind == ExprKind::kLoad ? load(e->id, e->dtype, {compose(decompose(e->args[0]))}) : e;
  });
  for (Stmt& stmt : list) {
    if (stmt.kind == StmtKind::kStore) stmt.index[0] = compose(decompose(stmt.index[0]));
    simplify(stmt.body);
    simplify(stmt.else_body);
  }
}

void collapse_list(std::vector<Stmt>& list, std::set<VarId>& around) {
  for (Stmt& stmt : list) {
    const bool loop = stmt.kind == StmtKind::kFor;
    if (loop) around.insert(stmt.var);
    collapse_list(stmt.body, around);
    collapse_list(stmt.else_body, around);
    if (loop) around.erase(stmt.var);
    const bool pair = loop && stmt.mode == LoopMode::kSerial && stmt.body.size() == 1 &&
                      stmt.body[0].kind == StmtKind::kFor;
    if (!pair || !LoopPair(stmt, around).collapses()) continue;
    Stmt inner = std::move(stmt.body[0]);
    inner.value = compose(decompose(stmt.value * inner.value));
    inner.sources.insert(inner.sources.begin(), stmt.sources.begin(), stmt.sources.end());
    substitute(inner.body, {{stmt.var, constant_index(0)}});
    simplify(inner.body);
    stmt = std::move(inner);
  }
}

}  // namespace

Program collapse(Program program, const Dims&) {
  for (Kernel& kernel : program.kernels) {
    std::set<VarId> around;
    collapse_list(kernel.body, around);
  }
  return program;
}

}  // namespace cohort::loop_passes
