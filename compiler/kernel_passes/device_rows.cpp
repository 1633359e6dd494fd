#include "compiler/kernel_passes/device_rows.h"

#include <algorithm>

#include "compiler/kernel_passes/cooperate.h"
#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/kernel_passes/nests.h"
#include "compiler/kernel_passes/statements.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

constexpr double kBlockThreads = 256;

// Known once the loops around are.
bool is_known_at(const ExprRef& e) {
  return e->kind != ExprKind::kLoad && e->kind != ExprKind::kFinish &&
         std::all_of(e->args.begin(), e->args.end(), is_known_at);
}

}  // namespace

bool is_few_rows(const Program& program, const Stmt& loop) {
  if (trip_count(loop) >= kBlockThreads || loop.body.empty() || !is_free(program, loop)) return false;
  bool loops = false;
  for (const Stmt& s : loop.body) {
    const bool inner = s.kind == StmtKind::kFor && is_extent(s.value) && is_free(program, s);
    if (!inner && (s.kind != StmtKind::kLet || !is_known_at(s.value))) return false;
    loops = loops || inner;
  }
  return loops;
}

std::vector<Stmt> rows_apart(Program& program, Stmt loop) {
  std::vector<Stmt> apart;
  for (std::vector<Stmt>& nest : cut_into_nests(program, std::move(loop.body))) {
    Stmt inner = std::move(nest.back());
    nest.pop_back();
    Stmt row = loop;
    row.mode = LoopMode::kParallel;
    row.var = program.next_var++;
    row.value = loop.value * inner.value;
    const ExprRef flat = variable(row.var, DType::kI64);
    const VarId outer = program.next_var++;
    Substitution renamed{{loop.var, variable(outer, DType::kI64)}};
    row.body = {let(outer, op(ScalarOp::k_floor_div, {flat, inner.value}, DType::kI64)),
                let(inner.var, op(ScalarOp::k_mod, {flat, inner.value}, DType::kI64))};
    substitute(nest, renamed);
    substitute(inner.body, renamed);
    std::move(nest.begin(), nest.end(), std::back_inserter(row.body));
    std::move(inner.body.begin(), inner.body.end(), std::back_inserter(row.body));
    row.sources.insert(row.sources.end(), inner.sources.begin(), inner.sources.end());
    apart.push_back(std::move(row));
  }
  return apart;
}

}  // namespace cohort::kernel
