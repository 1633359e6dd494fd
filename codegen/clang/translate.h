// The bodies of functions as CustomNode trees: everything that a function may do is translated here, and
// everything else is refused with its place.
#pragma once

#include <map>

#include "codegen/clang/refuse.h"
#include "ir/custom_function.h"

namespace cohort {

// The function and what it calls; `found` is the function itself. Texts are left empty. Throws UserError.
class Translator {
 public:
  explicit Translator(clang::ASTContext& context) : context_(context), sources_(context.getSourceManager()) {}

  CustomFunction function(const clang::FunctionDecl& found);

  // By definition of the function: where it stands; what is one of our private headers has no text.
  const std::vector<const clang::FunctionDecl*>& declarations() const { return declarations_; }
  std::uint32_t definition_of(const clang::FunctionDecl& callee) const {
    return known_.at(callee.getCanonicalDecl());
  }
  bool is_called(const clang::FunctionDecl& callee) const {
    return known_.contains(callee.getCanonicalDecl());
  }

 private:
  std::uint32_t definition(const clang::FunctionDecl& declared);
  void signature(const clang::FunctionDecl& function, CustomDefinition& definition);

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  CustomFunction result_;
  std::vector<const clang::FunctionDecl*> declarations_;
  std::map<const clang::FunctionDecl*, std::uint32_t> known_;
  std::vector<const clang::FunctionDecl*> open_;  // whose bodies are being translated
  friend class BodyTranslator;
};

// Whether a call has one value wherever it stands: of a builtin, or of <limits>.
bool is_known_when_read(const clang::SourceManager& sources, const clang::CallExpr& call,
                        const clang::FunctionDecl& callee);
// A variable's name in emitted code: the user's own, unless macros, types or functions there might be meant.
std::string local_name(const clang::VarDecl& variable);
// std::exp and its like: null if the function is none.
const char* math_name(const clang::SourceManager& sources, const clang::FunctionDecl& function);
// The value of an expression that does not depend on the function's variables: a literal, a constant, a call
// of <limits>.
std::optional<Scalar> constant_value(const clang::ASTContext& context, const clang::Expr& expr);

}  // namespace cohort
