#include "codegen/clang/body_translator.h"

namespace cohort {

CustomNode BodyTranslator::unary(const UnaryOperator& e) {
  CustomOp op = CustomOp::kNone;
  switch (e.getOpcode()) {
    case UO_Plus:
    case UO_Extension:
      return expression(*e.getSubExpr());
    case UO_Minus:
      op = CustomOp::kNegate;
      break;
    case UO_Not:
      op = CustomOp::kBitNot;
      break;
    case UO_LNot:
      op = CustomOp::kNot;
      break;
    case UO_PreInc:
    case UO_PreDec:
    case UO_PostInc:
    case UO_PostDec:
      return step(e);
    case UO_AddrOf:
      no(e.getOperatorLoc(), "takes an address");
    case UO_Deref:
      if (const char* name = name_of(*e.getSubExpr()->IgnoreParenImpCasts())) no(e.getOperatorLoc(), name);
      no(e.getOperatorLoc(), "reads through a pointer");
    default:
      no(e.getOperatorLoc(), refusal(e));
  }
  CustomNode result = node(CustomKind::kUnary, e);
  result.op = op;
  result.dtype = dtype(e);
  result.args.push_back(expression(*e.getSubExpr()));
  return result;
}

// The variable that is assigned.
std::uint32_t BodyTranslator::target(const Expr& e) {
  const auto* reference = dyn_cast<DeclRefExpr>(e.IgnoreParens());
  const auto* variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (variable && slots_.contains(variable)) return slots_.at(variable);
  if (variable)
    no(e.getExprLoc(), fmt::format("writes `{}`, which is not its own", variable->getNameAsString()));
  no(e.getExprLoc(), "assigns to something other than a variable of its own");
}

CustomNode BodyTranslator::step(const UnaryOperator& e) {
  const std::uint32_t index = target(*e.getSubExpr());
  const DType own = dtype(*e.getSubExpr());
  const DType wide = is_float(own) || dtype_bytes(own) >= 4 ? own : DType::kI32;
  CustomNode value = node(CustomKind::kLocal, e);
  value.index = index;
  value.dtype = own;
  CustomNode one = node(CustomKind::kConst, e);
  const Scalar unit = is_float(wide) ? make_scalar(wide, 1) : make_scalar_int(wide, 1);
  one.dtype = wide;
  one.bits = unit.bits;
  CustomNode sum = node(CustomKind::kBinary, e);
  sum.op = e.isIncrementOp() ? CustomOp::kAdd : CustomOp::kSubtract;
  sum.dtype = wide;
  sum.args.push_back(converted(std::move(value), wide));
  sum.args.push_back(std::move(one));
  CustomNode result = node(e.isPrefix() ? CustomKind::kAssign : CustomKind::kExchange, e);
  result.index = index;
  result.dtype = own;
  result.args.push_back(converted(std::move(sum), own));
  return result;
}

CustomOp BodyTranslator::operation(BinaryOperatorKind op, const Expr& at) const {
  switch (op) {
    case BO_Add:
    case BO_AddAssign:
      return CustomOp::kAdd;
    case BO_Sub:
    case BO_SubAssign:
      return CustomOp::kSubtract;
    case BO_Mul:
    case BO_MulAssign:
      return CustomOp::kMultiply;
    case BO_Div:
    case BO_DivAssign:
      return CustomOp::kDivide;
    case BO_Rem:
    case BO_RemAssign:
      return CustomOp::kRemainder;
    case BO_Shl:
    case BO_ShlAssign:
      return CustomOp::kShiftLeft;
    case BO_Shr:
    case BO_ShrAssign:
      return CustomOp::kShiftRight;
    case BO_And:
    case BO_AndAssign:
      return CustomOp::kBitAnd;
    case BO_Or:
    case BO_OrAssign:
      return CustomOp::kBitOr;
    case BO_Xor:
    case BO_XorAssign:
      return CustomOp::kBitXor;
    case BO_LT:
      return CustomOp::kLess;
    case BO_LE:
      return CustomOp::kLessEqual;
    case BO_GT:
      return CustomOp::kGreater;
    case BO_GE:
      return CustomOp::kGreaterEqual;
    case BO_EQ:
      return CustomOp::kEqual;
    case BO_NE:
      return CustomOp::kNotEqual;
    default:
      no(at.getExprLoc(), refusal(at));
  }
}

// Division by 0 would end the program, a shift by too much differs between machines.
void BodyTranslator::check_integers(BinaryOperatorKind op, const Expr& e, const Expr& right,
                                    DType dtype) const {
  if (is_float(dtype)) return;
  const auto value = constant_value(all_.context_, right);
  const bool divides = op == BO_Div || op == BO_Rem || op == BO_DivAssign || op == BO_RemAssign;
  if (divides) {
    const bool is_minus_one = value && is_signed_int(dtype) && scalar_as_int(*value) == -1;
    if (!value || scalar_as_int(*value) == 0 || is_minus_one)
      no(e.getExprLoc(), "divides integers by what is no constant, or 0, or -1");
  }
  const bool shifts = op == BO_Shl || op == BO_Shr || op == BO_ShlAssign || op == BO_ShrAssign;
  if (!shifts) return;
  const std::int64_t bits = 8 * dtype_bytes(dtype);
  const auto fits = [&](const std::optional<Scalar>& amount) {
    return amount && scalar_as_int(*amount) >= 0 && scalar_as_int(*amount) < bits;
  };
  if (fits(value)) return;
  const auto* mask = dyn_cast<BinaryOperator>(right.IgnoreParenImpCasts());
  if (mask && mask->getOpcode() == BO_And &&
      (fits(constant_value(all_.context_, *mask->getRHS())) ||
       fits(constant_value(all_.context_, *mask->getLHS()))))
    return;
  no(e.getExprLoc(), fmt::format("shifts by what is neither a constant nor masked to less than {}", bits));
}

CustomNode BodyTranslator::binary(const BinaryOperator& e) {
  if (e.getOpcode() == BO_Assign) {
    CustomNode result = node(CustomKind::kAssign, e);
    result.index = target(*e.getLHS());
    result.dtype = dtype(*e.getLHS());
    result.args.push_back(expression(*e.getRHS()));
    return result;
  }
  CustomNode result = node(CustomKind::kBinary, e);
  if (e.getOpcode() == BO_Comma) result.kind = CustomKind::kComma;
  if (e.getOpcode() == BO_LAnd) result.kind = CustomKind::kAnd;
  if (e.getOpcode() == BO_LOr) result.kind = CustomKind::kOr;
  result.args.push_back(expression(*e.getLHS()));
  result.args.push_back(expression(*e.getRHS()));
  result.dtype = dtype(e);
  if (result.kind != CustomKind::kBinary) return result;
  result.op = operation(e.getOpcode(), e);
  check_integers(e.getOpcode(), e, *e.getRHS(), result.dtype);
  return result;
}

CustomNode BodyTranslator::compound(const CompoundAssignOperator& e) {
  const std::optional<DType> wide = scalar_dtype(e.getComputationLHSType());
  CustomNode result = node(CustomKind::kAssign, e);
  result.index = target(*e.getLHS());
  result.dtype = dtype(*e.getLHS());
  CustomNode own = node(CustomKind::kLocal, e);
  own.index = result.index;
  own.dtype = result.dtype;
  CustomNode value = node(CustomKind::kBinary, e);
  value.op = operation(e.getOpcode(), e);
  value.dtype = wide.value_or(result.dtype);
  check_integers(e.getOpcode(), e, *e.getRHS(), value.dtype);
  value.args.push_back(converted(std::move(own), value.dtype));
  value.args.push_back(expression(*e.getRHS()));
  const DType back = result.dtype;
  result.args.push_back(converted(std::move(value), back));
  return result;
}

}  // namespace cohort
