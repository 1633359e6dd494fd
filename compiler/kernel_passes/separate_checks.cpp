// Checks of indices run in a nest of their own before the nest that uses the indices:
//
//                                                         for v3 < 8 {
//   for v0 < 8 {                                            let v4 = i[v3]
//     let v1 = i[v0]                                        check and(ge(v4, 0), lt(v4, 50)) else ...
//     check and(ge(v1, 0), lt(v1, 50)) else ...    ⇒      }
//     y[v0] = tanh(x[v1])                                 for v0 < 8 {
//   }                                                       let v1 = i[v0]
//                                                           y[v0] = tanh(x[v1])
//                                                         }
//
// So the second one can run in vector lanes and write state in place (after an error nothing has changed).
// The first nest repeats the lets that its checks need. Left alone: checks under a branch, and those that
// depend on a mutable local, an accumulation, something the kernel itself stores or something it defines
// outside the nest; and all checks of a kernel that prints or asserts, which keep their place among those.
#include <algorithm>
#include <set>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

class Separator {
 public:
  // `written`: the buffers that the kernel of the nest writes.
  Separator(const Stmt& nest, const std::set<BufferId>& written, VarId& next_var)
      : nest_(nest), written_(written), next_var_(next_var) {}

  // The nest of checks; nothing if there are none to take.
  std::optional<Stmt> run() {
    for_each_stmt({nest_}, [&](const Stmt& s) {
      if (s.kind == StmtKind::kLet || s.kind == StmtKind::kFor) stable_.insert(s.var);
      if (s.kind == StmtKind::kCall || s.kind == StmtKind::kAssert || s.kind == StmtKind::kPrint)
        allowed_ = false;
      if (s.kind == StmtKind::kCheck) found_ = true;
    });
    if (!found_ || !allowed_) return std::nullopt;
    mark(nest_.body, false);
    if (!allowed_) return std::nullopt;
    Stmt result = nest_;
    keep(result.body);
    rename(result);
    return result;
  }

  static void remove_checks(std::vector<Stmt>& list) {
    std::erase_if(list, [](const Stmt& s) { return s.kind == StmtKind::kCheck; });
    for (Stmt& s : list) remove_checks(s.body);
  }

 private:
  // From the last statement to the first: which variables the checks need, and whether they can be had.
  void mark(const std::vector<Stmt>& list, bool branch) {
    for (auto it = list.rbegin(); it != list.rend(); ++it) {
      const Stmt& s = *it;
      mark(s.body, branch || s.kind == StmtKind::kIf);
      mark(s.else_body, branch || s.kind == StmtKind::kIf);
      const bool check = s.kind == StmtKind::kCheck;
      if (check && branch) allowed_ = false;
      if (check || (s.kind == StmtKind::kLet && needed_.contains(s.var)) ||
          (s.kind == StmtKind::kFor && has_check(s.body)))
        for_each_expr(s, [&](const ExprRef& e) { need(e); });
    }
  }
  void need(const ExprRef& expr) {
    for_each_node(expr, [&](const Expr& e) {
      if (e.kind == ExprKind::kVar || e.kind == ExprKind::kFinish) {
        needed_.insert(e.id);
        if (!stable_.contains(e.id)) allowed_ = false;
      }
      if (e.kind == ExprKind::kLoad && written_.contains(e.id)) allowed_ = false;
    });
  }
  static bool has_check(const std::vector<Stmt>& list) {
    return std::any_of(list.begin(), list.end(), [](const Stmt& s) {
      return s.kind == StmtKind::kCheck || has_check(s.body) || has_check(s.else_body);
    });
  }

  void keep(std::vector<Stmt>& list) const {
    std::erase_if(list, [&](const Stmt& s) {
      return !(s.kind == StmtKind::kCheck || (s.kind == StmtKind::kLet && needed_.contains(s.var)) ||
               (s.kind == StmtKind::kFor && has_check(s.body)));
    });
    for (Stmt& s : list) keep(s.body);
  }

  void rename(Stmt& nest) {
    Substitution fresh;
    const auto renew = [&](Stmt& s) {
      const VarId var = next_var_++;
      fresh.emplace(s.var, variable(var, s.dtype));
      s.var = var;
    };
    renew(nest);
    renew_all(nest.body, renew);
    substitute(nest.body, fresh);
  }
  template <typename F>
  static void renew_all(std::vector<Stmt>& list, F& renew) {
    for (Stmt& s : list) {
      if (s.kind == StmtKind::kFor || s.kind == StmtKind::kLet) renew(s);
      renew_all(s.body, renew);
    }
  }

  const Stmt& nest_;
  const std::set<BufferId>& written_;
  VarId& next_var_;
  std::set<VarId> stable_, needed_;  // what the nest defines once and for all; what its checks read
  bool found_ = false, allowed_ = true;
};

}  // namespace

Program separate_checks(Program program, const Dims&) {
  std::vector<Kernel> kernels;
  kernels.reserve(program.kernels.size());
  for (Kernel& kernel : program.kernels) {
    bool effects = false;
    for_each_stmt(kernel.body, [&](const Stmt& s) {
      effects = effects || s.kind == StmtKind::kPrint || s.kind == StmtKind::kAssert;
    });
    std::set<BufferId> written;
    for_each_use(kernel.body, [&](const BufferUse& use) {
      if (use.written) written.insert(use.buffer);
    });
    for (Stmt& nest : kernel.body) {
      if (nest.kind != StmtKind::kFor || effects) continue;
      std::optional<Stmt> checks = Separator(nest, written, program.next_var).run();
      if (!checks) continue;
      kernels.push_back({kernel.name, {}, {}, {}, {}, kernel.device, kernel.wanted});
      kernels.back().body.push_back(std::move(*checks));
      Separator::remove_checks(nest.body);
    }
    kernels.push_back(std::move(kernel));
  }
  program.kernels = std::move(kernels);
  return program;
}

}  // namespace cohort::loop_passes
