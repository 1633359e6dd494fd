// Modules that count, and functions emitted twice: the text. What it does is tests/python/test_profile.py's.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "codegen/emit.h"
#include "compiler/compiled.h"
#include "ir/json_reader.h"

using namespace cohort;

namespace {

constexpr const char* kModel = R"({
  "format": "cohort-ir", "version": "1.0", "name": "toy", "dims": {"batch": {"min": 1, "max": 64}},
  "state": {"s": {"type": "f64[50]", "init": 1}},
  "functions": {
    "profile": {"nodes": [{"name": "s2", "op": "tanh", "inputs": ["s"]}], "updates": {"s": "s2"}},
    "g": {"inputs": {"u": "f32[batch,4]"}, "nodes": [{"name": "y", "op": "tanh", "inputs": ["u"]}],
          "outputs": {"y": "y"}}}})";

std::vector<Artefact> emit(const EmitOptions& emit_options, const CompileOptions& options = {}) {
  return emit_module(compile(read_module_text(kModel, "toy.json"), options), emit_options);
}
const std::string& file(const std::vector<Artefact>& files, const std::string& name) {
  for (const Artefact& artefact : files)
    if (artefact.name == name) return artefact.bytes;
  FAIL("no artefact " << name);
  return files[0].bytes;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

EmitOptions instrumented() {
  EmitOptions options;
  options.instrument = true;
  return options;
}
CompileOptions with_batch(std::int64_t value) {
  CompileOptions options;
  FunctionCounts& counts = options.profile.functions["g"];
  counts.calls = 10;
  counts.dims[0].calls[value] = 10;
  return options;
}

}  // namespace

TEST_CASE("without --instrument nothing counts") {
  for (const Artefact& artefact : emit({})) {
    INFO(artefact.name);
    CHECK(!has(artefact.bytes, "rt_count"));
    CHECK(!has(artefact.bytes, "rt_clock"));
    CHECK(!has(artefact.bytes, "cohort/profile"));
    CHECK(!has(artefact.bytes, "counters"));
  }
}

TEST_CASE("an instrumented module has counters behind its workspace and one more function") {
  const auto plain = emit({}), files = emit(instrumented());
  const auto before = nlohmann::json::parse(file(plain, "toy.manifest.json")),
             manifest = nlohmann::json::parse(file(files, "toy.manifest.json"));
  // Two functions' calls, one dim, two kernels.
  CHECK(manifest["workspace"]["counters"]["bytes"] == 2 * 8 + 264 + 2 * 16);
  CHECK(manifest["workspace"]["counters"]["offset"] >= before["workspace"]["bytes"]);
  CHECK(manifest["workspace"]["counters"]["offset"].get<int>() % 64 == 0);
  CHECK(manifest["workspace"]["bytes"] ==
        manifest["workspace"]["counters"]["offset"].get<int>() + 2 * 8 + 264 + 2 * 16);
  CHECK(has(file(files, "toy.h"), fmt::format("#define TOY_WORKSPACE_SIZE ((size_t){})\n",
                                              manifest["workspace"]["bytes"].get<std::uint64_t>())));
  CHECK(has(file(files, "toy.h"), "size_t toy_profile(const void* workspace, char* text, size_t bytes);\n"));
  CHECK(has(file(files, "toy.hpp"), "std::string profile() const"));
  CHECK(manifest["symbols"]["profile"] == "toy_profile");
  // The graph's own function of this name stands aside.
  CHECK(manifest["functions"][0]["name"] == "profile");
  CHECK(manifest["functions"][0]["symbol"] == "toy_profile_2");
  CHECK(before["functions"][0]["symbol"] == "toy_profile");
  const std::string& source = file(files, "toy.cpp");
  CHECK(has(source, "  g_y(y, u, args->batch);\n  since = rt_count_kernel(workspace, "));
  CHECK(has(source, ", args->batch);\n  toy_g_part0(workspace, args);"));
}

TEST_CASE("every source of an instrumented module sees the clock, one tells the counts") {
  EmitOptions options = instrumented();
  options.shards = 2;
  options.source_bytes = 1;
  const auto files = emit(options);
  CHECK(has(file(files, "toy.cpp"), "#include \"cohort/profile_text.h\"\n"));
  CHECK(has(file(files, "toy_1.cpp"), "#include \"cohort/profile.h\"\n"));
}

TEST_CASE("equal modules that count have equal bytes") {
  const auto first = emit(instrumented(), with_batch(32)), second = emit(instrumented(), with_batch(32));
  REQUIRE(first.size() == second.size());
  for (std::size_t k = 0; k < first.size(); ++k) CHECK(first[k].bytes == second[k].bytes);
}

TEST_CASE("the entry point chooses the copy by the dims") {
  const std::string source = file(emit({}, with_batch(32)), "toy.cpp");
  CHECK(has(source, "RT_KERNEL void g_batch32_y(float* __restrict y, const float* __restrict u) {\n"));
  CHECK(has(source,
            "  if (args->batch == 32) {  // as in most calls\n    toy_g_batch32_part0(workspace, args);\n"
            "    return COHORT_OK;\n  }\n  toy_g_part0(workspace, args);\n"));
  CHECK(has(source, "RT_KERNEL void g_y(float* __restrict y, const float* __restrict u, int64_t batch) {\n"));
  // The interface is the same.
  CHECK(file(emit({}, with_batch(32)), "toy.h") == file(emit({}), "toy.h"));
}
