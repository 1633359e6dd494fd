#include "codegen/clang/copy_text.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <charconv>

namespace cohort {

using namespace clang;

namespace {

template <typename T>
std::string shortest(T value) {
  char digits[64];
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

// A constant as an expression of its type.
std::string literal(Scalar value) {
  if (value.dtype == DType::kBool) return value.bits ? "true" : "false";
  const bool narrow = value.dtype == DType::kF32;
  if (is_float(value.dtype)) {
    const double number = scalar_as_double(value);
    if (number != number) return narrow ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")";
    if (number - number != 0) {
      const char* infinity = narrow ? "__builtin_inff()" : "__builtin_inf()";
      return number < 0 ? fmt::format("(-{})", infinity) : infinity;
    }
    std::string text = narrow ? shortest(static_cast<float>(number)) + "f" : shortest(number);
    return text[0] == '-' ? "(" + text + ")" : text;
  }
  const std::int64_t number = scalar_as_int(value);
  if (value.dtype == DType::kI32 && number != INT32_MIN)
    return number < 0 ? fmt::format("({})", number) : std::to_string(number);
  if (number == INT64_MIN) return "INT64_MIN";
  const std::string digits =
      is_signed_int(value.dtype) ? std::to_string(number) : fmt::format("{}u", value.bits);
  return fmt::format("{}({})", cpp_type(value.dtype), digits);
}

struct Replacement {
  SourceLocation end;  // the last token
  CustomText text;
};

// What in a body is not copied as it stands, by where it begins.
class Replacements : public RecursiveASTVisitor<Replacements> {
 public:
  Replacements(ASTContext& context, const Translator& translator)
      : context_(context), sources_(context.getSourceManager()), translator_(translator) {}

  bool VisitCallExpr(CallExpr* e) {
    const FunctionDecl* callee = e->getDirectCallee();
    if (callee && e->getNumArgs() == 0 && is_private(sources_, callee->getLocation()))
      if (const auto value = constant_value(context_, *e)) put(e->getSourceRange(), {literal(*value)});
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* e) {
    const SourceRange name(e->getBeginLoc(), e->getNameInfo().getEndLoc());
    if (const auto* callee = dyn_cast<FunctionDecl>(e->getDecl())) {
      const char* math = math_name(sources_, *callee);
      if (math) put(name, {std::string("std::") + math});
      if (!math && translator_.is_called(*callee)) put(name, {{}, translator_.definition_of(*callee)});
      return true;
    }
    const auto* variable = dyn_cast<VarDecl>(e->getDecl());
    const bool outside = variable ? !variable->isLocalVarDeclOrParm() : isa<EnumConstantDecl>(e->getDecl());
    if (outside)
      if (const auto value = constant_value(context_, *e)) put(name, {literal(*value)});
    return true;
  }
  bool VisitElaboratedTypeLoc(ElaboratedTypeLoc type) { return named_type(type); }
  bool VisitTypedefTypeLoc(TypedefTypeLoc type) { return named_type(type); }

  const Replacement* find(SourceLocation at) const {
    const auto found = by_begin_.find(at.getRawEncoding());
    return found == by_begin_.end() ? nullptr : &found->second;
  }

 private:
  bool named_type(TypeLoc type) {
    const std::optional<DType> dtype = scalar_dtype(type.getType());
    if (dtype) put(type.getSourceRange(), {std::string(cpp_type(*dtype))});
    return true;
  }
  void put(SourceRange range, CustomText text) {
    by_begin_.try_emplace(range.getBegin().getRawEncoding(), Replacement{range.getEnd(), std::move(text)});
  }

  ASTContext& context_;
  const SourceManager& sources_;
  const Translator& translator_;
  std::map<SourceLocation::UIntTy, Replacement> by_begin_;  // of two with one begin the outer one comes first
};

// What stands between two tokens that follow each other.
std::string between(const SourceManager& sources, const LangOptions& language, SourceLocation left,
                    SourceLocation right) {
  if (left.isMacroID() && right.isMacroID() &&
      sources.getExpansionLoc(left) == sources.getExpansionLoc(right))
    return " ";
  const SourceLocation last = left.isMacroID() ? sources.getExpansionRange(left).getEnd() : left;
  const auto [left_file, left_offset] =
      sources.getDecomposedLoc(Lexer::getLocForEndOfToken(last, 0, sources, language));
  const auto [right_file, right_offset] = sources.getDecomposedLoc(sources.getExpansionLoc(right));
  if (left_file != right_file || left_offset > right_offset) return " ";
  std::string text = sources.getBufferData(left_file).substr(left_offset, right_offset - left_offset).str();
  // Directives are done with.
  const std::size_t hash = text.find('#');
  const std::size_t comment = std::min(text.find("//"), text.find("/*"));
  return hash != text.npos && hash < comment ? "\n" : text;
}

}  // namespace

std::vector<CustomText> copied_text(ASTContext& context, const syntax::TokenBuffer& tokens,
                                    const FunctionDecl& function, const Translator& translator) {
  Replacements replacements(context, translator);
  Stmt* body = function.getBody();
  replacements.TraverseStmt(body);
  const SourceManager& sources = context.getSourceManager();
  std::vector<CustomText> pieces{{}};
  const llvm::ArrayRef<syntax::Token> all = tokens.expandedTokens(body->getSourceRange());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0)
      pieces.back().text += between(sources, context.getLangOpts(), all[i - 1].location(), all[i].location());
    const Replacement* replaced = replacements.find(all[i].location());
    if (replaced == nullptr) {
      pieces.back().text += all[i].text(sources);
      continue;
    }
    if (replaced->text.callee == CustomText::kPlain) {
      pieces.back().text += replaced->text.text;
    } else {
      pieces.push_back(replaced->text);
      pieces.push_back({});
    }
    while (all[i].location() != replaced->end && i + 1 < all.size()) ++i;
  }
  return pieces;
}

}  // namespace cohort
