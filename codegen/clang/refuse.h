// How reading a function ends where the function is none that can be read.
#pragma once

#include <optional>
#include <string_view>

#include "codegen/clang/session.h"
#include "ir/type.h"

namespace cohort {

// "`softclip` throws", at a place. One fault ends the reading of the function.
[[noreturn]] inline void refuse(const clang::SourceManager& sources, clang::SourceLocation at,
                                const std::string& function, const std::string& what) {
  throw UserError(diagnostic(DiagId::kCustomRefused, location_of(sources, at), function, what));
}

// The dtype of a type that is a scalar of ours; nothing for all others.
std::optional<DType> scalar_dtype(clang::QualType type);
// "float", "int64_t".
std::string_view cpp_type(DType dtype);

}  // namespace cohort
