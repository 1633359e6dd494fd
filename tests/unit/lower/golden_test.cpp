// Golden files: goldens/<pass>/<case>.txt holds a graph, a line of dashes and the program after the pass;
// under `lower` it is the program as lowered. COHORT_ACCEPT=1 writes what was seen: read the diff before
// committing it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/lower.h"
#include "compiler/placement/place.h"
#include "ir/text_parser.h"

using namespace cohort;

namespace {

constexpr std::string_view kSeparator = "----\n";

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Everything on the GPU that can be there.
kernel::Program placed(kernel::Program program, const Module& module, const std::string& pass) {
  CompileOptions options;
  options.stop_after = pass;
  options.fast = pass == "add_atomically" || pass == "fuse_tiles";
  CompiledModule compiled;
  compiled.module = module;
  program = run_kernel_passes(std::move(program), module.dims, options, {}, KernelStage::kFuse);
  options.placement = PlacementMode::kGpu;
  place(std::vector<kernel::Program*>{&program}, std::vector<double>{1}, options, compiled);
  return run_kernel_passes(std::move(program), module.dims, options, {}, KernelStage::kFinish);
}

std::string program_after(const std::string& graph, const std::string& file, const std::string& pass) {
  const Module module = parse_text(graph, file);
  std::string text;
  for (const auto& function : module.functions) {
    kernel::Program program = lower(module, *function);
    if (pass == "add_atomically" || pass == "fuse_tiles" || pass == "map_threads") {
      program = placed(std::move(program), module, pass);
    } else if (pass != "lower") {
      CompileOptions options;
      options.stop_after = pass;
      program = run_kernel_passes(std::move(program), module.dims, options);
    }
    text += kernel::to_string(program, module.dims);
  }
  return text;
}

}  // namespace

TEST_CASE("goldens of lowering and of the kernel passes") {
  const std::filesystem::path folder = std::filesystem::path(COHORT_SOURCE_DIR) / "tests/unit/lower/goldens";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE(!files.empty());
  for (const std::filesystem::path& path : files) {
    const std::string pass = path.parent_path().filename().string();
    INFO(path.string());
    REQUIRE((pass == "lower" || find_kernel_pass(pass) != nullptr));
    const std::string text = contents(path);
    const std::size_t cut = text.find(kSeparator);
    const std::string graph = text.substr(0, cut);
    const std::string expected = cut == std::string::npos ? "" : text.substr(cut + kSeparator.size());
    const std::string seen = program_after(graph, path.filename().string(), pass);
    if (std::getenv("COHORT_ACCEPT") != nullptr && seen != expected) {
      std::ofstream(path, std::ios::binary) << graph << kSeparator << seen;
      MESSAGE("accepted");
      continue;
    }
    INFO("to accept: COHORT_ACCEPT=1 test_lower -tc=goldens*");
    CHECK(seen == expected);
  }
}

TEST_CASE("every kernel pass has goldens") {
  for (const KernelPass& pass : kernel_passes()) {
    INFO(std::string(pass.name));
    CHECK(std::filesystem::exists(std::filesystem::path(COHORT_SOURCE_DIR) / "tests/unit/lower/goldens" /
                                  pass.name));
  }
}
