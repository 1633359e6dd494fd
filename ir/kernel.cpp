#include "ir/kernel.h"

#include <algorithm>
#include <limits>

#include "ir/custom_function.h"
#include "ir/diagnostics.h"

namespace cohort::kernel {

namespace {

ExprRef make(Expr expr) { return std::make_shared<const Expr>(std::move(expr)); }

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2);
  return seed * 0xff51afd7ed558ccdu;
}

// x+0, x-0, x*1, x*0 on indices; null if none applies.
ExprRef simplify_index_op(ScalarOp op, const std::vector<ExprRef>& args) {
  if (args.size() != 2 || args[0]->dtype != DType::kI64) return nullptr;
  const ExprRef &a = args[0], &b = args[1];
  if (op == ScalarOp::k_add && is_constant_index(*a, 0)) return b;
  if ((op == ScalarOp::k_add || op == ScalarOp::k_sub) && is_constant_index(*b, 0)) return a;
  if (op != ScalarOp::k_mul) return nullptr;
  if (is_constant_index(*a, 0) || is_constant_index(*b, 1)) return a;
  if (is_constant_index(*b, 0) || is_constant_index(*a, 1)) return b;
  return nullptr;
}

}  // namespace

bool is_single(const Buffer& buffer) {
  return buffer.row_starts.empty() &&
         std::all_of(buffer.shape.begin(), buffer.shape.end(), [](const Dim& d) { return d.is_constant(1); });
}

std::int64_t max_element_count(const Buffer& buffer, const Dims& dims) {
  return buffer.row_starts.empty() ? cohort::max_element_count(buffer.shape, dims) : buffer.row_starts.back();
}

Kernel transfer(const Program& program, BufferId to, BufferId from) {
  Stmt stmt;
  stmt.kind = StmtKind::kTransfer;
  stmt.buffer = to;
  stmt.buffers = {from};
  Kernel kernel;
  const bool up = program.buffers[to].device == Device::kGpu;
  kernel.name = (up ? "upload_" : "download_") + program.buffers[from].name;
  kernel.body.push_back(std::move(stmt));
  return kernel;
}

bool is_transfer(const Kernel& kernel) {
  return kernel.body.size() == 1 && kernel.body[0].kind == StmtKind::kTransfer;
}

ExprRef constant(Scalar value) {
  Expr e;
  e.kind = ExprKind::kConst;
  e.dtype = value.dtype;
  e.bits = value.bits;
  return make(std::move(e));
}

ExprRef constant_index(std::int64_t value) { return constant(make_scalar_int(DType::kI64, value)); }

ExprRef variable(VarId id, DType dtype) {
  Expr e;
  e.kind = ExprKind::kVar;
  e.dtype = dtype;
  e.id = id;
  return make(std::move(e));
}

ExprRef extent(const Dim& dim) {
  if (dim.is_constant()) return constant_index(dim.offset);
  Expr e;
  e.kind = ExprKind::kDim;
  e.dim = dim;
  return make(std::move(e));
}

ExprRef load(BufferId buffer, DType dtype, std::vector<ExprRef> index) {
  Expr e;
  e.kind = ExprKind::kLoad;
  e.dtype = dtype;
  e.id = buffer;
  e.args = std::move(index);
  return make(std::move(e));
}

ExprRef finish(VarId accumulator, DType dtype) {
  Expr e;
  e.kind = ExprKind::kFinish;
  e.dtype = dtype;
  e.id = accumulator;
  return make(std::move(e));
}

ExprRef op(ScalarOp op, std::vector<ExprRef> args, DType result) {
  if (ExprRef simple = simplify_index_op(op, args)) return simple;
  if (std::all_of(args.begin(), args.end(), [](const ExprRef& a) { return a->kind == ExprKind::kConst; })) {
    std::vector<Scalar> operands;
    for (const ExprRef& a : args) operands.push_back({a->dtype, a->bits});
    return constant(evaluate_scalar(op, operands, result));
  }
  Expr e;
  e.kind = ExprKind::kOp;
  e.dtype = result;
  e.op = op;
  e.args = std::move(args);
  return make(std::move(e));
}

ExprRef custom(const CustomFunction& function, std::vector<ExprRef> args, DType result) {
  Expr e;
  e.kind = ExprKind::kCustom;
  e.dtype = result;
  e.args = std::move(args);
  e.custom = &function;
  return make(std::move(e));
}

ExprRef with_args(const Expr& expr, std::vector<ExprRef> args) {
  if (expr.kind == ExprKind::kLoad) return load(expr.id, expr.dtype, std::move(args));
  if (expr.kind == ExprKind::kCustom) return custom(*expr.custom, std::move(args), expr.dtype);
  return op(expr.op, std::move(args), expr.dtype);
}

Scalar identity(ScalarOp op, DType dtype) {
  switch (op) {
    case ScalarOp::k_add:
    case ScalarOp::k_or:
    case ScalarOp::k_bit_or:
    case ScalarOp::k_bit_xor:
    case ScalarOp::k_xor:
      return make_scalar_int(dtype, 0);
    case ScalarOp::k_mul:
    case ScalarOp::k_and:
      return make_scalar_int(dtype, 1);
    case ScalarOp::k_min:
    case ScalarOp::k_max:
      break;
    default:
      internal_error("an accumulator's operator has no identity");
  }
  const bool greatest = op == ScalarOp::k_min;
  if (dtype == DType::kBool) return make_scalar_int(dtype, greatest ? 1 : 0);
  if (dtype == DType::kU64) return {dtype, greatest ? std::numeric_limits<std::uint64_t>::max() : 0};
  const double infinity = std::numeric_limits<double>::infinity();
  return make_scalar(dtype, greatest ? infinity : -infinity);  // saturates at the limits of the dtype
}

bool is_constant_index(const Expr& e, std::int64_t value) {
  return e.kind == ExprKind::kConst && e.dtype == DType::kI64 && e.bits == static_cast<std::uint64_t>(value);
}

bool equal(const ExprRef& a, const ExprRef& b) {
  if (a == b) return true;
  if (!a || !b) return false;
  if (a->kind != b->kind || a->dtype != b->dtype || a->op != b->op || a->id != b->id || a->bits != b->bits ||
      !(a->dim == b->dim) || a->custom != b->custom || a->args.size() != b->args.size())
    return false;
  return std::equal(a->args.begin(), a->args.end(), b->args.begin(),
                    [](const ExprRef& x, const ExprRef& y) { return equal(x, y); });
}

std::uint64_t hash(const ExprRef& e) {
  if (!e) return 0;
  std::uint64_t h = mix(static_cast<std::uint64_t>(e->kind), static_cast<std::uint64_t>(e->dtype));
  h = mix(h, static_cast<std::uint64_t>(e->op));
  h = mix(mix(h, e->id), e->bits);
  h = mix(mix(mix(h, static_cast<std::uint64_t>(e->dim.offset)), static_cast<std::uint64_t>(e->dim.scale)),
          e->dim.symbol);
  if (e->custom)
    for (const char c : custom_key(*e->custom)) h = mix(h, static_cast<std::uint64_t>(c));
  for (const ExprRef& a : e->args) h = mix(h, hash(a));
  return h;
}

}  // namespace cohort::kernel
