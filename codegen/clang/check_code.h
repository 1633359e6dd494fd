// Emitted code, parsed in this process: see ClangTools::check_code.
#pragma once

#include "codegen/clang/clang_tools.h"

namespace cohort {

std::vector<Diagnostic> check_code(const std::vector<CodeFile>& files, const std::string& runtime);

}  // namespace cohort
