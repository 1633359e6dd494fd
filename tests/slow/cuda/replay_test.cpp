// --cuda-graph: calls that are captured once and replayed.
#include <doctest/doctest.h>

#include <filesystem>

#include "codegen/emit.h"
#include "codegen/spawn.h"
#include "ir/files.h"
#include "ir/text_parser.h"

namespace cohort::test {

TEST_CASE("case 38: replayed calls give what others give, and ask CUDA for nothing else") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(COHORT_BINARY_DIR) / "scratch" / "replayed";
  const std::string path = COHORT_SOURCE_DIR "/tests/slow/cuda/goldens/replayed.txt";
  fs::remove_all(folder);
  std::vector<std::string> command{COHORT_SOURCE_DIR "/tools/cuda_check/cuda_check",
                                   COHORT_SOURCE_DIR "/tests/slow/cuda/drivers/replay.cpp"};
  std::vector<std::string> more{"-I",          COHORT_SOURCE_DIR "/runtime/include",
                                "--schedules", "5",
                                "--runtime",   fs::path(COHORT_CUDA_CHECK).parent_path().string()};
  for (const std::string name : {"replayed", "plain"}) {
    CompileOptions options;
    options.placement = PlacementMode::kGpu;
    options.cuda_graph = name == "replayed";
    if (options.cuda_graph) options.device.gpu.aside_bytes = 64;  // s crosses on another stream
    EmitOptions emit;
    emit.prefix = name;
    const fs::path emitted = folder / name;
    write_artefacts(emitted.string(), emit_module(compile(parse_text(read_file(path), path), options), emit));
    command.push_back((emitted / (name + "_kernels.cu")).string());
    command.push_back((emitted / (name + ".cpp")).string());
    more.insert(more.end(), {"-I", emitted.string()});
  }
  command.insert(command.end(), more.begin(), more.end());
  const ProcessResult result = run_process(command);
  INFO(result.output);
  CHECK(result.exit_code == 0);
}

}  // namespace cohort::test
