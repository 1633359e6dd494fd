#include "codegen/clang/copy_text.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>
#include <llvm/Support/JSON.h>

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
    if (callee && is_known_when_read(sources_, *e, *callee)) return constant(*e);
    return true;
  }
  // What these are depends on the machine or on where they stand.
  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr* e) { return constant(*e); }
  bool VisitTypeTraitExpr(TypeTraitExpr* e) { return constant(*e); }
  bool VisitCXXNoexceptExpr(CXXNoexceptExpr* e) { return constant(*e); }
  bool VisitSourceLocExpr(SourceLocExpr* e) { return constant(*e); }
  // Declarations of names for what has been named otherwise by now.
  bool VisitDeclStmt(DeclStmt* s) {
    const auto is_name = [](const Decl* d) { return !isa<VarDecl>(d); };
    if (std::all_of(s->decl_begin(), s->decl_end(), is_name)) put(s->getSourceRange(), {";"});
    return true;
  }
  bool VisitVarDecl(VarDecl* variable) {
    const std::string name = local_name(*variable);
    if (name != variable->getNameAsString()) put(variable->getLocation(), {name});
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
    if (variable && variable->isLocalVarDeclOrParm()) {
      if (std::string own = local_name(*variable); own != variable->getNameAsString()) put(name, {own});
    } else if (const auto value = constant_value(context_, *e)) {
      put(SourceRange(e->getBeginLoc(), e->getEndLoc()), {literal(*value)});
    }
    return true;
  }
  // All but those that every source knows.
  bool VisitTypeLoc(TypeLoc type) {
    const auto placeholder = type.getAs<AutoTypeLoc>();
    const bool is_known = type.getAs<BuiltinTypeLoc>() || (placeholder && !placeholder.isConstrained());
    const std::optional<DType> dtype =
        is_known || type.getAs<QualifiedTypeLoc>() ? std::optional<DType>() : scalar_dtype(type.getType());
    if (dtype) put(type.getSourceRange(), {std::string(cpp_type(*dtype))});
    return true;
  }

  const Replacement* find(SourceLocation at) const {
    const auto found = by_begin_.find(at.getRawEncoding());
    return found == by_begin_.end() ? nullptr : &found->second;
  }

 private:
  bool constant(const Expr& e) {
    if (const auto value = constant_value(context_, e)) put(e.getSourceRange(), {literal(*value)});
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

// Comments as every compiler reads them: lines end alike, no other control characters, nothing that turns the
// direction of writing, UTF-8 throughout.
std::string tidy(llvm::StringRef text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\r') {
      if (i + 1 == text.size() || text[i + 1] != '\n') result += '\n';
    } else {
      result += (c < ' ' && c != '\n' && c != '\t') || c == 0x7f ? ' ' : text[i];
    }
  }
  result = llvm::json::fixUTF8(result);
  // U+202A to U+202E, U+2066 to U+2069.
  for (std::size_t at = 0; (at = result.find("\xe2\x80", at)) != result.npos; at += 2)
    if (const auto last = static_cast<unsigned char>(result[at + 2]); last >= 0xaa && last <= 0xae)
      result.replace(at, 3, "  ");
  for (std::size_t at = 0; (at = result.find("\xe2\x81", at)) != result.npos; at += 2)
    if (const auto last = static_cast<unsigned char>(result[at + 2]); last >= 0xa6 && last <= 0xa9)
      result.replace(at, 3, "  ");
  return result;
}

// How far white space and comments go: at the end, or where a directive begins.
std::size_t blank_length(llvm::StringRef text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const llvm::StringRef rest = text.substr(at);
    if (rest.starts_with("/*")) {
      at = std::min(text.size(), text.find("*/", at + 2) + 2);
    } else if (rest.starts_with("//")) {
      do at = std::min(text.find('\n', at + 1), text.size());
      while (at < text.size() && text.substr(0, at).rtrim(" \t").ends_with("\\"));
    } else if (isWhitespace(text[at]) || text[at] == '\\') {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

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
  const std::string text =
      tidy(sources.getBufferData(left_file).substr(left_offset, right_offset - left_offset));
  const std::size_t blank = blank_length(text);
  return blank == text.size() ? text : text.substr(0, blank) + "\n";  // directives are done with
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
    // Of a concept, which is not known any more where the variable's type is.
    if (all[i].kind() == tok::kw_auto && i > 0 &&
        (all[i - 1].kind() == tok::identifier || all[i - 1].kind() == tok::greater))
      refuse(sources, all[i - 1].location(), function.getNameAsString(),
             "has an `auto` that a concept constrains; write `auto` alone, or the type");
    const Replacement* replaced = replacements.find(all[i].location());
    if (replaced == nullptr) {
      pieces.back().text += all[i].text(sources);
      continue;
    }
    const std::size_t first = i;
    if (replaced->text.callee == CustomText::kPlain) {
      pieces.back().text += replaced->text.text;
    } else {
      pieces.push_back(replaced->text);
      pieces.push_back({});
    }
    while (all[i].location() != replaced->end)
      if (++i == all.size())
        refuse(sources, all[first].location(), function.getNameAsString(),
               "has something here that cannot be copied, such as a `>>` that closes template arguments");
  }
  return pieces;
}

}  // namespace cohort
