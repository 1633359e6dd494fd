#include "compiler/kernel_passes/walk.h"

#include <algorithm>

namespace cohort::kernel {

void for_each_use_of(const Stmt& stmt, const std::function<void(const BufferUse&)>& f) {
  for_each_expr(stmt, [&](const ExprRef& e) {
    for_each_node(e, [&](const Expr& node) {
      if (node.kind == ExprKind::kLoad) f({node.id, false, &node.args});
    });
  });
  if (stmt.kind == StmtKind::kStore) f({stmt.buffer, true, &stmt.index});
  if (stmt.kind == StmtKind::kPrint) f({stmt.buffer, false, nullptr});
  if (stmt.kind == StmtKind::kTransfer) {
    f({stmt.buffers[0], false, nullptr});
    f({stmt.buffer, true, nullptr});
  }
  if (stmt.kind != StmtKind::kCall && stmt.mode != LoopMode::kTiles) return;
  for (std::size_t i = stmt.outputs; i < stmt.buffers.size(); ++i) f({stmt.buffers[i], false, nullptr});
  for (std::size_t i = 0; i < stmt.outputs; ++i) f({stmt.buffers[i], true, nullptr});
}

void for_each_use(const std::vector<Stmt>& list, const std::function<void(const BufferUse&)>& f) {
  for_each_stmt(list, [&](const Stmt& stmt) { for_each_use_of(stmt, f); });
}

void for_each_buffer(const std::vector<Stmt>& list, const std::function<void(BufferId)>& f) {
  for_each_use(list, [&](const BufferUse& use) { f(use.buffer); });
}

ExprRef rewrite(const ExprRef& expr, const std::function<ExprRef(const ExprRef&)>& f) {
  if (expr->args.empty()) return f(expr);
  std::vector<ExprRef> args;
  args.reserve(expr->args.size());
  bool changed = false;
  for (const ExprRef& arg : expr->args) {
    args.push_back(rewrite(arg, f));
    changed = changed || args.back() != arg;
  }
  if (!changed) return f(expr);
  return f(with_args(*expr, std::move(args)));
}

void rewrite_exprs(Stmt& stmt, const std::function<ExprRef(const ExprRef&)>& f) {
  if (stmt.value) stmt.value = rewrite(stmt.value, f);
  for (ExprRef& e : stmt.index) e = rewrite(e, f);
}

void rewrite_exprs(std::vector<Stmt>& list, const std::function<ExprRef(const ExprRef&)>& f) {
  for (Stmt& stmt : list) {
    rewrite_exprs(stmt, f);
    rewrite_exprs(stmt.body, f);
    rewrite_exprs(stmt.else_body, f);
  }
}

ExprRef substitute(const ExprRef& expr, const Substitution& replacements) {
  return rewrite(expr, [&](const ExprRef& e) -> ExprRef {
    if (e->kind != ExprKind::kVar) return e;
    const auto found = replacements.find(e->id);
    return found == replacements.end() ? e : found->second;
  });
}

void substitute(std::vector<Stmt>& list, const Substitution& replacements) {
  if (replacements.empty()) return;
  for (Stmt& stmt : list) {
    if (stmt.value) stmt.value = substitute(stmt.value, replacements);
    for (ExprRef& e : stmt.index) e = substitute(e, replacements);
    substitute(stmt.body, replacements);
    substitute(stmt.else_body, replacements);
  }
}

std::int64_t largest_extent(const Expr& e, const Dims& dims) {
  if (e.kind == ExprKind::kConst) return static_cast<std::int64_t>(e.bits);
  if (e.kind == ExprKind::kDim) return max_extent(e.dim, dims);
  if (e.kind != ExprKind::kOp || e.op != ScalarOp::k_mul) return kUnbounded;
  const std::int64_t a = largest_extent(*e.args[0], dims), b = largest_extent(*e.args[1], dims);
  return a != 0 && b > kUnbounded / a ? kUnbounded : a * b;
}

bool is_extent(const ExprRef& e) {
  if (e->kind == ExprKind::kConst || e->kind == ExprKind::kDim) return true;
  return e->kind == ExprKind::kOp && std::all_of(e->args.begin(), e->args.end(), is_extent);
}

bool mentions(const ExprRef& expr, VarId var) {
  if ((expr->kind == ExprKind::kVar || expr->kind == ExprKind::kFinish) && expr->id == var) return true;
  return std::any_of(expr->args.begin(), expr->args.end(),
                     [&](const ExprRef& a) { return mentions(a, var); });
}

bool same_index(const std::vector<ExprRef>& a, const std::vector<ExprRef>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ExprRef& x, const ExprRef& y) { return equal(x, y); });
}

std::size_t count_statements(const std::vector<Stmt>& list) {
  std::size_t count = 0;
  for_each_stmt(list, [&](const Stmt&) { ++count; });
  return count;
}

bool holds_same_state(const Buffer& a, const Buffer& b) {
  if (a.kind != BufferKind::kState || b.kind != BufferKind::kState) return false;
  const auto holds = [&](std::uint32_t state) {
    return b.members.empty() ? b.index == state
                             : std::find(b.members.begin(), b.members.end(), state) != b.members.end();
  };
  return a.members.empty() ? holds(a.index) : std::any_of(a.members.begin(), a.members.end(), holds);
}

std::vector<KernelCall> calls_of(const Program& program) {
  if (!program.calls.empty()) return program.calls;
  std::vector<KernelCall> calls;
  for (std::uint32_t k = 0; k < program.kernels.size(); ++k)
    calls.push_back(
        {k, 0, std::max<std::uint32_t>(1, static_cast<std::uint32_t>(program.kernels[k].rows.size()))});
  return calls;
}

}  // namespace cohort::kernel
