// --blas=cublas: emitted calls of the library, run over the checker's, and linked with the toolkit's.
#include <filesystem>

#include "codegen/emit.h"
#include "ir/files.h"
#include "ir/text_parser.h"
#include "tests/slow/cuda/emulated.h"

namespace cohort::test {
namespace {

namespace fs = std::filesystem;

Module graph() {
  const std::string path = COHORT_SOURCE_DIR "/tests/slow/cuda/goldens/blas.txt";
  return parse_text(read_file(path), path);
}

CompileOptions by_blas() {
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  options.blas = BlasLibrary::kCublas;
  options.device.gpu.blas_flops = 40000;
  return options;
}

}  // namespace

TEST_CASE("large products are calls of cuBLAS: without allocating, captured, after checks, under schedules") {
  const fs::path folder = fs::path(COHORT_BINARY_DIR) / "scratch" / "blas";
  fs::remove_all(folder);
  write_artefacts(folder.string(), emit_module(compile(graph(), by_blas()), {}));
  const std::string checker = COHORT_SOURCE_DIR "/tools/cuda_check/cuda_check",
                    program = (folder / "program").string();
  const ProcessResult built =
      run_process({checker, (folder / "blas_kernels.cu").string(), (folder / "blas.cpp").string(),
                   COHORT_SOURCE_DIR "/tests/slow/cuda/drivers/blas.cpp", "-I", folder.string(), "-I",
                   COHORT_SOURCE_DIR "/runtime/include", "--build-only", "-o", program, "--runtime",
                   fs::path(COHORT_CUDA_CHECK).parent_path().string()});
  INFO(built.output);
  REQUIRE(built.exit_code == 0);
  const ProcessResult run = run_process({checker, "--program", program, "--schedules", "3"});
  INFO(run.output);
  CHECK(run.exit_code == 0);
  const ProcessResult without = run_process({"/usr/bin/env", "CUDA_CHECK_NO_BLAS=1", program});
  INFO(without.output);
  CHECK(without.exit_code == 0);
}

TEST_CASE("a module that calls cuBLAS is linked with the toolkit's") {
  if (nvcc().empty()) {
    MESSAGE("skipped: no nvcc");
    return;
  }
  const fs::path folder = fs::path(COHORT_BINARY_DIR) / "scratch" / "blas linked";
  fs::remove_all(folder);
  fs::create_directories(folder);
  BuildOptions build;
  build.runtime = COHORT_SOURCE_DIR "/runtime/include";
  build.device_compiler = nvcc();
  build.architectures = {"90"};
  const BuiltGraph built = build_graph(graph(), by_blas(), {}, build, folder.string());
  const ProcessResult needed = run_process({"readelf", "-d", built.library});
  INFO(needed.output);
  CHECK(needed.output.find("libcublas.so") != std::string::npos);
}

}  // namespace cohort::test
