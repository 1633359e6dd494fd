// Modules with kernels on a GPU, run without one by tools/cuda_check, which runs every thread and ends the
// program with a report where one goes wrong. The emitted .cu, unchanged, is compiled as C++ over the
// checker's CUDA, or by nvcc, whose PTX is interpreted.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "codegen/spawn.h"
#include "tools/cohort/build_graph.h"
#include "tools/cohort/engine.h"

namespace cohort::test {

// Empty if there is none.
inline std::string nvcc() {
  const char* variable = std::getenv("CUDACXX");
  for (const std::string candidate : {variable ? variable : "", "nvcc", "/usr/local/cuda/bin/nvcc"})
    if (!candidate.empty() && run_process({candidate, "--version"}).exit_code == 0) return candidate;
  return {};
}

enum class Side : unsigned char { kCpp, kPtx };

// Builds the module in a folder of its own. Everything that can runs on the GPU unless `options` say
// otherwise.
inline BuiltGraph build_emulated(const Module& module, CompileOptions options, Side side,
                                 const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  fs::remove_all(folder);
  fs::create_directories(folder);
  if (options.placement == PlacementMode::kCpu) options.placement = PlacementMode::kGpu;
  BuildOptions build;
  build.runtime = COHORT_SOURCE_DIR "/runtime/include";
  build.flags = {"-O1"};
  if (side == Side::kPtx) {
    build.device_compiler = COHORT_SOURCE_DIR "/tests/slow/cuda/compile_ptx";
    build.link = {COHORT_CUDA_CHECK_PTX, "-ldl"};
  } else {
    build.device_compiler = COHORT_SOURCE_DIR "/tests/slow/cuda/compile_checked";
    build.link = {COHORT_CUDA_CHECK, "-fsanitize=alignment,bounds,shift,integer-divide-by-zero", "-ldl"};
  }
  BuiltGraph built = build_graph(module, options, {}, build, folder.string());
  CHECK(fs::exists(folder / (built.prefix + "_kernels.cu")));
  return built;
}

// `module` must outlive the result.
inline Engine emulated_engine(const Module& module, const CompileOptions& options = {},
                              Side side = Side::kCpp) {
  const std::string name = (side == Side::kPtx ? "ptx " : "emulated ") + module.name;
  const auto folder = std::filesystem::path(COHORT_BINARY_DIR) / "scratch" / name;
  return library_engine(module, build_emulated(module, options, side, folder).library);
}

}  // namespace cohort::test
