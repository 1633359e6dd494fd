#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <clocale>
#include <map>

#include "codegen/depfile.h"
#include "codegen/emit.h"
#include "codegen/names.h"
#include "compiler/compiled.h"
#include "ir/json_reader.h"
#include "ir/sha256.h"

using namespace cohort;

namespace {

constexpr const char* kToy = R"({
  "format": "cohort-ir", "version": "1.0", "name": "toy", "dims": {"batch": {"min": 1, "max": 32}},
  "constants": {"w": {"type": "f32[4]", "data": [0.5, "nan", "inf", -0.0]}},
  "state": {"x": {"type": "f64[50]", "init": 1}, "layer1.weight": {"type": "f32[2,3]", "init": 0}},
  "functions": {
    "step": {"nodes": [{"name": "x2", "op": "tanh", "inputs": ["x"], "loc": "model.py:3:1"}], "updates": {"x": "x2"}},
    "g": {"inputs": {"u": "f32[batch,4]"}, "nodes": [{"name": "y", "op": "mul", "inputs": ["u", "w"]}],
          "outputs": {"y": "y"}}}})";

std::vector<Artefact> emit(const char* json, const EmitOptions& options = {}) {
  return emit_module(compile(read_module_text(json, "toy.json"), {}), options);
}
const std::string& file(const std::vector<Artefact>& files, const std::string& name) {
  for (const Artefact& artefact : files)
    if (artefact.name == name) return artefact.bytes;
  FAIL("no artefact " << name);
  return files[0].bytes;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
std::ptrdiff_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }
std::uint64_t number(const std::string& bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int k = count; k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes.at(at + k));
  return value;
}

// Variables x0 to x(n-1), each beginning at its number; a function of the first.
std::string variables(int n) {
  std::string states;
  for (int k = 0; k < n; ++k)
    states += fmt::format(R"({}"x{}": {{"type": "f64[5]", "init": {}}})", k ? ", " : "", k, k);
  return fmt::format(
      R"({{"format": "cohort-ir", "version": "1.0", "name": "toy", "state": {{{}}}, "functions": {{
      "f": {{"nodes": [{{"name": "y0", "op": "tanh", "inputs": ["x0"]}}], "updates": {{"x0": "y0"}}}}}}}})",
      states);
}

}  // namespace

TEST_CASE("a kernel reads like the graph it comes from") {
  const std::string text = file(emit(kToy), "toy.cpp");
  CHECK(has(text,
            "// x2 = tanh(x)   model.py:3:1\n"
            "RT_KERNEL void step_x2(double* __restrict x) {\n"
            "  rt_simd_for<rt_width<double>>(50, [&](auto i) {\n"));
  CHECK(has(text, "rt_store(x, i, "));
}

TEST_CASE("what is folded keeps the name of the value it stands for") {
  const std::string text = file(emit(R"({"format": "cohort-ir", "version": "1.0", "name": "toy",
      "constants": {"decay": {"type": "f32[4]", "data": [0.5, 0.75, 0.875, 0.9375]}},
      "functions": {"f": {"inputs": {"x": "f32[4]"}, "nodes": [
          {"name": "gain", "op": "sub", "inputs": [1.0, "decay"]}, {"name": "fed", "op": "mul", "inputs": ["gain", "x"]}],
          "outputs": {"fed": "fed"}}}})"),
                                "toy.cpp");
  CHECK(has(text, "// fed = mul(gain, x)\n"));
  CHECK(has(text, "const float* __restrict gain"));
}

TEST_CASE("the header has constants, sized structs and one function for each of the graph's") {
  const std::string text = file(emit(kToy), "toy.h");
  CHECK(has(text, "#define TOY_WORKSPACE_ALIGN ((size_t)64)\n"));
  CHECK(has(text, "#define TOY_OFFSET_layer1_weight "));
  CHECK(
      has(text, "  int64_t batch; /* 1 to 32 */\n  const float* u; /* f32[batch,4] */\n  size_t u_bytes;\n"));
  CHECK(has(text, "int32_t toy_step(void* workspace, const toy_step_args* args);\n"));
}

