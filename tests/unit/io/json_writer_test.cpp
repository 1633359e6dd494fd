#include "ir/json_writer.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>

#include "ir/builder.h"
#include "ir/diagnostics.h"
#include "ir/json_reader.h"
#include "random_module.h"
#include "same_module.h"

namespace cohort {

TEST_CASE("what is written reads back as the same module") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    Module module = random_module(seed, true);
    std::string json = write_module_text(module, "").json;
    Module again = read_module_text(json, "m.json");
    CHECK(difference(module, again) == "");
    CHECK((write_module_text(again, "").json == json));
    CHECK((format_json(json, "m.json") == json));
  }
}

TEST_CASE("names that a graph file cannot hold are made unique once") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    Module once = read_module_text(write_module_text(random_module(seed, false), "").json, "m.json");
    Module twice = read_module_text(write_module_text(once, "").json, "m.json");
    CHECK(difference(once, twice) == "");
  }
}

TEST_CASE("large tensors go to a file beside the graph") {
  namespace fs = std::filesystem;
  fs::path folder = fs::temp_directory_path() / fmt::format("cohort_writer_{}", ::getpid());
  fs::create_directories(folder);
  ModuleBuilder builder("m");
  Tensor data(DType::kF32, {40, 30});
  for (int i = 0; i < 1200; ++i) set_element(data, i, 1.0 / (1 + i));
  builder.add_constant("w", data);
  builder.add_state("s", {DType::kF32, {40, 30}}, data);
  builder.add_state("t", {DType::kF32, {}}, Tensor(DType::kF32, {}));
  const std::string path = (folder / "m.json").string();
  write_module(path, builder.module());
  CHECK(fs::file_size(folder / "m.safetensors") > 9600);
  CHECK(read_file(path).find("\"init\": {\"file\": \"m.safetensors\", \"key\": \"s\"}") != std::string::npos);
  CHECK(difference(read_module(path), builder.module()) == "");
  fs::remove_all(folder);
}

TEST_CASE("formatting orders known keys, keeps the user's own and the digits of numbers") {
  const char* untidy = R"({"functions":{"f":{"updates":{},"x-own":{"b":1,"a":[ 2 ]},"nodes":
    [{"inputs":["x",1e2],"x-z":0,"op":"mul","name":"n\u00e9"}],"inputs":{"x":"f32[ ]"}}},
    "name":"m","x-note":"kept","version":"1.0","format":"cohort-ir",
    "constants":{"z":{"data":[1.50,2],"type":"f64[2]"},"a":{"type":"f64[]","data":0}}})";
  const char* tidy = R"({
  "format": "cohort-ir",
  "version": "1.0",
  "name": "m",
  "constants": {
    "z": {"type": "f64[2]", "data": [1.50, 2]},
    "a": {"type": "f64[]", "data": 0}
  },
  "functions": {
    "f": {
      "inputs": {
        "x": "f32[ ]"
      },
      "nodes": [
        {"name": "né", "op": "mul", "inputs": ["x", 1e2], "x-z": 0}
      ],
      "updates": {},
      "x-own": {"b": 1, "a": [2]}
    }
  },
  "x-note": "kept"
}
)";
  CHECK(format_json(untidy, "m.json") == tidy);
  CHECK(format_json(tidy, "m.json") == tidy);
}

}  // namespace cohort
