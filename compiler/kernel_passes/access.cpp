#include "compiler/kernel_passes/access.h"

#include <algorithm>
#include <map>

#include "compiler/kernel_passes/linear.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {
namespace {

// Adds the variables of a list that vary; again until none is added, for a variable assigned late in a loop
// is read early.
bool add_varying(const std::vector<Stmt>& list, LoopVariation& loop, bool condition_varies) {
  bool added = false;
  for (const Stmt& stmt : list) {
    const bool names = stmt.kind == StmtKind::kLet || stmt.kind == StmtKind::kVar ||
                       stmt.kind == StmtKind::kAssign || stmt.kind == StmtKind::kAccumulate ||
                       stmt.kind == StmtKind::kFor;
    if (names && (condition_varies || varies(stmt.value, loop)))
      added |= loop.varying.insert(stmt.var).second;
    const bool branch = stmt.kind == StmtKind::kIf && varies(stmt.value, loop);
    added |= add_varying(stmt.body, loop, condition_varies || branch);
    added |= add_varying(stmt.else_body, loop, condition_varies || branch);
  }
  return added;
}

}  // namespace

LoopVariation variation_of(const Stmt& loop) {
  LoopVariation result;
  result.var = loop.var;
  if (loop.value->kind == ExprKind::kConst) result.trips = static_cast<std::int64_t>(loop.value->bits);
  result.varying.insert(loop.var);
  result.inside.insert(loop.var);
  for_each_stmt(loop.body, [&](const Stmt& stmt) {
    if (stmt.kind == StmtKind::kLet) result.lets.emplace(stmt.var, stmt.value);
    if (stmt.kind == StmtKind::kLet || stmt.kind == StmtKind::kVar || stmt.kind == StmtKind::kFor ||
        stmt.kind == StmtKind::kAccumulator)
      result.inside.insert(stmt.var);
  });
  while (add_varying(loop.body, result, false)) {
  }
  return result;
}

bool varies(const ExprRef& expr, const LoopVariation& loop) {
  if (expr->kind == ExprKind::kVar || expr->kind == ExprKind::kFinish) return loop.varying.contains(expr->id);
  return std::any_of(expr->args.begin(), expr->args.end(), [&](const ExprRef& a) { return varies(a, loop); });
}

std::optional<std::int64_t> coefficient(const ExprRef& expr, const LoopVariation& loop) {
  if (!varies(expr, loop)) return 0;
  if (expr->kind == ExprKind::kVar) {
    if (expr->id == loop.var) return 1;
    const auto found = loop.lets.find(expr->id);
    return found == loop.lets.end() ? std::nullopt : coefficient(found->second, loop);
  }
  if (expr->kind != ExprKind::kOp || expr->dtype != DType::kI64) return std::nullopt;
  const bool sum = expr->op == ScalarOp::k_add || expr->op == ScalarOp::k_sub;
  if (!sum && expr->op != ScalarOp::k_mul) return std::nullopt;
  const std::optional<std::int64_t> a = coefficient(expr->args[0], loop),
                                    b = coefficient(expr->args[1], loop);
  if (!a || !b) return std::nullopt;
  if (sum) return expr->op == ScalarOp::k_add ? *a + *b : *a - *b;
  const auto factor = [](const ExprRef& e) -> std::optional<std::int64_t> {
    if (e->kind != ExprKind::kConst) return std::nullopt;
    return static_cast<std::int64_t>(e->bits);
  };
  if (const auto c = factor(expr->args[0])) return *c * *b;
  if (const auto c = factor(expr->args[1])) return *c * *a;
  return std::nullopt;
}

namespace {

// Lets of the loop's body replaced by what they stand for, where that is index arithmetic on varying values.
ExprRef expand(const ExprRef& expr, const LoopVariation& loop, int depth) {
  return rewrite(expr, [&](const ExprRef& e) -> ExprRef {
    if (e->kind != ExprKind::kVar || e->dtype != DType::kI64 || depth == 0 || !loop.varying.contains(e->id))
      return e;
    const auto found = loop.lets.find(e->id);
    return found == loop.lets.end() ? e : expand(found->second, loop, depth - 1);
  });
}

}  // namespace

std::optional<std::int64_t> offset_from(const Expr& expr, VarId var) {
  const auto is_var = [&](const Expr& e) { return e.kind == ExprKind::kVar && e.id == var; };
  if (is_var(expr)) return 0;
  if (expr.kind != ExprKind::kOp || expr.op != ScalarOp::k_add) return {};
  for (const int v : {0, 1})
    if (is_var(*expr.args[v]) && expr.args[1 - v]->kind == ExprKind::kConst)
      return static_cast<std::int64_t>(expr.args[1 - v]->bits);
  return {};
}