TEST_CASE("equal modules give equal bytes, whatever the locale") {
  const auto first = emit(kToy);
  const char* changed = std::setlocale(LC_ALL, "de_DE.UTF-8");
  const auto second = emit(kToy);
  std::setlocale(LC_ALL, "C");
  MESSAGE("locale with decimal commas: ", std::string(changed ? changed : "not installed"));
  REQUIRE(first.size() == second.size());
  for (std::size_t k = 0; k < first.size(); ++k) {
    CHECK(first[k].name == second[k].name);
    CHECK(first[k].bytes == second[k].bytes);
  }
}

TEST_CASE("small weights stand in the source, large ones in a file") {
  CHECK(has(file(emit(kToy), "toy.cpp"), "alignas(64) static const uint64_t toy_weights["));
  EmitOptions options;
  options.inline_weights = 0;
  const auto files = emit(kToy, options);
  CHECK(has(file(files, "toy.cpp"), ".incbin \\\"toy_weights.bin\\\""));
  const std::string& weights = file(files, "toy_weights.bin");
  const auto manifest = nlohmann::json::parse(file(files, "toy.manifest.json"));
  CHECK(manifest["weights"]["bytes"] == weights.size());
  const std::size_t at = manifest["weights"]["constants"][0]["offset"];
  const unsigned char expected[] = {0, 0, 0, 0x3f, 0, 0, 0xc0, 0x7f, 0, 0, 0x80, 0x7f, 0, 0, 0, 0x80};
  CHECK(weights.substr(at, 16) == std::string(reinterpret_cast<const char*>(expected), 16));
}

TEST_CASE("the manifest tells a loader all it needs") {
  const auto manifest = nlohmann::json::parse(file(emit(kToy), "toy.manifest.json"));
  CHECK(manifest["format"] == "cohort-manifest");
  CHECK(manifest["symbols"]["set_print"] == "toy_set_print");
  const auto& g = manifest["functions"][1];
  CHECK(g["symbol"] == "toy_g");
  CHECK(g["args_bytes"] == 48);
  CHECK(g["dims"][0]["offset"] == 8);
  CHECK(g["inputs"][0]["offset"] == 16);
  CHECK(g["outputs"][0]["bytes_offset"] == 40);
  CHECK(g["inputs"][0]["shape"][0]["dim"] == "batch");
  CHECK(manifest["state"][1]["name"] == "layer1.weight");
  CHECK(manifest["state"][1]["strides"] == nlohmann::json::array({3, 1}));
  CHECK(manifest["workspace"]["bytes"].get<int>() >= 256 + 400 + 24);
}

TEST_CASE("case 30: sizes in header and manifest agree") {
  const auto files = emit(kToy);
  const auto manifest = nlohmann::json::parse(file(files, "toy.manifest.json"));
  const std::string& header = file(files, "toy.h");
  CHECK(has(header, fmt::format("#define TOY_WORKSPACE_SIZE ((size_t){})\n",
                                manifest["workspace"]["bytes"].get<std::uint64_t>())));
  CHECK(has(header, fmt::format("#define TOY_WORKSPACE_ALIGN ((size_t){})\n",
                                manifest["workspace"]["alignment"].get<std::uint64_t>())));
  for (const auto& state : manifest["state"])
    CHECK(has(header, fmt::format("#define TOY_OFFSET_{} ((size_t){}) /*",
                                  to_identifier(state["name"].get<std::string>()),
                                  state["offset"].get<std::uint64_t>())));
}

