#include "codegen/clang/body_translator.h"

namespace cohort {

namespace {

constexpr const char* kVariable = "declares a variable in a condition";

}  // namespace

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
    case Stmt::CharacterLiteralClass:
      return "uses a character";
    case Stmt::CXXNullPtrLiteralExprClass:
      return "uses a pointer";
    case Stmt::BinaryConditionalOperatorClass:
      return "uses `?:` without a second operand";
    case Stmt::UserDefinedLiteralClass:
      return "uses a literal of a type of its own";
    case Stmt::CompoundLiteralExprClass:
      return "uses a literal of C";
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

CustomNode BodyTranslator::shallow_statement(const Stmt& s) {
  CustomNode block = node(CustomKind::kBlock, s);
  if (const auto* e = dyn_cast<Expr>(&s)) return expression(*e);
  switch (s.getStmtClass()) {
    case Stmt::NullStmtClass:
      return block;
    case Stmt::CompoundStmtClass:
      for (const Stmt* each : cast_or_null<CompoundStmt>(&s)->body()) block.args.push_back(statement(*each));
      return block;
    case Stmt::AttributedStmtClass:
      for (const clang::Attr* each : llvm::cast<AttributedStmt>(s).getAttrs())
        if (!isa<LikelyAttr, UnlikelyAttr, LoopHintAttr>(each))
          no(s.getBeginLoc(), fmt::format("has the attribute `{}`", each->getSpelling()));
      return statement(*llvm::cast<AttributedStmt>(s).getSubStmt());
    case Stmt::DeclStmtClass:
      return declarations(llvm::cast<DeclStmt>(s));
    case Stmt::IfStmtClass: {
      const auto& choice = llvm::cast<IfStmt>(s);
      if (choice.isConsteval()) no(s.getBeginLoc(), "asks when it is evaluated");
      if (choice.getConditionVariable()) no(s.getBeginLoc(), kVariable);
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
      if (f.getConditionVariable()) no(s.getBeginLoc(), kVariable);
      return loop(s, f.getInit(), f.getCond(), f.getInc(), *f.getBody());
    }
    case Stmt::WhileStmtClass: {
      const auto& w = llvm::cast<WhileStmt>(s);
      if (w.getConditionVariable()) no(s.getBeginLoc(), kVariable);
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

void BodyTranslator::check_attributes(const VarDecl& variable) const {
  for (const clang::Attr* each : variable.attrs())
    if (!each->isImplicit() && !isa<UnusedAttr, AlignedAttr>(each))
      no(variable.getLocation(),
         fmt::format("gives `{}` the attribute `{}`", variable.getNameAsString(), each->getSpelling()));
}

CustomNode BodyTranslator::declarations(const DeclStmt& s) {
  CustomNode block = node(CustomKind::kBlock, s);
  for (const Decl* each : s.decls()) {
    if (isa<TypedefNameDecl, UsingDecl, UsingDirectiveDecl, StaticAssertDecl, EmptyDecl>(each)) continue;
    const auto* variable = dyn_cast<VarDecl>(each);
    if (variable == nullptr) no(each->getLocation(), "declares something other than a variable");
    const std::string name = variable->getNameAsString();
    check_attributes(*variable);
    const bool is_constant = variable->getType().isConstQualified() && variable->getInit() &&
                             constant_value(all_.context_, *variable->getInit());
    if (!variable->isLocalVarDecl() || (variable->isStaticLocal() && !is_constant) ||
        variable->getTLSKind() != VarDecl::TLS_None)
      no(variable->getLocation(), fmt::format("keeps `{}` between calls", name));
    if (variable->getType().isVolatileQualified())
      no(variable->getLocation(), fmt::format("has the volatile variable `{}`", name));
    if (!scalar_dtype(variable->getType()))
      no(variable->getLocation(), fmt::format("has the variable `{}` of type `{}`, which is no scalar", name,
                                              variable->getType().getAsString()));
    if (!variable->getInit())
      no(variable->getLocation(),
         fmt::format("declares `{}` without a value; say with which it begins", name));
    CustomNode set = node(CustomKind::kAssign, s);
    set.args.push_back(expression(*variable->getInit()));
    set.dtype = *scalar_dtype(variable->getType());
    set.index = slot(*variable);
    block.args.push_back(std::move(set));
  }
  return block;
}

}  // namespace cohort
