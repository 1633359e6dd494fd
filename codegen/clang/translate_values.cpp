#include <algorithm>

#include "codegen/clang/body_translator.h"

namespace cohort {

CustomNode BodyTranslator::shallow_expression(const Expr& e) {
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
      if (llvm::cast<InitListExpr>(e).getNumInits() == 0 && scalar_dtype(e.getType()))
        return constant(e, {dtype(e), 0});
      break;
    case Stmt::IntegerLiteralClass:
    case Stmt::FloatingLiteralClass:
    case Stmt::CXXBoolLiteralExprClass:
    case Stmt::CXXScalarValueInitExprClass:
    case Stmt::ImplicitValueInitExprClass:
    case Stmt::UnaryExprOrTypeTraitExprClass:
    case Stmt::TypeTraitExprClass:
    case Stmt::CXXNoexceptExprClass:
    case Stmt::SourceLocExprClass: {
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
      if (e.getType().isVolatileQualified() || e.getSubExpr()->getType().isVolatileQualified())
        no(e.getExprLoc(), "reads what is volatile");
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

CustomNode BodyTranslator::call(const CallExpr& e) {
  const FunctionDecl* callee = e.getDirectCallee();
  if (callee == nullptr) no(e.getExprLoc(), "calls through a pointer");
  const std::string name = callee->getNameAsString();
  const bool own_header = is_private(all_.sources_, callee->getLocation());
  if (is_known_when_read(all_.sources_, e, *callee))
    if (const auto value = constant_value(all_.context_, e)) return constant(e, *value);
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

}  // namespace cohort
