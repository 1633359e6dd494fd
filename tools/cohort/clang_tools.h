// The part of cohort that uses clang's libraries (codegen/clang/clang_tools.h), loaded when it is needed
// first.
#pragma once

#include "codegen/custom_reader.h"

namespace cohort {

// Null, with a reason, if cohort was built without LLVM or the shared object cannot be loaded.
const ClangTools* clang_tools(std::string& why_not);

// Reads functions of the user's. `headers` receives the files that were read, sorted.
CustomReader custom_reader(std::vector<std::string>* headers = nullptr);

}  // namespace cohort
