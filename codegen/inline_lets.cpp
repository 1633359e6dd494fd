#include "codegen/inline_lets.h"

#include <algorithm>

#include "compiler/kernel_passes/walk.h"

namespace cohort {

using kernel::ExprKind;
using kernel::ExprRef;
using kernel::Stmt;
using kernel::StmtKind;
using kernel::VarId;

namespace {

// In the statement's own expressions, not in what it contains.
bool reads_directly(const Stmt& s, VarId var) {
  return (s.value && mentions(s.value, var)) ||
         std::any_of(s.index.begin(), s.index.end(), [&](const ExprRef& e) { return mentions(e, var); });
}

}  // namespace

void InlineLets::count_expr(const ExprRef& expr) {
  if (!expr) return;
  if (expr->kind == ExprKind::kVar) ++reads_[expr->id];
  for (const ExprRef& a : expr->args) count_expr(a);
}

void InlineLets::count(const std::vector<Stmt>& body) {
  for (const Stmt& s : body) {
    count_expr(s.value);
    for (const ExprRef& e : s.index) count_expr(e);
    if (s.kind == StmtKind::kVar || s.kind == StmtKind::kAccumulator) mutable_[s.var] = true;
    count(s.body);
    count(s.else_body);
  }
}

bool InlineLets::reads_memory(const ExprRef& expr) const {
  if (expr->kind == ExprKind::kLoad || expr->kind == ExprKind::kFinish) return true;
  if (expr->kind == ExprKind::kVar) {
    const auto found = inlined_.find(expr->id);
    return mutable_.contains(expr->id) || (found != inlined_.end() && found->second);
  }
  return std::any_of(expr->args.begin(), expr->args.end(), [&](const ExprRef& a) { return reads_memory(a); });
}

bool InlineLets::fits(const std::vector<Stmt>& body, std::size_t at) {
  const Stmt& let = body[at];
  if (let.dtype == DType::kI64) return false;
  const auto reads = reads_.find(let.var);
  if (reads == reads_.end() || reads->second != 1) return false;
  const bool memory = reads_memory(let.value);
  for (std::size_t k = at + 1; k < body.size(); ++k) {
    if (reads_directly(body[k], let.var)) {
      if (body[k].kind == StmtKind::kFor) return false;
      inlined_[let.var] = memory;
      return true;
    }
    const bool harmless = body[k].kind == StmtKind::kLet || body[k].kind == StmtKind::kVar;
    if (memory && !harmless) return false;
  }
  return false;
}

}  // namespace cohort
