// Whole models on the GPU: networks of Nengo, training steps of recurrent nets, posteriors of PyMC (models/)
// and the samples, all of them one module, so that compilers run once. What can be placed runs on the GPU.
//
// `cohort verify` compares every function with the interpreter, call by call and within the tolerance that it
// states: under random schedules of the .cu compiled as C++, whose checker ends the program where a thread
// goes wrong, and on the PTX that nvcc makes of it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "codegen/recipe.h"
#include "ir/files.h"
#include "ir/json_reader.h"
#include "ir/json_writer.h"
#include "ir/text_parser.h"
#include "tests/slow/cuda/emulated.h"
#include "tests/support/join_modules.h"

namespace cohort::test {
namespace {

namespace fs = std::filesystem;

constexpr int kSchedules = 5;

const fs::path& scratch() {
  static const fs::path folder = fs::path(COHORT_BINARY_DIR) / "scratch" / "cuda models";
  return folder;
}

Module all_models() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(COHORT_SOURCE_DIR "/tests/slow/cuda/models"))
    if (entry.path().extension() == ".json" || entry.path().extension() == ".txt")
      paths.push_back(entry.path());
  for (const char* sample :
       {"mlp/mlp.json", "nengo_channel/channel.json", "toy/toy.json", "downstream/filter.json"})
    paths.emplace_back(std::string(COHORT_SOURCE_DIR "/samples/") + sample);
  std::sort(paths.begin(), paths.end());
  Module models;
  models.name = "models";
  for (const fs::path& path : paths)
    join_module(models,
                path.extension() == ".txt" ? parse_text(read_file(path.string()), path.string())
                                           : read_module(path.string(), {}),
                path.stem().string() + "_");
  return models;
}

// The library, and the graph beside it.
struct Built {
  std::string graph, library;
};
Built build_models(Side side) {
  const Module models = all_models();
  const fs::path folder = scratch() / (side == Side::kPtx ? "ptx" : "cpp");
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  const std::string library = build_emulated(models, options, side, folder).library;
  const std::string graph = (folder / "graph.json").string();
  write_module(graph, models);
  return {graph, library};
}

// Odd seeds give everyday values.
void verify(const Built& built, int schedule) {
  const std::string seed = std::to_string(2 * schedule + 1);
  ::setenv("CUDA_CHECK_SEED", seed.c_str(), 1);
  const ProcessResult result = run_process({COHORT_TOOL, "verify", built.graph, "--module", built.library,
                                            "--rounds", "1", "--steps", "2", "--seed", seed});
  ::unsetenv("CUDA_CHECK_SEED");
  INFO("schedule " << schedule << ":\n" << result.output);
  CHECK(result.exit_code == 0);
  CHECK(result.output.find("nothing is compared") == std::string::npos);
}

// What `ptxas -v` tells of all kernels.
struct Registers {
  int kernels = 0, most = 0, most_spilled = 0;
};
Registers registers_of(const std::string& text) {
  Registers found;
  const auto number_after = [&](std::size_t at) { return std::atoi(text.c_str() + at); };
  constexpr std::string_view kUsed = ": Used ", kSpilled = " bytes spill stores, ";
  for (std::size_t at = 0; (at = text.find(kUsed, at)) != std::string::npos; at += kUsed.size()) {
    found.most = std::max(found.most, number_after(at + kUsed.size()));
    ++found.kernels;
  }
  for (std::size_t at = 0; (at = text.find(kSpilled, at)) != std::string::npos; at += kSpilled.size()) {
    const int loads = number_after(at + kSpilled.size()), stores = number_after(text.rfind(' ', at - 1) + 1);
    found.most_spilled = std::max({found.most_spilled, loads, stores});
  }
  return found;
}

}  // namespace

TEST_CASE("models give the interpreter's results on an emulated GPU, under random schedules") {
  const Built built = build_models(Side::kCpp);
  for (int schedule = 0; schedule < kSchedules; ++schedule) verify(built, schedule);
}

TEST_CASE("models give the interpreter's results on what nvcc makes of them, and registers do") {
  const std::string compiler = nvcc();
  if (compiler.empty()) {
    MESSAGE("skipped: no nvcc");
    return;
  }
  const fs::path kept = scratch() / "kept";
  fs::create_directories(kept);
  ::setenv("COHORT_KEEP_PTX", kept.c_str(), 1);
  const Built built = build_models(Side::kPtx);
  ::unsetenv("COHORT_KEEP_PTX");
  verify(built, 0);
  const std::string assembler =
      fs::path(compiler).has_parent_path() ? fs::path(compiler).parent_path() / "ptxas" : fs::path("ptxas");
  for (const std::string_view arch : kDeviceArchitectures) {
    const ProcessResult result =
        run_process({assembler, "-v", fmt::format("-arch=sm_{}", arch),
                     (kept / "models_kernels.ptx").string(), "-o", (kept / "models.cubin").string()});
    const Registers registers = registers_of(result.output);
    INFO("sm_" << arch << "\n" << result.output);
    CHECK(result.exit_code == 0);
    CHECK(registers.kernels > 50);
    CHECK(registers.most < 255);
    CHECK(registers.most_spilled == 0);
  }
}

}  // namespace cohort::test