ExprRef flat_index(const Buffer& buffer, const std::vector<ExprRef>& index) {
  if (index.size() == 1 && buffer.shape.size() != 1) return index[0];
  if (!buffer.row_starts.empty()) {
    const ExprRef& row = index[0];
    const ExprRef start = row->kind == ExprKind::kConst
                              ? constant_index(buffer.row_starts[static_cast<std::size_t>(row->bits)])
                              : load(buffer.row_table, DType::kI64, {row});
    return start + index[1];
  }
  ExprRef result = constant_index(0);
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    result = result * extent(buffer.shape[axis]) + index[axis];
  return result;
}

Movement movement(const Buffer& buffer, const std::vector<ExprRef>& index, const LoopVariation& loop) {
  if (std::none_of(index.begin(), index.end(), [&](const ExprRef& e) { return varies(e, loop); }))
    return Movement::kInvariant;
  constexpr int kMaxDepth = 8;
  const Linear linear = decompose(expand(flat_index(buffer, index), loop, kMaxDepth));
  const std::optional<Linear> factor = factor_of(linear, loop.var);
  const bool other = std::any_of(linear.terms.begin(), linear.terms.end(), [&](const Term& t) {
    return t.atom && !(t.atom->kind == ExprKind::kVar && t.atom->id == loop.var) && varies(t.atom, loop);
  });
  if (!factor || other) return Movement::kOther;
  const std::optional<std::int64_t> step = constant_value(*factor);
  if (!step) return Movement::kStrided;
  return *step == 0 ? Movement::kInvariant : *step == 1 ? Movement::kUnit : Movement::kStrided;
}

namespace {

// Whether an expr depends on something of the body other than the loop's own variable: an inner loop's, say.
bool mentions_other(const ExprRef& expr, const LoopVariation& loop) {
  if (expr->kind == ExprKind::kVar) return expr->id != loop.var && loop.inside.contains(expr->id);
  if (expr->kind == ExprKind::kLoad) return true;
  return std::any_of(expr->args.begin(), expr->args.end(),
                     [&](const ExprRef& a) { return mentions_other(a, loop); });
}

// What tells accesses apart on an axis: constants, or where the ranges of the whole loop begin. Nothing for
// accesses of other forms, and for ranges that overlap.
std::optional<std::vector<std::int64_t>> places_on_axis(const std::vector<IndexRef>& accesses,
                                                        std::size_t axis, const LoopVariation& loop) {
  std::vector<std::int64_t> places;
  std::int64_t apart = 1;
  for (const IndexRef access : accesses) {
    const Expr& e = *(*access)[axis];
    const bool is_constant = e.kind == ExprKind::kConst;
    const auto offset = is_constant ? static_cast<std::int64_t>(e.bits) : offset_from(e, loop.var);
    if (!offset || (!is_constant && !loop.trips)) return {};
    if (!is_constant) apart = std::max(apart, *loop.trips);
    places.push_back(*offset);
  }
  std::vector<std::int64_t> sorted = places;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] - sorted[i - 1] < apart) return {};
  return places;
}

bool agree_on_an_axis(const std::vector<IndexRef>& accesses, const LoopVariation& loop) {
  const std::vector<ExprRef>& first = *accesses.front();
  for (std::size_t axis = 0; axis < first.size(); ++axis) {
    const std::optional<std::int64_t> c = coefficient(first[axis], loop);
    if (!c || *c == 0 || mentions_other(first[axis], loop)) continue;
    const bool agree = std::all_of(accesses.begin(), accesses.end(),
                                   [&](IndexRef a) { return equal((*a)[axis], first[axis]); });
    if (agree) return true;
  }
  return false;
}

}  // namespace

bool tells_iterations_apart(const std::vector<IndexRef>& accesses, const LoopVariation& loop) {
  if (std::find(accesses.begin(), accesses.end(), nullptr) != accesses.end()) return false;
  // Members of one storage, and parts of one array, never meet.
  std::vector<std::vector<std::int64_t>> places(accesses.size());
  for (std::size_t axis = 0; axis < accesses.front()->size(); ++axis)
    if (const auto found = places_on_axis(accesses, axis, loop))
      for (std::size_t a = 0; a < accesses.size(); ++a) places[a].push_back((*found)[a]);
  std::map<std::vector<std::int64_t>, std::vector<IndexRef>> groups;
  for (std::size_t a = 0; a < accesses.size(); ++a) groups[places[a]].push_back(accesses[a]);
  return std::all_of(groups.begin(), groups.end(),
                     [&](const auto& group) { return agree_on_an_axis(group.second, loop); });
}

}  // namespace cohort::kernel
