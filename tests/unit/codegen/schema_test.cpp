// Manifests against manifest.schema.json, by the part of JSON Schema that it uses.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "codegen/emit.h"
#include "compiler/compiled.h"
#include "ir/json_reader.h"

using namespace cohort;
using Json = nlohmann::json;

namespace {

std::string kind(const Json& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_number_integer()) return "integer";
  return value.is_null() ? "null" : "other";
}

struct Validator {
  const Json& root;
  std::string fault;  // the first, with its place

  void check(const Json& schema, const Json& value, const std::string& at) {
    if (!fault.empty()) return;
    if (schema.contains("$ref"))
      return check(root["$defs"][schema["$ref"].get<std::string>().substr(8)], value, at);
    if (schema.contains("const") && schema["const"] != value) fault = at + ": not the constant";
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      fault = at + ": not listed";
    if (schema.contains("type")) {
      const Json kinds = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
      if (std::find(kinds.begin(), kinds.end(), kind(value)) == kinds.end())
        fault = at + ": is " + kind(value);
    }
    for (const Json& key : schema.value("required", Json::array()))
      if (!value.contains(key.get<std::string>())) fault = at + ": lacks " + key.get<std::string>();
    if (value.is_object()) {
      for (const auto& [key, member] : value.items()) {
        const bool known = schema.contains("properties") && schema["properties"].contains(key);
        if (!known && schema.contains("additionalProperties")) fault = at + ": unknown key " + key;
        if (known) check(schema["properties"][key], member, at + "/" + key);
      }
    }
    if (value.is_array() && schema.contains("items"))
      for (std::size_t k = 0; k < value.size(); ++k)
        check(schema["items"], value[k], at + "/" + std::to_string(k));
  }
};

std::string fault_of(const Json& manifest) {
  const Json schema = Json::parse(std::ifstream(COHORT_SOURCE_DIR "/codegen/manifest.schema.json"));
  Validator validator{schema, {}};
  validator.check(schema, manifest, "");
  return validator.fault;
}

Json manifest_of(const char* json, const CompileOptions& options = {}) {
  for (const Artefact& artefact : emit_module(compile(read_module_text(json, "m.json"), options), {}))
    if (artefact.name == "m.manifest.json") return Json::parse(artefact.bytes);
  return {};
}

}  // namespace

TEST_CASE("manifests follow their schema") {
  Json manifest = manifest_of(
      R"({"format": "cohort-ir", "version": "1.0", "name": "m", "dims": {"n": {"min": 0, "max": 9}},
      "constants": {"w": {"type": "f32[3]", "data": [1, 2, 3]}},
      "state": {"s": {"type": "bf16[2,3]", "init": 1}},
      "functions": {"f": {"inputs": {"x": "f32[n,3]"}, "nodes": [{"name": "y", "op": "mul", "inputs": ["x", "w"]}],
                          "outputs": {"y": "y"}, "updates": {"s": "s"}}}})");
  CHECK(fault_of(manifest) == "");
  CHECK(manifest["weights"]["constants"].size() == 1);
  manifest["functions"][0]["inputs"][0]["dtype"] = "f31";
  CHECK(fault_of(manifest) == "/functions/0/inputs/0/dtype: not listed");
  manifest["functions"][0].erase("inputs");
  CHECK(fault_of(manifest) == "/functions/0: lacks inputs");
}

TEST_CASE("the manifest of a module with many state variables follows the schema") {
  std::string states;
  for (int k = 0; k < 65; ++k)
    states += fmt::format(R"({}"{}": {{"type": "u8[]", "init": 0}})", k ? ", " : "", k);
  const std::string json =
      R"({"format": "cohort-ir", "version": "1.0", "name": "m", "functions": {}, "state": {)" + states + "}}";
  Json manifest = manifest_of(json.c_str());
  CHECK(manifest["weights"]["state_directory"]["offset"] == 0);
  CHECK(fault_of(manifest) == "");
  manifest["weights"]["state_directory"].erase("bytes");
  CHECK(fault_of(manifest) == "/weights/state_directory: lacks bytes");
}

TEST_CASE("the manifest of a module without anything follows the schema") {
  CHECK(fault_of(manifest_of(R"({"format": "cohort-ir", "version": "1.0", "name": "m", "functions": {}})")) ==
        "");
}

TEST_CASE("manifests of modules for the GPU follow their schema") {
  const char* const graph =
      R"({"format": "cohort-ir", "version": "1.0", "name": "m",
      "state": {"s": {"type": "f32[3]", "init": 1}},
      "functions": {"f": {"inputs": {"x": "f32[3]"}, "nodes": [{"name": "y", "op": "mul", "inputs": ["x", "s"]}],
                          "outputs": {"y": "y"}, "updates": {"s": "y"}},
                    "g": {"inputs": {"x": "f32[3]"}, "nodes": [{"name": "y", "op": "sort", "inputs": ["x"], "attrs": {"axis": 0}}],
                          "outputs": {"y": "y"}}}})";
  CompileOptions options;
  options.placement = PlacementMode::kGpu;
  const Json plain = manifest_of(graph, options);
  CHECK(fault_of(plain) == "");
  CHECK(plain["files"]["device_sources"] == Json::array({"m_kernels.cu"}));
  CHECK(plain["device"]["bytes"].get<int>() > 0);
  for (const char* name : {"attach", "detach", "set_stream", "wait"}) CHECK(plain["symbols"].contains(name));
  CHECK_FALSE(plain["functions"][0].contains("replayed"));
  const char* const product = R"({"format": "cohort-ir", "version": "1.0", "name": "m", "functions": {"f": {
      "inputs": {"x": "f32[64,64]"}, "nodes": [{"name": "y", "op": "matmul", "inputs": ["x", "x"]}], "outputs": {"y": "y"}}}})";
  options.blas = BlasLibrary::kCublas;
  options.device.gpu.blas_flops = 1;
  const Json called = manifest_of(product, options);
  CHECK(fault_of(called) == "");
  CHECK(called["device"]["blas"] == "cublas");
  options.cuda_graph = true;
  const Json replayed = manifest_of(graph, options);
  CHECK(fault_of(replayed) == "");
  CHECK(replayed["functions"][0]["replayed"] == true);
  CHECK_FALSE(replayed["functions"][1].contains("replayed"));  // the CPU sorts
  CHECK(replayed["workspace"]["bytes"] > plain["workspace"]["bytes"]);
}
