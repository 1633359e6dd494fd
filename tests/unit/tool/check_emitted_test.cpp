// compile --check: emitted code parses without a toolkit; what does not is told at the graph's own line.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "codegen/build.h"
#include "codegen/custom_reader.h"
#include "ir/json_reader.h"
#include "tools/cohort/check_emitted.h"

namespace cohort {
namespace {

#ifdef COHORT_CLANG_LIBRARY
constexpr const char* kGraph = R"({"format": "cohort-ir", "version": "1.0", "name": "m",
 "state": {"s": {"type": "f32[100]", "init": 0}},
 "functions": {"f": {"inputs": {"x": "f32[100]", "i": "i64[3]"}, "nodes": [
  {"name": "y", "op": "tanh", "inputs": ["x"], "loc": "model.py:7"},
  {"name": "t", "op": "add", "inputs": ["y", "s"]},
  {"name": "p", "op": "take", "inputs": ["t", "i"]},
  {"name": "r", "op": "reduce_sum", "inputs": ["t"]}],
  "outputs": {"y": "y", "p": "p", "r": "r"}, "updates": {"s": "t"}}}})";

struct Emitted {
  CompiledModule compiled;
  std::vector<EmittedPlace> places;
  std::vector<Artefact> files;

  explicit Emitted(PlacementMode placement) {
    CompileOptions options;
    options.placement = placement;
    compiled = compile(read_module_text(kGraph, "m.json"), options);
    EmitOptions emit;
    emit.places = &places;
    files = emit_module(compiled, emit);
  }
  std::vector<Diagnostic> check() const {
    std::string why_not;
    const ClangTools* tools = load_clang_tools(std::array<std::string, 1>{COHORT_CLANG_LIBRARY}, why_not);
    REQUIRE(tools != nullptr);
    std::vector<CodeFile> code;
    for (const Artefact& file : files)
      if (!file.name.ends_with(".bin") && !file.name.ends_with(".hpp"))
        code.push_back({file.name, file.bytes});
    std::vector<Diagnostic> found;
    for (const Diagnostic& fault : tools->check_code(code, COHORT_SOURCE_DIR "/runtime/include"))
      found.push_back(at_graph(fault, compiled.module, files, places));
    return found;
  }
  // Puts something wrong into a file.
  void spoil(const std::string& name, const std::string& from, const std::string& to) {
    for (Artefact& file : files) {
      const std::size_t at = file.bytes.find(from);
      if (file.name != name || at == std::string::npos) continue;
      file.bytes.replace(at, from.size(), to);
      return;
    }
    FAIL(name << " has no " << from);
  }
};

std::string told(const std::vector<Diagnostic>& found) {
  std::string text;
  for (const Diagnostic& each : found) text += to_string(each) + "\n";
  return text;
}

TEST_CASE("emitted host and device code parses") {
  CHECK(told(Emitted(PlacementMode::kCpu).check()) == "");
  CHECK(told(Emitted(PlacementMode::kGpu).check()) == "");
}

TEST_CASE("what is wrong in emitted code is told at the graph's line") {
  Emitted host(PlacementMode::kCpu);
  host.spoil("m.cpp", "rt_tanh(", "rt_tahn(");
  const std::vector<Diagnostic> found = host.check();
  REQUIRE(!found.empty());
  CHECK(to_string(found[0].location) == "m.json:4:23");
  CHECK(found[0].message.find("rt_tahn") != std::string::npos);
  CHECK(found[0].notes.size() == 2);
  CHECK(found[0].notes.back() == "it comes from model.py:7");

  Emitted device(PlacementMode::kGpu);
  device.spoil("m_kernels.cu", "rt_tanh(", "rt_launch(");  // a function of the host
  const std::vector<Diagnostic> on_gpu = device.check();
  REQUIRE(!on_gpu.empty());
  CHECK(to_string(on_gpu[0].location) == "m.json:4:23");
}
TEST_CASE("formatting changes white space only, and nothing the second time") {
  std::string why_not;
  const ClangTools* tools = load_clang_tools(std::array<std::string, 1>{COHORT_CLANG_LIBRARY}, why_not);
  REQUIRE(tools != nullptr);
  const auto words = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\\'; });
    return text;
  };
  for (const Artefact& file : Emitted(PlacementMode::kGpu).files) {
    if (!file.name.ends_with(".cpp") && !file.name.ends_with(".h") && !file.name.ends_with(".cu")) continue;
    const std::string once = tools->format_code({file.name, file.bytes});
    CHECK(tools->format_code({file.name, once}) == once);
    CHECK(words(once) == words(file.bytes));
  }
}
#endif

}  // namespace
}  // namespace cohort
