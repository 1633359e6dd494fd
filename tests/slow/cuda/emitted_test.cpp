// The device code of a module: its whole text as a golden, and what nvcc makes of it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "codegen/emit.h"
#include "codegen/recipe.h"
#include "codegen/spawn.h"
#include "ir/atomic_file.h"
#include "ir/files.h"
#include "ir/text_parser.h"
#include "tests/slow/cuda/emulated.h"

namespace cohort::test {
namespace {

namespace fs = std::filesystem;
constexpr const char* kFolder = COHORT_SOURCE_DIR "/tests/slow/cuda/goldens/";

std::string device_code(const std::string& name) {
  const std::string path = kFolder + name + ".txt";
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  for (const Artefact& file : emit_module(compile(parse_text(read_file(path), path), options), {}))
    if (file.name.ends_with(".cu")) return file.bytes;
  return {};
}

// The graph `name`, all of it on the GPU, in a folder of its own.
fs::path emitted_folder(const std::string& name, bool cuda_graph = false) {
  const fs::path folder = fs::path(COHORT_BINARY_DIR) / "scratch" / ("driven " + name);
  fs::remove_all(folder);
  CompileOptions options;
  options.cuda_graph = cuda_graph;
  options.placement = PlacementMode::kGpu;
  const std::string path = std::string(kFolder) + name + ".txt";
  write_artefacts(folder.string(), emit_module(compile(parse_text(read_file(path), path), options), {}));
  return folder;
}

std::string driver_path(const std::string& name) {
  return COHORT_SOURCE_DIR "/tests/slow/cuda/drivers/" + name + ".cpp";
}

// The device code as C++, every access checked.
void run_driver(const std::string& name, const std::string& driver, int schedules, bool cuda_graph = false) {
  const fs::path folder = emitted_folder(name, cuda_graph);
  const ProcessResult result = run_process(
      {COHORT_SOURCE_DIR "/tools/cuda_check/cuda_check", (folder / (name + "_kernels.cu")).string(),
       (folder / (name + ".cpp")).string(), driver_path(driver), "-I", folder.string(), "-I",
       COHORT_SOURCE_DIR "/runtime/include", "--schedules", std::to_string(schedules), "--runtime",
       fs::path(COHORT_CUDA_CHECK).parent_path().string()});
  INFO(result.output);
  CHECK(result.exit_code == 0);
}

// What nvcc makes of it, its PTX interpreted.
void run_driver_as_ptx(const std::string& name, const std::string& driver, int schedules) {
  const fs::path folder = emitted_folder(name);
  const std::string object = (folder / "kernels.o").string(), program = (folder / "program").string();
  const char* const runtime = "-I" COHORT_SOURCE_DIR "/runtime/include";
  const ProcessResult compiled =
      run_process({COHORT_SOURCE_DIR "/tests/slow/cuda/compile_ptx", "-I" + folder.string(), runtime, "-c",
                   (folder / (name + "_kernels.cu")).string(), "-o", object});
  INFO(compiled.output);
  REQUIRE(compiled.exit_code == 0);
  const char* compiler = std::getenv("CXX");
  std::vector<std::string> command{compiler ? compiler : "c++"};
  command.insert(command.end(), kRecipeFlags.begin(), kRecipeFlags.end());
  command.insert(command.end(),
                 {"-O1", "-w", "-I" + folder.string(), runtime,
                  "-I" COHORT_SOURCE_DIR "/tools/cuda_check/include", (folder / (name + ".cpp")).string(),
                  driver_path(driver), object, COHORT_CUDA_CHECK_PTX, "-ldl", "-o", program});
  const ProcessResult linked = run_process(command);
  INFO(linked.output);
  REQUIRE(linked.exit_code == 0);
  for (int seed = 1; seed <= schedules; ++seed) {
    const ProcessResult result =
        run_process({"/usr/bin/env", "CUDA_CHECK_SEED=" + std::to_string(seed), program});
    INFO("schedule " << seed << ": " << result.output);
    CHECK(result.exit_code == 0);
  }
}

}  // namespace

TEST_CASE("device code as text") {
  const std::string seen = device_code("model"), path = std::string(kFolder) + "model.cu";
  const std::string expected = fs::exists(path) ? read_file(path) : std::string();
  if (std::getenv("COHORT_ACCEPT") != nullptr && seen != expected) {
    write_file(path, seen);
    MESSAGE("accepted");
    return;
  }
  INFO("to accept: COHORT_ACCEPT=1 test_slow_cuda -tc='device code as text'");
  CHECK(seen == expected);
}

// Case 38.
TEST_CASE("case 38: a call captured in a CUDA graph is replayed with new data, under random schedules") {
  run_driver("model", "capture", 3);
}

TEST_CASE("attach says that the module has no code for this GPU") {
  ::setenv("CUDA_CHECK_NO_CODE", "1", 1);
  run_driver("model", "preflight", 1);
  ::unsetenv("CUDA_CHECK_NO_CODE");
}

TEST_CASE("what comes after calls that nobody has waited for, under every schedule") {
  run_driver("order", "order", 5);
}

TEST_CASE("captured calls of a workspace that is moved, and calls on a stream that cannot be captured") {
  run_driver("order", "moved", 3, true);
}

TEST_CASE("checks that fail on the GPU: the first one is told, state stays, under every schedule") {
  run_driver("errors", "errors", 5);
  if (nvcc().empty()) {
    MESSAGE("skipped: no nvcc");
    return;
  }
  run_driver_as_ptx("errors", "errors", 5);
}

namespace {

// What ptxas says of spilled registers of each kernel: all of them must be none.
void expect_no_spills(const ProcessResult& result, std::size_t least) {
  INFO(result.output);
  CHECK(result.exit_code == 0);
  std::size_t kernels = 0;
  for (std::size_t at = 0; (at = result.output.find(" bytes spill stores", at)) != std::string::npos; ++at) {
    CHECK(result.output.substr(at - 3, 3) == ", 0");
    ++kernels;
  }
  CHECK(kernels > least);
}

}  // namespace

TEST_CASE("nvcc compiles device code for every architecture of the recipe, and no kernel spills") {
  const std::string compiler = nvcc();
  if (compiler.empty()) {
    MESSAGE("skipped: no nvcc");
    return;
  }
  const fs::path folder = fs::path(COHORT_BINARY_DIR) / "scratch" / "nvcc";
  fs::create_directories(folder);
  const std::string ptxas = (fs::path(compiler).parent_path() / "ptxas").string();
  for (const std::string name : {"model", "errors", "products", "sums", "wide"}) {
    const std::string source = (folder / (name + ".cu")).string(), ptx = (folder / (name + ".ptx")).string();
    const std::string cubin = (folder / (name + ".cubin")).string();
    write_file(source, device_code(name));
    const auto compile_to = [&](std::initializer_list<std::string> what) {
      std::vector<std::string> command{compiler};
      command.insert(command.end(), kDeviceFlags.begin(), kDeviceFlags.end());
      command.insert(command.end(), what);
      command.insert(command.end(), {"-I" COHORT_SOURCE_DIR "/runtime/include", source});
      return run_process(command);
    };
    const bool whole = name == "model";
    if (!whole) {  // the front end once
      const ProcessResult result = compile_to({"-ptx", "-arch=compute_80", "-o", ptx});
      INFO(result.output);
      REQUIRE(result.exit_code == 0);
    }
    for (const std::string_view arch : kDeviceArchitectures) {
      const std::string real = fmt::format("-arch=sm_{}", arch);
      expect_no_spills(whole ? compile_to({"-cubin", real, "-Xptxas", "-v", "-o", cubin})
                             : run_process({ptxas, real, "-v", ptx, "-o", cubin}),
                       3);
    }
  }
  const std::string wide = read_file((folder / "wide.ptx").string());
  for (const char* access : {"ld.global.v4.f32", "st.global.v4.f32", "ld.global.v2.f64", "ld.global.v4.u32"})
    CHECK(wide.find(access) != std::string::npos);
}

}  // namespace cohort::test
