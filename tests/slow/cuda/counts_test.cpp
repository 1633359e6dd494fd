// What core kernels ask of memory: transactions counted by tools/cuda_check, as a golden.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "codegen/emit.h"
#include "codegen/spawn.h"
#include "ir/atomic_file.h"
#include "ir/files.h"
#include "ir/text_parser.h"

namespace cohort::test {
namespace {

namespace fs = std::filesystem;
constexpr const char* kFolder = COHORT_SOURCE_DIR "/tests/slow/cuda/";

// Of each kernel by kind of access, beside the least that would do. Without the lines of the source, so that
// only what is accessed changes it.
std::string transactions(const std::string& counts) {
  std::map<std::string, std::pair<int, int>> sums;
  std::istringstream lines(counts);
  for (std::string line; std::getline(lines, line);) {
    char access[8], space[8];
    int done = 0, least = 0;
    const std::size_t at = line.find(" line ");
    if (!line.starts_with("counts: ") || at == std::string::npos ||
        std::sscanf(line.c_str() + at, " line %*d %7s %7s %*d requests %*d transactions %d least %d", access,
                    space, &done, &least) != 4)
      continue;
    auto& [all, least_of_all] = sums[fmt::format(
        "{:<28} {:<5} {}", line.substr(8, line.find_last_not_of(' ', at) - 7), access, space)];
    all += done;
    least_of_all += least;
  }
  std::string text;
  for (const auto& [name, sum] : sums) text += fmt::format("{}  {} of {}\n", name, sum.first, sum.second);
  return text;
}

}  // namespace

TEST_CASE("transactions with memory of core kernels") {
  const fs::path folder = fs::path(COHORT_BINARY_DIR) / "scratch" / "core";
  fs::remove_all(folder);
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  const std::string graph = std::string(kFolder) + "goldens/core.txt";
  write_artefacts(folder.string(), emit_module(compile(parse_text(read_file(graph), graph), options), {}));
  const ProcessResult result =
      run_process({COHORT_SOURCE_DIR "/tools/cuda_check/cuda_check", (folder / "core_kernels.cu").string(),
                   (folder / "core.cpp").string(), std::string(kFolder) + "drivers/core.cpp", "-I",
                   folder.string(), "-I", COHORT_SOURCE_DIR "/runtime/include", "--schedules", "1",
                   "--counts", "--runtime", fs::path(COHORT_CUDA_CHECK).parent_path().string()});
  INFO(result.output);
  CHECK(result.exit_code == 0);
  const std::string seen = transactions(result.output);
  const std::string path = std::string(kFolder) + "goldens/core_transactions.txt";
  const std::string expected = fs::exists(path) ? read_file(path) : std::string();
  if (std::getenv("COHORT_ACCEPT") != nullptr && seen != expected) {
    write_file(path, seen);
    MESSAGE("accepted");
    return;
  }
  INFO("to accept: COHORT_ACCEPT=1 test_slow_cuda -tc='transactions*'");
  CHECK(seen == expected);
}

}  // namespace cohort::test
