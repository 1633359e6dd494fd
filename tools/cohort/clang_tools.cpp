#include "tools/cohort/clang_tools.h"

#include <array>
#include <filesystem>

namespace cohort {

namespace {

const ClangTools* load(std::string& why_not) {
#ifdef COHORT_CLANG
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const std::array<std::string, 2> paths{folder / "libcohort_clang.so",
                                         folder / "../" COHORT_LIBRARY_FOLDER "/cohort/libcohort_clang.so"};
  return load_clang_tools(paths, why_not);
#else
  why_not = "this cohort is built without LLVM";
  return nullptr;
#endif
}

}  // namespace

const ClangTools* clang_tools(std::string& why_not) {
  static std::string reason;
  static const ClangTools* const tools = load(reason);
  why_not = reason;
  return tools;
}

CustomReader custom_reader(std::vector<std::string>* headers) {
  return custom_reader([](std::string& why_not) { return clang_tools(why_not); }, headers);
}

}  // namespace cohort
