// What cohort does with the libraries of clang, behind types of our own: reading functions of the user's,
// parsing and formatting what is emitted. The libraries are large, so all of this is one shared object,
// which is loaded when it is needed first (tools/cohort/clang_tools.h) and absent where cohort was built
// without LLVM.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/custom_function.h"

namespace cohort {

struct CustomReading {
  CustomFunction function{};
  std::vector<Diagnostic> errors{};  // if any, there is no function
};
// A header of the user's, parsed.
struct CustomHeader {
  std::vector<Diagnostic> errors{};       // if any, it cannot be read from
  std::vector<std::string> files_read{};  // the header and what it includes, sorted
  // Reads one function, without derivatives, and what it calls.
  std::function<CustomReading(const std::string& function)> read = nullptr;
};

struct CodeFile {
  std::string name, text;
};

struct ClangTools {
  // What the header includes must lie in the folder ("": anywhere).
  CustomHeader (*parse_header)(const std::string& path, const std::string& folder);
  // Parses all `.cpp` files as host code and all `.cu` files as device code, with the runtime's headers of a
  // folder: neither the C library nor a toolkit is needed. Gives what is wrong with them, at most 20 errors a
  // file, at their places.
  std::vector<Diagnostic> (*check_code)(const std::vector<CodeFile>& files, const std::string& runtime);
  // The text of a C or C++ file as clang-format lays it out.
  std::string (*format_code)(const CodeFile& file);
};

}  // namespace cohort

// The only symbol of the shared object.
extern "C" __attribute__((visibility("default"))) const cohort::ClangTools* cohort_clang_tools();
