// Reads functions of the user's for the readers of graphs, each once, by the shared object of codegen/clang.
#pragma once

#include <span>

#include "codegen/clang/clang_tools.h"

namespace cohort {

// Opens the first of the files that is there; null, with a reason, if none can be used.
const ClangTools* load_clang_tools(std::span<const std::string> paths, std::string& why_not);

// `tools` gives the shared object when it is needed first, or null and why. `headers` receives the files that
// were read, sorted.
CustomReader custom_reader(std::function<const ClangTools*(std::string& why_not)> tools,
                           std::vector<std::string>* headers = nullptr);

}  // namespace cohort
