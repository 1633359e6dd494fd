// The text of a body as the user wrote it, comments and layout included, but that it stands alone: macros are
// expanded, names of functions are left open, names that emitted code does not know (constants, types,
// namespaces) are replaced by what they stand for.
#pragma once

#include "codegen/clang/translate.h"

namespace cohort {

std::vector<CustomText> copied_text(clang::ASTContext& context, const clang::syntax::TokenBuffer& tokens,
                                    const clang::FunctionDecl& function, const Translator& translator);

}  // namespace cohort
