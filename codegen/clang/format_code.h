// Layout by the clang-format library: see ClangTools::format_code.
#pragma once

#include "codegen/clang/clang_tools.h"

namespace cohort {

std::string format_code(const CodeFile& file);

}  // namespace cohort
