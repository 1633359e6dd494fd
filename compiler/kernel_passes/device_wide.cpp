#include "compiler/kernel_passes/device_wide.h"

#include <algorithm>
#include <set>

#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

constexpr std::int64_t kAccessBytes = 16, kMostElements = 8;

// The loop's variable, or that and something alike in all iterations.
bool moves_by_one(const ExprRef& e, VarId var, const std::set<VarId>& inside) {
  if (e->kind == ExprKind::kVar) return e->id == var;
  if (e->kind != ExprKind::kOp || e->op != ScalarOp::k_add) return false;
  const auto fixed = [&](const ExprRef& side) {
    bool outside = true;
    for_each_node(side, [&](const Expr& n) {
      outside = outside && n.kind != ExprKind::kLoad &&
                !(n.kind == ExprKind::kVar && (n.id == var || inside.contains(n.id)));
    });
    return outside;
  };
  return (moves_by_one(e->args[0], var, inside) && fixed(e->args[1])) ||
         (moves_by_one(e->args[1], var, inside) && fixed(e->args[0]));
}

// How many elements of the narrowest array are sixteen bytes; 1: nothing to gain.
std::int64_t width_of(const Program& program, const Stmt& grid) {
  bool plain = true;
  std::set<VarId> inside;
  for_each_stmt(grid.body, [&](const Stmt& s) {
    plain = plain && (s.kind == StmtKind::kLet || s.kind == StmtKind::kVar || s.kind == StmtKind::kAssign ||
                      s.kind == StmtKind::kIf || s.kind == StmtKind::kStore);
    if (s.kind == StmtKind::kLet || s.kind == StmtKind::kVar) inside.insert(s.var);
  });
  if (!plain) return 1;
  std::int64_t narrowest = kAccessBytes;
  for_each_use(grid.body, [&](const BufferUse& use) {
    if (use.index == nullptr || use.index->size() != 1 || !moves_by_one((*use.index)[0], grid.var, inside))
      return;
    narrowest = std::min<std::int64_t>(narrowest, dtype_bytes(program.buffers[use.buffer].dtype));
  });
  return std::min(kAccessBytes / narrowest, kMostElements);
}

// The extent divided by the width; null if that leaves a rest.
ExprRef divided(const ExprRef& e, std::int64_t by) {
  if (e->kind == ExprKind::kConst) {
    const auto value = static_cast<std::int64_t>(e->bits);
    return value % by == 0 ? constant_index(value / by) : nullptr;
  }
  if (e->kind != ExprKind::kOp || e->op != ScalarOp::k_mul) return nullptr;
  if (ExprRef left = divided(e->args[0], by)) return left * e->args[1];
  ExprRef right = divided(e->args[1], by);
  return right ? e->args[0] * right : nullptr;
}

Stmt statement(StmtKind kind, VarId var, ExprRef value) {
  Stmt s;
  s.kind = kind;
  s.var = var;
  s.value = std::move(value);
  return s;
}

// Under names of its own.
std::vector<Stmt> copy_of(Program& program, std::vector<Stmt> list, Substitution& renamed) {
  for (Stmt& s : list) {
    const bool defines = s.kind == StmtKind::kLet || s.kind == StmtKind::kVar;
    std::vector<Stmt> one{s};
    one[0].body.clear(), one[0].else_body.clear();
    substitute(one, renamed);
    one[0].body = copy_of(program, std::move(s.body), renamed);
    one[0].else_body = copy_of(program, std::move(s.else_body), renamed);
    if (defines) {
      const VarId var = program.next_var++;
      renamed[s.var] = variable(var, s.dtype);
      one[0].var = var;
    } else if (s.kind == StmtKind::kAssign) {
      one[0].var = renamed.at(s.var)->id;
    }
    s = std::move(one[0]);
  }
  return list;
}

// The iteration `at`.
std::vector<Stmt> iteration(Program& program, const Stmt& grid, ExprRef at) {
  Substitution renamed{{grid.var, variable(program.next_var++, DType::kI64)}};
  std::vector<Stmt> body{statement(StmtKind::kLet, renamed[grid.var]->id, std::move(at))};
  for (Stmt& s : copy_of(program, grid.body, renamed)) body.push_back(std::move(s));
  return body;
}

}  // namespace

void widen(Program& program, Stmt& grid, const Dims& dims) {
  if (greatest_extent(grid.value, dims) < kManyElements) return;
  const std::int64_t width = width_of(program, grid);
  if (width < 2) return;
  const ExprRef wide = constant_index(width);
  ExprRef runs = divided(grid.value, width);
  const bool exact = runs != nullptr;
  if (!exact) runs = op(ScalarOp::k_floor_div, {grid.value, wide}, DType::kI64);
  const VarId var = program.next_var++;
  const ExprRef place = variable(var, DType::kI64);
  Stmt run = statement(StmtKind::kFor, program.next_var++, wide);
  run.mode = LoopMode::kUnroll;
  run.body = iteration(program, grid, place * wide + variable(run.var, DType::kI64));
  if (!exact) {
    Stmt branch = statement(StmtKind::kIf, 0, op(ScalarOp::k_lt, {place, runs}, DType::kBool));
    branch.else_body = iteration(program, grid, place + runs * constant_index(width - 1));
    branch.body.push_back(std::move(run));
    run = std::move(branch);
    runs = runs + op(ScalarOp::k_mod, {grid.value, wide}, DType::kI64);
  }
  grid.var = var;
  grid.value = runs;
  grid.body = {std::move(run)};
}

bool is_wide(const Stmt& grid) {
  if (grid.mode != LoopMode::kGrid || grid.body.size() != 1) return false;
  const Stmt& first = grid.body[0];
  const Stmt& run = first.kind == StmtKind::kIf && !first.body.empty() ? first.body[0] : first;
  return run.kind == StmtKind::kFor && run.mode == LoopMode::kUnroll;
}

}  // namespace cohort::kernel
