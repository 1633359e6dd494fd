// tests/passes/<pass>/*.txt: the text before `----` goes through the pass that the folder names, then
// remove_dead; what comes out stands behind it.
#include <doctest/doctest.h>

#include <filesystem>

#include "compiler/run_passes.h"
#include "ir/text_parser.h"
#include "ir/text_printer.h"
#include "tests/support/text_test.h"

namespace cohort::test {

TEST_CASE("text tests of passes") {
  for (const std::string& path : text_test_files("tests/passes")) {
    const std::string pass = std::filesystem::path(path).parent_path().filename().string();
    const auto run = [&](const std::string& input) {
      CompileOptions options;
      options.fast = true;
      options.verify_passes = true;
      const std::vector<std::string> passes{pass, "remove_dead"};
      return print_text(run_passes(parse_text(input, path), passes, options));
    };
    const std::string failure = check_text_test(path, run, "test_passes");
    CHECK_MESSAGE(failure.empty(), failure);
  }
}

TEST_CASE("every pass has text tests of what it does and of what it leaves alone") {
  for (const Pass& pass : all_passes())
    for (const char* name : {"basic.txt", "no_change.txt"}) {
      const std::filesystem::path folder =
          std::filesystem::path(COHORT_SOURCE_DIR) / "tests/passes" / pass.name;
      CHECK_MESSAGE(std::filesystem::exists(folder / name), (folder / name).string());
    }
}

}  // namespace cohort::test
