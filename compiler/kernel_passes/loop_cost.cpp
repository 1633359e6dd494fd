#include "compiler/kernel_passes/loop_cost.h"

#include "compiler/kernel_passes/walk.h"
#include "ir/ops/product_call.h"

namespace cohort::kernel {

double trip_count(const Stmt& loop) {
  if (loop.value->kind != ExprKind::kConst) return kAssumedExtent;
  return static_cast<double>(static_cast<std::int64_t>(loop.value->bits));
}

double element_count(const Buffer& buffer) {
  double count = 1;
  for (const Dim& d : buffer.shape) count *= d.is_constant() ? static_cast<double>(d.offset) : kAssumedExtent;
  return count;
}

double greatest_extent(const ExprRef& e, const Dims& dims) {
  if (e->kind == ExprKind::kConst) return static_cast<double>(static_cast<std::int64_t>(e->bits));
  if (e->kind == ExprKind::kDim) return static_cast<double>(max_extent(e->dim, dims));
  if (e->kind != ExprKind::kOp || e->args.size() != 2) return kAssumedExtent;
  const double a = greatest_extent(e->args[0], dims), b = greatest_extent(e->args[1], dims);
  if (e->op == ScalarOp::k_mul) return a * b;
  if (e->op == ScalarOp::k_sub) return a;  // nothing taken away
  return e->op == ScalarOp::k_floor_div && b > 0 ? a / b : a + b;
}

double product_flops(const Stmt& call, const Dims& dims) {
  const bool packed = call.text == "rt_gemm_packed";
  const std::size_t first = packed ? std::size_t{gemm_packed::kM} : std::size_t{gemm::kBatch};
  const std::size_t last = packed ? std::size_t{gemm_packed::kK} : std::size_t{gemm::kK};
  double flops = 2;
  for (std::size_t k = first; k <= last; ++k) flops *= greatest_extent(call.index[k], dims);
  return flops;
}

double LoopCost::list(const std::vector<Stmt>& list, const LoopVariation* lanes) const {
  double cost = 0;
  for (const Stmt& stmt : list) {
    cost += statement(stmt, lanes);
    const double inner = this->list(stmt.body, lanes) + this->list(stmt.else_body, lanes);
    cost += stmt.kind == StmtKind::kFor ? trip_count(stmt) * (1 + inner) : inner;
  }
  return cost;
}

double LoopCost::statement(const Stmt& stmt, const LoopVariation* lanes) const {
  const bool waits = stmt.kind == StmtKind::kAccumulate || stmt.kind == StmtKind::kAssign;
  double cost = waits ? cpu_.latency_instructions : 0;
  for_each_expr(stmt, [&](const ExprRef& e) { cost += expression(*e, lanes); });
  if (stmt.kind == StmtKind::kStore) cost += access(stmt.buffer, stmt.index, lanes);
  return cost;
}

double LoopCost::expression(const Expr& expr, const LoopVariation* lanes) const {
  if (expr.kind == ExprKind::kLoad) return access(expr.id, expr.args, lanes);  // its index costs nothing
  double cost = 0;
  if (expr.kind == ExprKind::kOp)
    cost = (scalar_op_info(expr.op).traits & Trait::kTranscendental) != 0 ? cpu_.function_instructions : 1;
  if (expr.kind == ExprKind::kCustom) cost = cpu_.function_instructions;
  for (const ExprRef& arg : expr.args) cost += expression(*arg, lanes);
  return cost;
}

double LoopCost::access(BufferId buffer, const std::vector<ExprRef>& index,
                        const LoopVariation* lanes) const {
  if (lanes == nullptr) return 1;
  switch (movement(program_.buffers[buffer], index, *lanes)) {
    case Movement::kInvariant:
    case Movement::kUnit:
      return 1;
    case Movement::kStrided:
    case Movement::kOther:
      break;
  }
  return cpu_.lanes;
}

}  // namespace cohort::kernel
