#include "codegen/emit_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ir/diagnostics.h"
#include "ir/ops/extern_call.h"

namespace cohort {

using kernel::Expr;
using kernel::ExprKind;
using kernel::ExprRef;

struct Infix {
  ScalarOp op;
  std::string_view sign;
  Binding binding;
};

namespace {

constexpr Infix kArithmetic[] = {{ScalarOp::k_add, "+", Binding::kSum},
                                 {ScalarOp::k_sub, "-", Binding::kSum},
                                 {ScalarOp::k_mul, "*", Binding::kProduct},
                                 {ScalarOp::k_true_div, "/", Binding::kProduct}};
constexpr Infix kComparisons[] = {
    {ScalarOp::k_lt, "<", Binding::kComparison},  {ScalarOp::k_le, "<=", Binding::kComparison},
    {ScalarOp::k_gt, ">", Binding::kComparison},  {ScalarOp::k_ge, ">=", Binding::kComparison},
    {ScalarOp::k_eq, "==", Binding::kComparison}, {ScalarOp::k_ne, "!=", Binding::kComparison}};
// On truth values that are the same in all lanes.
constexpr Infix kLogic[] = {{ScalarOp::k_and, "&&", Binding::kAnd}, {ScalarOp::k_or, "||", Binding::kOr}};
// On indices known not to be negative, where rounding down is what the language does.
constexpr Infix kDivisions[] = {{ScalarOp::k_floor_div, "/", Binding::kProduct},
                                {ScalarOp::k_mod, "%", Binding::kProduct}};

template <std::size_t N>
const Infix* find_infix(const Infix (&table)[N], ScalarOp op) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const Infix& row) { return row.op == op; });
  return found == std::end(table) ? nullptr : found;
}

Binding tighter(Binding binding) { return static_cast<Binding>(static_cast<int>(binding) + 1); }

bool is_positive_constant(const Expr& e) {
  return e.kind == ExprKind::kConst && e.dtype == DType::kI64 && static_cast<std::int64_t>(e.bits) > 0;
}

}  // namespace

std::string ExprPrinter::wrap(const ExprText& text, Binding at_least) {
  return text.binding < at_least ? "(" + text.text + ")" : text.text;
}

bool ExprPrinter::varies(const ExprRef& expr) const {
  if (!lane_) return false;
  if (expr->kind == ExprKind::kVar || expr->kind == ExprKind::kFinish)
    return expr->id == *lane_ || variables_.at(expr->id).varying;
  return std::any_of(expr->args.begin(), expr->args.end(), [&](const ExprRef& a) { return varies(a); });
}

bool ExprPrinter::is_natural(const ExprRef& expr) const {
  switch (expr->kind) {
    case ExprKind::kConst:
      return static_cast<std::int64_t>(expr->bits) >= 0;
    case ExprKind::kVar:
      return variables_.at(expr->id).natural;
    case ExprKind::kDim:
      return true;
    case ExprKind::kLoad:
    case ExprKind::kFinish:
    case ExprKind::kCustom:
      return false;
    case ExprKind::kOp:
      break;
  }
  if (expr->op == ScalarOp::k_mod) return is_positive_constant(*expr->args[1]);
  const bool keeps = expr->op == ScalarOp::k_add || expr->op == ScalarOp::k_mul ||
                     expr->op == ScalarOp::k_floor_div || expr->op == ScalarOp::k_min ||
                     expr->op == ScalarOp::k_max;
  return keeps &&
         std::all_of(expr->args.begin(), expr->args.end(), [&](const ExprRef& a) { return is_natural(a); });
}

