#include "tests/support/custom_functions.h"

#include <array>

#include "codegen/custom_reader.h"

namespace cohort::test {

CustomReader custom_functions() {
#ifdef COHORT_CLANG_LIBRARY
  // Never freed: what it holds is of a library whose own statics end before.
  static const CustomReader& reader = *new CustomReader(custom_reader([](std::string& why_not) {
    return load_clang_tools(std::array<std::string, 1>{COHORT_CLANG_LIBRARY}, why_not);
  }));
  return [](const CustomRequest& request) {
    CustomRequest here = request;
    here.path = COHORT_SOURCE_DIR "/tests/ops/" + request.path;
    if (!here.folder.empty()) here.folder = COHORT_SOURCE_DIR "/tests/ops";
    return reader(here);
  };
#else
  return nullptr;
#endif
}

bool is_skipped(const std::string& path) {
#ifdef COHORT_CLANG_LIBRARY
  return path.empty();  // none
#else
  return path.find("/tests/errors/custom/") != path.npos || path.ends_with("/tests/ops/custom.txt");
#endif
}

}  // namespace cohort::test
