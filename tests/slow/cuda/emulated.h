// Modules with kernels on a GPU, run without one: the emitted .cu, unchanged, compiled as C++ over the
// checker's CUDA (tools/cuda_check), which runs every thread and ends the program with a report where one
// goes wrong.
#pragma once

#include <filesystem>

#include "tools/cohort/build_graph.h"
#include "tools/cohort/engine.h"

namespace cohort::test {

// `module` must outlive the result. Everything that can runs on the GPU.
inline Engine emulated_engine(const Module& module, CompileOptions options = {}) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(COHORT_BINARY_DIR) / "scratch" / ("emulated " + module.name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  options.placement = PlacementMode::kGpu;
  BuildOptions build;
  build.runtime = COHORT_SOURCE_DIR "/runtime/include";
  build.flags = {"-O1"};
  build.device_compiler = COHORT_SOURCE_DIR "/tests/slow/cuda/compile_checked";
  build.link = {COHORT_CUDA_CHECK, "-fsanitize=alignment,bounds,shift,integer-divide-by-zero", "-ldl"};
  const BuiltGraph built = build_graph(module, options, {}, build, folder.string());
  CHECK(fs::exists(folder / (built.prefix + "_kernels.cu")));
  return library_engine(module, built.library);
}

}  // namespace cohort::test
