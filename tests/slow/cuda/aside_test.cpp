// Transfers beside kernels, on streams of their own, under random schedules.
#include <doctest/doctest.h>

#include <filesystem>

#include "codegen/emit.h"
#include "codegen/spawn.h"
#include "ir/files.h"
#include "ir/text_parser.h"

namespace cohort::test {

TEST_CASE("inputs and outputs that cross beside kernels are never too early nor too late") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(COHORT_BINARY_DIR) / "scratch" / "aside";
  const std::string path = COHORT_SOURCE_DIR "/tests/slow/cuda/goldens/aside.txt";
  fs::remove_all(folder);
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  options.device.gpu.aside_bytes = 4096;
  const CompiledModule compiled = compile(parse_text(read_file(path), path), options);
  REQUIRE(compiled.functions[0].asides.size() == 3);  // b; p and q
  write_artefacts(folder.string(), emit_module(compiled, {}));
  const ProcessResult result = run_process(
      {COHORT_SOURCE_DIR "/tools/cuda_check/cuda_check",
       COHORT_SOURCE_DIR "/tests/slow/cuda/drivers/aside.cpp", (folder / "aside_kernels.cu").string(),
       (folder / "aside.cpp").string(), "-I", COHORT_SOURCE_DIR "/runtime/include", "-I", folder.string(),
       "--schedules", "12", "--runtime", fs::path(COHORT_CUDA_CHECK).parent_path().string()});
  INFO(result.output);
  CHECK(result.exit_code == 0);
}

}  // namespace cohort::test