std::optional<AffineIndex> ExprPrinter::affine(const ExprRef& index) const {
  const ExprRef zero = kernel::constant_index(0);
  if (!varies(index)) return AffineIndex{index, zero};
  if (index->kind == ExprKind::kVar && index->id == *lane_)
    return AffineIndex{zero, kernel::constant_index(1)};
  if (index->kind != ExprKind::kOp || index->args.size() != 2) return std::nullopt;
  const auto a = affine(index->args[0]), b = affine(index->args[1]);
  if (!a || !b) return std::nullopt;
  switch (index->op) {
    case ScalarOp::k_add:
      return AffineIndex{a->base + b->base, a->step + b->step};
    case ScalarOp::k_sub:
      return AffineIndex{a->base - b->base, is_constant_index(*b->step, 0) ? a->step : a->step - b->step};
    case ScalarOp::k_mul:
      if (is_constant_index(*b->step, 0)) return AffineIndex{a->base * b->base, a->step * b->base};
      if (is_constant_index(*a->step, 0)) return AffineIndex{a->base * b->base, a->base * b->step};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

ExprText ExprPrinter::print_dim(const Dim& dim) const {
  if (dim.is_constant())
    return {std::to_string(dim.offset), dim.offset < 0 ? Binding::kUnary : Binding::kPrimary};
  ExprText out{dim_names_[dim.symbol], Binding::kPrimary};
  if (dim.scale != 1) out = {fmt::format("{} * {}", dim.scale, out.text), Binding::kProduct};
  if (dim.offset > 0) out = {fmt::format("{} + {}", out.text, dim.offset), Binding::kSum};
  if (dim.offset < 0) out = {fmt::format("{} - {}", out.text, -dim.offset), Binding::kSum};
  return out;
}

ExprText ExprPrinter::print_index(const ExprRef& expr) const {
  if (expr->kind == ExprKind::kConst) {
    const std::string digits = literal(dialect_, {DType::kI64, expr->bits}, true);
    return {digits, digits[0] == '-' ? Binding::kUnary : Binding::kPrimary};
  }
  if (shared_.contains(expr.get())) return print(expr);
  const Infix* infix = expr->kind == ExprKind::kOp ? index_infix(*expr) : nullptr;
  if (!infix) return print(expr);
  const std::string left = wrap(print_index(expr->args[0]), infix->binding);
  const std::string right = wrap(print_index(expr->args[1]), tighter(infix->binding));
  return {fmt::format("{} {} {}", left, infix->sign, right), infix->binding};
}

const Infix* ExprPrinter::index_infix(const Expr& op) const {
  if (op.dtype != DType::kI64 || op.args.size() != 2) return nullptr;
  if (const Infix* infix = find_infix(kArithmetic, op.op)) return infix;
  if (is_natural(op.args[0]) && is_positive_constant(*op.args[1])) return find_infix(kDivisions, op.op);
  return nullptr;
}

bool ExprPrinter::is_counting(const ExprRef& expr) const {
  switch (expr->kind) {
    case ExprKind::kConst:
      return expr->dtype == DType::kI64;
    case ExprKind::kDim:
      return true;
    case ExprKind::kVar:
      return variables_.at(expr->id).natural && !varies(expr);
    case ExprKind::kLoad:
    case ExprKind::kFinish:
    case ExprKind::kCustom:
      return false;
    case ExprKind::kOp:
      break;
  }
  return index_infix(*expr) &&
         std::all_of(expr->args.begin(), expr->args.end(), [&](const ExprRef& a) { return is_counting(a); });
}

std::string ExprPrinter::lanes_from(const ExprRef& base) const {
  const std::string& lane = variables_.at(*lane_).name;
  if (is_constant_index(*base, 0)) return lane;
  return fmt::format("{} + {}", wrap(print_index(base), Binding::kSum), lane);
}

ExprText ExprPrinter::print_load(const Expr& load) const {
  const std::string& buffer = buffer_names_[load.id];
  const ExprRef at = load.args.empty() ? kernel::constant_index(0) : load.args[0];
  require(load.args.size() <= 1, "emission needs flat indices");
  const std::string_view mask = load.dtype == DType::kBool ? "_mask" : "";
  if (!varies(at)) {
    if (load.dtype != DType::kBool && !is_half(load.dtype)) return {fmt::format("{}[{}]", buffer, index(at))};
    return {fmt::format("rt_load{}({}, int64_t{{{}}})", mask, buffer, index(at))};
  }
  const std::string& lane = variables_.at(*lane_).name;
  const auto where = affine(at);
  if (!where) return {fmt::format("rt_gather{}({}, {}, {})", mask, buffer, value(at), lane)};
  if (is_constant_index(*where->step, 1))
    return {fmt::format("rt_load{}({}, {})", mask, buffer, lanes_from(where->base))};
  return {
      fmt::format("rt_gather{}({}, {}, {}, {})", mask, buffer, index(where->base), index(where->step), lane)};
}

std::string ExprPrinter::store(kernel::BufferId buffer, const ExprRef& at, const ExprRef& value,
                               ScalarOp atomic) const {
  const std::string& name = buffer_names_[buffer];
  const DType dtype = program_.buffers[buffer].dtype;
  const std::string_view mask = dtype == DType::kBool ? "_mask" : "";
  const std::string text = this->value(value);
  if (atomic != ScalarOp::kNone) return fmt::format("rt_atomic_add(&{}[{}], {});", name, index(at), text);
  if (!varies(at)) {
    if (!is_half(dtype)) return fmt::format("{}[{}] = {};", name, index(at), text);
    return fmt::format("rt_store({}, int64_t{{{}}}, {});", name, index(at), text);
  }
  const std::string& lane = variables_.at(*lane_).name;
  const auto where = affine(at);
  if (!where) return fmt::format("rt_scatter{}({}, {}, {}, {});", mask, name, this->value(at), lane, text);
  if (is_constant_index(*where->step, 1))
    return fmt::format("rt_store{}({}, {}, {});", mask, name, lanes_from(where->base), text);
  return fmt::format("rt_scatter{}({}, {}, {}, {}, {});", mask, name, index(where->base), index(where->step),
                     lane, text);
}

std::string ExprPrinter::call(const kernel::Stmt& s) const {
  const std::optional<ops::ExternCall> own = ops::extern_call(s.text);
  std::string args = s.grain ? "header, " + index(s.grain) : "";
  const auto add = [&](const std::string& text) { args += (args.empty() ? "" : ", ") + text; };
  for (std::size_t b = own ? 1 : 0; b < s.buffers.size(); ++b) add(buffer_names_[s.buffers[b]]);
  for (const ExprRef& scalar : s.index) add(index(scalar));
  if (own) return fmt::format("{}[0] = {}({});", buffer_names_[s.buffers[0]], own->function, args);
  return fmt::format("{}{}({});", s.text, s.grain ? "_shared" : "", args);
}

ExprText ExprPrinter::print(const ExprRef& expr) const {
  if (const auto found = shared_.find(expr.get()); found != shared_.end()) return {found->second};
  switch (expr->kind) {
    case ExprKind::kConst: {
      const std::string text = literal(dialect_, {expr->dtype, expr->bits});
      return {text, text[0] == '-' ? Binding::kUnary : Binding::kPrimary};
    }
    case ExprKind::kVar: {
      const VariableName& variable = variables_.at(expr->id);
      if (lane_ == expr->id) return {fmt::format("rt_iota<int64_t>({})", variable.name)};
      return {variable.name, variable.binding};
    }
    case ExprKind::kFinish: {
      const VariableName& variable = variables_.at(expr->id);
      return {variable.object ? variable.name + ".finish()" : variable.name};
    }
    case ExprKind::kDim:
      return print_dim(expr->dim);
    case ExprKind::kLoad:
      return print_load(*expr);
    case ExprKind::kCustom:
      return print_custom(*expr);
    case ExprKind::kOp:
      return is_counting(expr) ? print_index(expr) : print_op(*expr);
  }
  return {};
}

ExprText ExprPrinter::print_op(const Expr& op) const {
  const DType operand = op.args[0]->dtype;
  ExprText out;
  if (op.op == ScalarOp::k_neg && is_float(operand)) {
    std::string inner = wrap(print(op.args[0]), Binding::kUnary);
    if (inner[0] == '-') inner = "(" + inner + ")";
    out = {"-" + inner, Binding::kUnary};
  } else if (const Infix* sum = find_infix(kArithmetic, op.op); sum && is_float(operand)) {
    out = {fmt::format("{} {} {}", wrap(print(op.args[0]), sum->binding), sum->sign,
                       wrap(print(op.args[1]), tighter(sum->binding))),
           sum->binding};
  } else if (const Infix* order = find_infix(kComparisons, op.op);
             order && !varies(op.args[0]) && !varies(op.args[1])) {
    const auto side = [&](const ExprRef& e) {
      return wrap(e->kind == ExprKind::kConst && e->dtype == DType::kI64 ? print_index(e) : print(e),
                  Binding::kSum);
    };
    return {fmt::format("{} {} {}", side(op.args[0]), order->sign, side(op.args[1])), order->binding};
  } else if (const Infix* logic = find_infix(kLogic, op.op);
             logic && !varies(op.args[0]) && !varies(op.args[1])) {
    // An `and` inside an `or` gets parentheses, as compilers ask for.
    const bool chain = op.args[0]->kind == ExprKind::kOp && op.args[0]->op == op.op;
    return {fmt::format("{} {} {}", wrap(print(op.args[0]), chain ? logic->binding : Binding::kComparison),
                        logic->sign, wrap(print(op.args[1]), Binding::kComparison)),
            logic->binding};
  } else {
    out = print_call(op);
  }
  if (op.dtype == DType::kF16) return {fmt::format("rt_round_f16({})", out.text)};
  if (op.dtype == DType::kBF16) return {fmt::format("rt_round_bf16({})", out.text)};
  return out;
}

// A function of the user's takes scalars; vectors go through it lane by lane.
ExprText ExprPrinter::print_custom(const Expr& custom) const {
  const std::string& name = customs_->name(*custom.custom);
  std::string args, text;
  bool varying = false;
  for (const ExprRef& a : custom.args) {
    args += (args.empty() ? "" : ", ") + print(a).text;
    varying = varying || varies(a);
  }
  if (varying)
    text = fmt::format("rt_each_lane<{}>({}, {}, {})", dialect_.value_type(custom.dtype),
                       variables_.at(*lane_).name, name, args);
  else
    text = fmt::format("{}({})", name, args);
  if (custom.dtype == DType::kF16) return {fmt::format("rt_round_f16({})", text)};
  if (custom.dtype == DType::kBF16) return {fmt::format("rt_round_bf16({})", text)};
  return {text};
}

ExprText ExprPrinter::print_call(const Expr& op) const {
  std::string args;
  for (const ExprRef& a : op.args) args += (args.empty() ? "" : ", ") + print(a).text;
  if (op.op == ScalarOp::k_cast) {
    // Values of halves are floats already.
    const std::string_view to = dialect_.value_type(op.dtype);
    if (to == dialect_.value_type(op.args[0]->dtype)) return print(op.args[0]);
    return {fmt::format("rt_cast<{}>({})", to, args)};
  }
  std::string_view name = scalar_op_info(op.op).name;
  if (op.args[0]->dtype == DType::kBool) {  // sums and products of truth values
    if (op.op == ScalarOp::k_add || op.op == ScalarOp::k_max || op.op == ScalarOp::k_bit_or) name = "or";
    if (op.op == ScalarOp::k_mul || op.op == ScalarOp::k_min || op.op == ScalarOp::k_bit_and) name = "and";
    if (op.op == ScalarOp::k_bit_xor) name = "xor";
    if (op.op == ScalarOp::k_bit_not) name = "not";
  }
  return {fmt::format("rt_{}({})", name, args)};
}

}  // namespace cohort
