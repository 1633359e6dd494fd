// One body on its way to a tree; only translate*.cpp include it.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <fmt/format.h>

#include "codegen/clang/translate.h"

namespace cohort {

using namespace clang;

class BodyTranslator {
 public:
  BodyTranslator(Translator& all, const FunctionDecl& function, CustomDefinition& definition)
      : all_(all), function_(function), definition_(definition) {
    for (const ParmVarDecl* parameter : function.parameters()) slot(*parameter);
  }

  CustomNode statement(const Stmt& s) { return deeper(s, &BodyTranslator::shallow_statement, s); }
  CustomNode expression(const Expr& e) { return deeper(e, &BodyTranslator::shallow_expression, e); }
  std::uint32_t locals() const { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  [[noreturn]] void no(SourceLocation at, const std::string& what) const {
    refuse(all_.sources_, at, definition_.name, what);
  }
  CustomNode shallow_statement(const Stmt& s);
  CustomNode shallow_expression(const Expr& e);
  // What lies too deep would overflow the stack of who walks the tree.
  template <class T>
  CustomNode deeper(const Stmt& at, CustomNode (BodyTranslator::*translate)(const T&), const T& part) {
    constexpr int kDeepest = 1000;
    if (++depth_ > kDeepest) no(at.getBeginLoc(), fmt::format("nests more than {} levels deep", kDeepest));
    CustomNode result = (this->*translate)(part);
    --depth_;
    return result;
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
  void check_attributes(const VarDecl& variable) const;
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
  int depth_ = 0;  // of the part that is being translated
};

// What is said of a statement or an expression that a function may not have; `name_of` is null where that is
// nothing better than what clang calls it.
const char* name_of(const Stmt& s);
std::string refusal(const Stmt& s);

}  // namespace cohort