TEST_CASE("a module of many state variables has no line for each") {
  const auto few = emit(variables(64).c_str()), more = emit(variables(65).c_str()),
             many = emit(variables(2000).c_str());
  CHECK(has(file(few, "toy.h"), "#define TOY_OFFSET_x63 "));
  CHECK(has(file(few, "toy.hpp"), " x63() {"));
  CHECK(has(file(few, "toy.cpp"), "    {\"x63\", "));
  for (const auto* files : {&more, &many}) {
    CHECK(!has(file(*files, "toy.h"), "TOY_OFFSET_"));
    CHECK(has(file(*files, "toy.h"), " state variables are reached by name: toy_get, toy_set;"));
    CHECK(!has(file(*files, "toy.hpp"), "> x"));
    CHECK(!has(file(*files, "toy.cpp"), "\"x6"));
  }
  for (const char* name : {"toy.h", "toy.hpp", "toy.cpp"}) {
    CAPTURE(name);
    CHECK(lines(file(many, name)) == lines(file(more, name)));
    CHECK(lines(file(many, name)) < 120);
  }
}

TEST_CASE("case 30: state by name in the weights is what the manifest says") {
  const auto files = emit(variables(70).c_str());
  const std::string& weights = file(files, "toy_weights.bin");
  const auto manifest = nlohmann::json::parse(file(files, "toy.manifest.json"));
  CHECK(manifest["weights"]["bytes"] == weights.size());
  CHECK(manifest["weights"]["sha256"] == sha256_hex(weights));
  const std::size_t at = manifest["weights"]["state_directory"]["offset"];
  CHECK(at % 64 == 0);
  CHECK(manifest["weights"]["state_directory"]["bytes"] == weights.size() - at);
  CHECK(has(file(files, "toy.cpp"), fmt::format("    .states = nullptr,\n    .state_count = 70,\n"
                                                "    .state_directory = {},\n    .weights = toy_weights,\n",
                                                at)));
  std::map<std::string, nlohmann::json> sorted;
  for (const auto& state : manifest["state"]) sorted[state["name"]] = state;
  REQUIRE(sorted.size() == 70);
  std::size_t record = at;
  for (const auto& [name, state] : sorted) {
    CAPTURE(name);
    CHECK(weights.c_str() + at + number(weights, record, 8) == name);
    CHECK(number(weights, record + 8, 8) == state["offset"]);
    const std::uint64_t init = number(weights, record + 16, 8);
    if (name == "x0") {
      CHECK(init == UINT64_MAX);
    } else {
      CHECK(weights.substr(init, 8) == weights.substr(init + 32, 8));
      CHECK(std::bit_cast<double>(number(weights, init, 8)) == std::stod(name.substr(1)));
    }
    const std::uint64_t shape = at + number(weights, record + 24, 8);
    CHECK(shape % 8 == 0);
    CHECK(number(weights, shape, 8) == state["shape"][0]);
    CHECK(number(weights, shape + 8, 8) == state["strides"][0]);
    CHECK(number(weights, record + 32, 8) == UINT64_MAX);  // settable
    CHECK(number(weights, record + 40, 4) == static_cast<std::uint64_t>(DType::kF64));
    CHECK(number(weights, record + 44, 4) == 1);
    record += 48;
  }
}

TEST_CASE("any number of sources") {
  EmitOptions options;
  options.shards = 3;
  const auto files = emit(kToy, options);
  CHECK(has(file(files, "toy_2.cpp"), "#define COHORT_SEVERAL_SOURCES"));
  const auto manifest = nlohmann::json::parse(file(files, "toy.manifest.json"));
  CHECK(manifest["files"]["sources"].size() == 3);
}

TEST_CASE("depfiles escape what make treats specially") {
  CHECK(depfile_text("a b.stamp", {"x#y.json", "p$q.npy"}) ==
        "a\\ b.stamp: \\\n  x\\#y.json \\\n  p$$q.npy\n");
}

TEST_CASE("state names that no C string or file can carry are refused") {
  CHECK_THROWS(emit(R"({"format": "cohort-ir", "version": "1.0", "name": "m",
      "state": {"__metadata__": {"type": "f32[]", "init": 0}}, "functions": {}})"));
}
