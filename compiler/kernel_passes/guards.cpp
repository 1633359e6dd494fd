#include "compiler/kernel_passes/guards.h"

#include <algorithm>
#include <set>

#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

// Whether an element is reached by an index that depends on the elements of a buffer.
bool uses_computed_index(const Program& program, const std::vector<Stmt>& body) {
  std::set<VarId> from_data;
  const auto depends = [&](const ExprRef& expr) {
    bool found = false;
    for_each_node(expr, [&](const Expr& e) {
      found = found || (e.kind == ExprKind::kLoad && !program.buffers[e.id].table) ||
              (e.kind == ExprKind::kVar && from_data.contains(e.id));
    });
    return found;
  };
  bool computed = false;
  for_each_stmt(body, [&](const Stmt& s) {
    const bool defines = s.kind == StmtKind::kLet || s.kind == StmtKind::kVar || s.kind == StmtKind::kAssign;
    if (defines && depends(s.value)) from_data.insert(s.var);
    if (s.kind == StmtKind::kStore)
      computed = computed || std::any_of(s.index.begin(), s.index.end(), depends);
  });
  for_each_load(body, [&](const Expr& load) {
    computed = computed || std::any_of(load.args.begin(), load.args.end(), depends);
  });
  return computed;
}

}  // namespace

Guards guards_of(const Program& program, const std::vector<Stmt>& body) {
  Guards guards;
  for_each_stmt(body, [&](const Stmt& s) {
    guards.checks = guards.checks || s.kind == StmtKind::kCheck || s.kind == StmtKind::kAssert;
    guards.prints = guards.prints || s.kind == StmtKind::kPrint || s.kind == StmtKind::kAssert;
  });
  for_each_use(body, [&](const BufferUse& use) {
    guards.writes_state =
        guards.writes_state || (use.written && program.buffers[use.buffer].kind == BufferKind::kState);
  });
  guards.guarded = uses_computed_index(program, body);
  return guards;
}

}  // namespace cohort::kernel
