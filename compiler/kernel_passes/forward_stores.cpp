// A load of what the same kernel has just stored becomes the stored value; what is stored for nobody goes in
// `remove_dead`.
//
//   for v0 < 8 {                                 for v0 < 8 {
//     t[v0] = add(x[v0], 1)                        let v1 = add(x[v0], 1)
//     y[v0] = mul(t[v0], t[v0])          ⇒         t[v0] = v1
//   }                                              y[v0] = mul(v1, v1)
//                                                }
//
// What is known of a buffer ends at any other store to it, at the end of the loop or branch that stored it,
// and at calls that write it. After `fuse_loops`.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/kernel_passes/statements.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::loop_passes {
namespace {

using namespace kernel;

struct Known {
  std::vector<ExprRef> index;
  ExprRef value;
};

class Forwarder {
 public:
  Forwarder(Kernel& kernel, VarId& next_var) : next_var_(next_var) {
    for_each_load(kernel.body, [&](const Expr& e) { loaded_.insert(e.id); });
    for_each_stmt(kernel.body, [&](const Stmt& s) {
      if (s.kind == StmtKind::kVar) mutable_.insert(s.var);
    });
    kernel.body = list(std::move(kernel.body));
  }

 private:
  std::vector<Stmt> list(std::vector<Stmt> statements) {
    std::vector<Stmt> result;
    result.reserve(statements.size());
    for (Stmt& stmt : statements) {
      rewrite_exprs(stmt, [&](const ExprRef& e) { return forwarded(e); });
      if (stmt.kind == StmtKind::kStore) name_stored_value(stmt, result);
      if (!stmt.body.empty() || !stmt.else_body.empty()) nested(stmt);
      if (stmt.kind == StmtKind::kCall) {
        for (std::uint32_t i = 0; i < stmt.outputs; ++i) known_.erase(stmt.buffers[i]);
      }
      result.push_back(std::move(stmt));
    }
    return result;
  }

  ExprRef forwarded(const ExprRef& e) const {
    if (e->kind != ExprKind::kLoad) return e;
    const auto found = known_.find(e->id);
    if (found == known_.end() || !same_index(found->second.index, e->args)) return e;
    return found->second.value;
  }

  void name_stored_value(Stmt& stmt, std::vector<Stmt>& before) {
    known_.erase(stmt.buffer);
    if (!loaded_.contains(stmt.buffer)) return;
    if (std::any_of(stmt.index.begin(), stmt.index.end(), [&](const ExprRef& i) { return may_change(*i); }))
      return;
    const bool stable = stmt.value->kind == ExprKind::kConst ||
                        (stmt.value->kind == ExprKind::kVar && !mutable_.contains(stmt.value->id));
    if (!stable) {
      Stmt named = let(next_var_++, std::move(stmt.value));
      named.sources = std::exchange(stmt.sources, {});
      stmt.value = variable(named.var, named.dtype);
      before.push_back(std::move(named));
    }
    known_.insert_or_assign(stmt.buffer, Known{stmt.index, stmt.value});
  }

  bool may_change(const Expr& e) const {
    if (e.kind == ExprKind::kVar) return mutable_.contains(e.id);
    return e.kind == ExprKind::kLoad ||
           std::any_of(e.args.begin(), e.args.end(), [&](const ExprRef& a) { return may_change(*a); });
  }

  void nested(Stmt& stmt) {
    const auto forget = [&](const std::vector<Stmt>& body) {
      for_each_use(body, [&](const BufferUse& use) {
        if (use.written) known_.erase(use.buffer);
      });
    };
    if (stmt.kind == StmtKind::kFor) forget(stmt.body);  // an earlier iteration may have stored
    const std::map<BufferId, Known> outer = known_;
    stmt.body = list(std::move(stmt.body));
    known_ = outer;
    stmt.else_body = list(std::move(stmt.else_body));
    known_ = outer;
    forget(stmt.body);
    forget(stmt.else_body);
  }

  VarId& next_var_;
  std::set<BufferId> loaded_;  // in this kernel
  std::set<VarId> mutable_;
  std::map<BufferId, Known> known_;  // the last store to each buffer
};

}  // namespace

Program forward_stores(Program program, const Dims&) {
  for (Kernel& kernel : program.kernels) Forwarder(kernel, program.next_var);
  return program;
}

}  // namespace cohort::loop_passes
