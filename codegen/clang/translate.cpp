#include "codegen/clang/translate.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <fmt/format.h>

#include <algorithm>

namespace cohort {

using namespace clang;

// One body.
class BodyTranslator {
 public:
  BodyTranslator(Translator& all, const FunctionDecl& function, CustomDefinition& definition)
      : all_(all), function_(function), definition_(definition) {
    for (const ParmVarDecl* parameter : function.parameters()) slot(*parameter);
  }

  CustomNode statement(const Stmt& s);
  CustomNode expression(const Expr& e);
  std::uint32_t locals() const { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  [[noreturn]] void no(SourceLocation at, const std::string& what) const {
    refuse(all_.sources_, at, definition_.name, what);
  }
  std::uint32_t slot(const VarDecl& variable) {
    return slots_.try_emplace(&variable, static_cast<std::uint32_t>(slots_.size())).first->second;
  }
  CustomNode node(CustomKind kind, const Stmt& at) const {
    const Location where = location_of(all_.sources_, at.getBeginLoc());
    CustomNode result;
    result.kind = kind;
    result.line = where.line;
    result.column = where.column;
    return result;
  }
  DType dtype(const Expr& e) const {
    const std::optional<DType> found = scalar_dtype(e.getType());
    if (!found)
      no(e.getBeginLoc(),
         fmt::format("uses a value of type `{}`, which is no scalar", e.getType().getAsString()));
    return *found;
  }
  CustomNode declarations(const DeclStmt& s);
  CustomNode loop(const Stmt& s, const Stmt* init, const Expr* condition, const Expr* step, const Stmt& body);
  CustomNode constant(const Expr& e, Scalar value) const {
    CustomNode result = node(CustomKind::kConst, e);
    result.dtype = value.dtype;
    result.bits = value.bits;
    return result;
  }
  CustomNode variable(const DeclRefExpr& e);
  CustomNode cast(const CastExpr& e);
  CustomNode unary(const UnaryOperator& e);
  CustomNode step(const UnaryOperator& e);
  CustomNode binary(const BinaryOperator& e);
  CustomNode compound(const CompoundAssignOperator& e);
  CustomNode call(const CallExpr& e);
  CustomNode converted(CustomNode value, DType dtype) const {
    if (value.dtype == dtype) return value;
    CustomNode result;
    result.kind = CustomKind::kConvert;
    result.dtype = dtype;
    result.line = value.line;
    result.column = value.column;
    result.args.push_back(std::move(value));
    return result;
  }
  std::uint32_t target(const Expr& e);
  void check_integers(BinaryOperatorKind op, const Expr& e, const Expr& right, DType dtype) const;
  CustomOp operation(BinaryOperatorKind op, const Expr& at) const;

  Translator& all_;
  const FunctionDecl& function_;
  CustomDefinition& definition_;
  std::map<const VarDecl*, std::uint32_t> slots_;
};

namespace {

// What is said of statements and expressions that are no part of it.
const char* name_of(const Stmt& s) {
  switch (s.getStmtClass()) {
    case Stmt::GotoStmtClass:
    case Stmt::IndirectGotoStmtClass:
    case Stmt::LabelStmtClass:
      return "uses `goto`";
    case Stmt::GCCAsmStmtClass:
    case Stmt::MSAsmStmtClass:
      return "has assembly code";
    case Stmt::SwitchStmtClass:
    case Stmt::CaseStmtClass:
      return "uses `switch`";
    case Stmt::CXXTryStmtClass:
    case Stmt::CXXCatchStmtClass:
      return "catches exceptions";
    case Stmt::CXXThrowExprClass:
      return "throws";
    case Stmt::CXXNewExprClass:
    case Stmt::CXXDeleteExprClass:
      return "allocates memory";
    case Stmt::LambdaExprClass:
      return "has a lambda";
    case Stmt::CXXForRangeStmtClass:
      return "loops over a range";
    case Stmt::ArraySubscriptExprClass:
      return "uses an array";
    case Stmt::StringLiteralClass:
      return "uses a string";
    case Stmt::MemberExprClass:
    case Stmt::CXXThisExprClass:
    case Stmt::CXXMemberCallExprClass:
    case Stmt::CXXOperatorCallExprClass:
    case Stmt::CXXConstructExprClass:
    case Stmt::CXXTemporaryObjectExprClass:
      return "uses an object of a class";
    case Stmt::VAArgExprClass:
      return "reads variable arguments";
    case Stmt::CXXReinterpretCastExprClass:
    case Stmt::CXXConstCastExprClass:
    case Stmt::CXXDynamicCastExprClass:
      return "uses a cast other than between scalars";
    case Stmt::CoreturnStmtClass:
    case Stmt::CoawaitExprClass:
    case Stmt::CoyieldExprClass:
      return "is a coroutine";
    default:
      return nullptr;
  }
}

// Of an operator applied to something that has no place here that something is told.
std::string refusal(const Stmt& s) {
  if (const auto* call = dyn_cast<CXXOperatorCallExpr>(&s); call && call->getNumArgs() > 0)
    if (isa<LambdaExpr>(call->getArg(0)->IgnoreUnlessSpelledInSource())) return "has a lambda";
  if (const char* name = name_of(s)) return name;
  return fmt::format("has a `{}`, which functions of a graph cannot have", s.getStmtClassName());
}

}  // namespace

CustomNode BodyTranslator::statement(const Stmt& s) {
  CustomNode block = node(CustomKind::kBlock, s);
  if (const auto* e = dyn_cast<Expr>(&s)) return expression(*e);
  switch (s.getStmtClass()) {
    case Stmt::NullStmtClass:
      return block;
    case Stmt::CompoundStmtClass:
      for (const Stmt* each : cast_or_null<CompoundStmt>(&s)->body()) block.args.push_back(statement(*each));
      return block;
    case Stmt::AttributedStmtClass:
      return statement(*llvm::cast<AttributedStmt>(s).getSubStmt());
    case Stmt::DeclStmtClass:
      return declarations(llvm::cast<DeclStmt>(s));
    case Stmt::IfStmtClass: {
      const auto& choice = llvm::cast<IfStmt>(s);
      if (choice.isConsteval() || choice.getConditionVariable()) no(s.getBeginLoc(), refusal(s));
      if (choice.getInit()) block.args.push_back(statement(*choice.getInit()));
      CustomNode result = node(CustomKind::kIf, s);
      result.args.push_back(expression(*choice.getCond()));
      result.args.push_back(statement(*choice.getThen()));
      if (choice.getElse()) result.args.push_back(statement(*choice.getElse()));
      block.args.push_back(std::move(result));
      return block;
    }
    case Stmt::ForStmtClass: {
      const auto& f = llvm::cast<ForStmt>(s);
      if (f.getConditionVariable()) no(s.getBeginLoc(), refusal(s));
      return loop(s, f.getInit(), f.getCond(), f.getInc(), *f.getBody());
    }
    case Stmt::WhileStmtClass: {
      const auto& w = llvm::cast<WhileStmt>(s);
      if (w.getConditionVariable()) no(s.getBeginLoc(), refusal(s));
      return loop(s, nullptr, w.getCond(), nullptr, *w.getBody());
    }
    case Stmt::DoStmtClass: {
      const auto& d = llvm::cast<DoStmt>(s);
      CustomNode result = loop(s, nullptr, d.getCond(), nullptr, *d.getBody());
      result.args.back().index = 1;
      return result;
    }
    case Stmt::ReturnStmtClass: {
      CustomNode result = node(CustomKind::kReturn, s);
      result.args.push_back(expression(*llvm::cast<ReturnStmt>(s).getRetValue()));
      return result;
    }
    case Stmt::BreakStmtClass:
      return node(CustomKind::kBreak, s);
    case Stmt::ContinueStmtClass:
      return node(CustomKind::kContinue, s);
    default:
      no(s.getBeginLoc(), refusal(s));
  }
}

CustomNode BodyTranslator::loop(const Stmt& s, const Stmt* init, const Expr* condition, const Expr* step,
                                const Stmt& body) {
  CustomNode block = node(CustomKind::kBlock, s);
  if (init) block.args.push_back(statement(*init));
  CustomNode result = node(CustomKind::kLoop, s);
  if (condition) {
    result.args.push_back(expression(*condition));
  } else {
    result.args.push_back(node(CustomKind::kConst, s));
    result.args.back().dtype = DType::kBool;
    result.args.back().bits = 1;
  }
  result.args.push_back(statement(body));
  result.args.push_back(step ? expression(*step) : node(CustomKind::kBlock, s));
  block.args.push_back(std::move(result));
  return block;
}

CustomNode BodyTranslator::declarations(const DeclStmt& s) {
  CustomNode block = node(CustomKind::kBlock, s);
  for (const Decl* each : s.decls()) {
    if (isa<TypedefNameDecl, UsingDecl, UsingDirectiveDecl, StaticAssertDecl, EmptyDecl>(each)) continue;
    const auto* variable = dyn_cast<VarDecl>(each);
    if (variable == nullptr) no(each->getLocation(), "declares something other than a variable");
    const std::string name = variable->getNameAsString();
    if (!variable->isLocalVarDecl() || variable->isStaticLocal() ||
        variable->getTLSKind() != VarDecl::TLS_None)
      no(variable->getLocation(), fmt::format("keeps `{}` between calls", name));
    if (variable->getType().isVolatileQualified())
      no(variable->getLocation(), fmt::format("has the volatile variable `{}`", name));
    if (!scalar_dtype(variable->getType()))
      no(variable->getLocation(), fmt::format("has the variable `{}` of type `{}`, which is no scalar", name,
                                              variable->getType().getAsString()));
    if (!variable->getInit())
      no(variable->getLocation(), fmt::format("has the variable `{}` without a first value", name));
    CustomNode set = node(CustomKind::kAssign, s);
    set.args.push_back(expression(*variable->getInit()));
    set.dtype = *scalar_dtype(variable->getType());
    set.index = slot(*variable);
    block.args.push_back(std::move(set));
  }
  return block;
}

CustomNode BodyTranslator::expression(const Expr& e) {
  switch (e.getStmtClass()) {
    case Stmt::ParenExprClass:
      return expression(*llvm::cast<ParenExpr>(e).getSubExpr());
    case Stmt::ConstantExprClass:
      return expression(*llvm::cast<ConstantExpr>(e).getSubExpr());
    case Stmt::ExprWithCleanupsClass:
      return expression(*llvm::cast<ExprWithCleanups>(e).getSubExpr());
    case Stmt::MaterializeTemporaryExprClass:
      return expression(*llvm::cast<MaterializeTemporaryExpr>(e).getSubExpr());
    case Stmt::SubstNonTypeTemplateParmExprClass:
      return expression(*llvm::cast<SubstNonTypeTemplateParmExpr>(e).getReplacement());
    case Stmt::InitListExprClass:
      if (llvm::cast<InitListExpr>(e).getNumInits() == 1)
        return expression(*llvm::cast<InitListExpr>(e).getInit(0));
      break;
    case Stmt::IntegerLiteralClass:
    case Stmt::FloatingLiteralClass:
    case Stmt::CXXBoolLiteralExprClass:
    case Stmt::CXXScalarValueInitExprClass:
    case Stmt::ImplicitValueInitExprClass:
    case Stmt::UnaryExprOrTypeTraitExprClass:
    case Stmt::TypeTraitExprClass: {
      dtype(e);
      if (const auto value = constant_value(all_.context_, e)) return constant(e, *value);
      break;
    }
    case Stmt::DeclRefExprClass:
      return variable(llvm::cast<DeclRefExpr>(e));
    case Stmt::ImplicitCastExprClass:
    case Stmt::CStyleCastExprClass:
    case Stmt::CXXFunctionalCastExprClass:
    case Stmt::CXXStaticCastExprClass:
      return cast(llvm::cast<CastExpr>(e));
    case Stmt::UnaryOperatorClass:
      return unary(llvm::cast<UnaryOperator>(e));
    case Stmt::BinaryOperatorClass:
      return binary(llvm::cast<BinaryOperator>(e));
    case Stmt::CompoundAssignOperatorClass:
      return compound(llvm::cast<CompoundAssignOperator>(e));
    case Stmt::ConditionalOperatorClass: {
      const auto& choice = llvm::cast<ConditionalOperator>(e);
      CustomNode result = node(CustomKind::kSelect, e);
      for (const Expr* each : {choice.getCond(), choice.getTrueExpr(), choice.getFalseExpr()})
        result.args.push_back(expression(*each));
      result.dtype = dtype(e);
      return result;
    }
    case Stmt::CallExprClass:
      return call(llvm::cast<CallExpr>(e));
    default:
      break;
  }
  no(e.getExprLoc(), refusal(e));
}

CustomNode BodyTranslator::variable(const DeclRefExpr& e) {
  if (const auto* own = dyn_cast<VarDecl>(e.getDecl()); own && slots_.contains(own)) {
    CustomNode result = node(CustomKind::kLocal, e);
    result.dtype = dtype(e);
    result.index = slots_.at(own);
    return result;
  }
  const std::string name = e.getDecl()->getNameAsString();
  if (const auto* other = dyn_cast<VarDecl>(e.getDecl())) {
    if (!other->getType().isConstQualified())
      no(e.getLocation(), fmt::format("reads `{}`, which is no constant", name));
    if (!scalar_dtype(other->getType()))
      no(e.getLocation(),
         fmt::format("reads `{}` of type `{}`, which is no scalar", name, other->getType().getAsString()));
  }
  if (const auto value = constant_value(all_.context_, e)) return constant(e, *value);
  no(e.getLocation(), fmt::format("reads `{}`, whose value is not known when it is compiled", name));
}

CustomNode BodyTranslator::cast(const CastExpr& e) {
  switch (e.getCastKind()) {
    case CK_LValueToRValue:
    case CK_NoOp:
      if (!scalar_dtype(e.getType())) break;
      return expression(*e.getSubExpr());
    case CK_IntegralCast:
    case CK_FloatingCast:
    case CK_IntegralToFloating:
    case CK_FloatingToIntegral:
    case CK_IntegralToBoolean:
    case CK_FloatingToBoolean: {
      CustomNode value = expression(*e.getSubExpr());
      return converted(std::move(value), dtype(e));
    }
    case CK_ToVoid:
      return expression(*e.getSubExpr());
    case CK_ArrayToPointerDecay:
      no(e.getExprLoc(), "uses an array");
    default:
      break;
  }
  // What is within may have a better name.
  if (!scalar_dtype(e.getSubExpr()->getType()) || !scalar_dtype(e.getType()))
    no(e.getExprLoc(),
       fmt::format("uses a value of type `{}`, which is no scalar", e.getType().getAsString()));
  no(e.getExprLoc(), "uses a cast other than between scalars");
}

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

CustomNode BodyTranslator::call(const CallExpr& e) {
  const FunctionDecl* callee = e.getDirectCallee();
  if (callee == nullptr) no(e.getExprLoc(), "calls through a pointer");
  const std::string name = callee->getNameAsString();
  const bool own_header = is_private(all_.sources_, callee->getLocation());
  if (own_header || callee->getBuiltinID() != 0) {
    if (e.getNumArgs() == 0 || callee->getBuiltinID() != 0)
      if (const auto value = constant_value(all_.context_, e)) return constant(e, *value);
  }
  CustomNode result = node(CustomKind::kCall, e);
  result.dtype = dtype(e);
  for (const Expr* argument : e.arguments()) {
    if (isa<CXXDefaultArgExpr>(argument))
      no(e.getRParenLoc(), fmt::format("leaves out an argument of `{}`", name));
    result.args.push_back(expression(*argument));
  }
  if (const char* math = math_name(all_.sources_, *callee)) {
    result.kind = CustomKind::kMath;
#define CUSTOM_MATH(known, arity) \
  if (std::string_view(math) == #known) result.op = CustomOp::k_##known;
#include "ir/custom_math.def"
    return result;
  }
  if (callee->getDefinition() == nullptr)
    no(e.getExprLoc(), fmt::format("calls `{}`, whose body it cannot see", name));
  if (isa<CXXMethodDecl>(callee)) no(e.getExprLoc(), fmt::format("calls `{}` of a class", name));
  if (!own_header && callee->isTemplateInstantiation())
    no(e.getExprLoc(), fmt::format("calls the template `{}`", name));
  const auto& open = all_.open_;
  const auto again = std::find(open.begin(), open.end(), callee->getCanonicalDecl());
  if (again != open.end() && again + 1 == open.end()) no(e.getExprLoc(), "calls itself");
  if (again != open.end()) no(e.getExprLoc(), fmt::format("calls `{}`, which calls it", name));
  result.index = all_.definition(*callee);
  return result;
}

void Translator::signature(const FunctionDecl& function, CustomDefinition& definition) {
  const auto wrong = [&](SourceLocation at, const std::string& what) {
    throw UserError(diagnostic(DiagId::kCustomSignature, location_of(sources_, at), definition.name, what));
  };
  if (function.isVariadic()) wrong(function.getLocation(), "it takes any number of arguments");
  for (const ParmVarDecl* parameter : function.parameters()) {
    const std::optional<DType> dtype = scalar_dtype(parameter->getType());
    std::string name = parameter->getNameAsString();
    if (name.empty()) name = fmt::format("unnamed_{}", definition.parameters.size());
    if (!dtype || parameter->getType().isVolatileQualified())
      wrong(parameter->getLocation(),
            fmt::format("parameter `{}` has type `{}`, which is no scalar of a graph", name,
                        parameter->getType().getAsString()));
    definition.arguments +=
        fmt::format("{}{} {}", definition.arguments.empty() ? "" : ", ", cpp_type(*dtype), name);
    definition.parameters.push_back({std::move(name), *dtype});
  }
  const std::optional<DType> result = scalar_dtype(function.getReturnType());
  if (!result)
    wrong(function.getLocation(), fmt::format("the result has type `{}`, which is no scalar of a graph",
                                              function.getReturnType().getAsString()));
  definition.dtype = *result;
  definition.result = cpp_type(*result);
}

std::uint32_t Translator::definition(const FunctionDecl& declared) {
  const FunctionDecl* canonical = declared.getCanonicalDecl();
  if (const auto known = known_.find(canonical); known != known_.end()) return known->second;
  const FunctionDecl& function = *declared.getDefinition();
  CustomDefinition made;
  made.name = function.getNameAsString();
  made.location = location_of(sources_, function.getLocation());
  signature(function, made);
  if (is_private(sources_, function.getLocation())) made.name = "rt_std::" + made.name;
  open_.push_back(canonical);
  BodyTranslator body(*this, function, made);
  if (!isa<CompoundStmt>(function.getBody()))
    refuse(sources_, function.getBody()->getBeginLoc(), made.name, "catches exceptions");
  made.meaning = body.statement(*function.getBody());
  made.locals = body.locals();
  open_.pop_back();
  result_.definitions.push_back(std::move(made));
  declarations_.push_back(&function);
  const auto index = static_cast<std::uint32_t>(result_.definitions.size() - 1);
  known_.emplace(canonical, index);
  return index;
}

CustomFunction Translator::function(const FunctionDecl& found) {
  definition(found);
  return std::move(result_);
}

}  // namespace cohort
