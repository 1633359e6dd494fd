// Many state variables: their table by name is data in the weights. The same graph is compiled with the table
// in the source, too, and a driver holds one against the other.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/slow/codegen/support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

using Json = nlohmann::ordered_json;

// Variables of every dtype and of ranks 0 to 4, one shape without elements; names that are no identifiers,
// begin alike or differ in case. `turn` changes those of f32[3], which are alike, and swaps two.
std::string many_states() {
  std::vector<std::string> names = {"",
                                    "a",
                                    "A",
                                    "ab",
                                    "é",
                                    "É",
                                    "quote\"\\?\n",
                                    "\u202erevo",
                                    "~",
                                    "1234",
                                    "1.234",
                                    "NULL",
                                    "a/b:0",
                                    "a b",
                                    "\t",
                                    "\x01",
                                    "日本",
                                    "😀",
                                    "states",
                                    "layer1.weight",
                                    "layer1_weight"};
  for (int k = 0; k < 80; ++k) names.push_back(fmt::format("{}{}", k % 2 ? "x" : "X", k));
  const std::vector<std::vector<int>> shapes = {{}, {3}, {2, 3}, {1}, {0}, {2, 1, 4}, {2, 2, 1, 2}, {65}};
  Json states = Json::object(), nodes = Json::array(), updates = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const DType dtype = static_cast<DType>(k % kDTypeCount);
    std::string type = fmt::format("{}[{}]", dtype_name(dtype), fmt::join(shapes[k % shapes.size()], ","));
    const Json init = dtype == DType::kBool ? Json(k % 3 == 0) : Json(k % 4 ? k : 0);
    states[names[k]] = {{"type", type}, {"init", init}};
  }
  for (int k = 0; k < 12; ++k) {
    const std::string name = fmt::format("alike {}", k), next = fmt::format("next {}", k);
    states[name] = {{"type", "f32[3]"}, {"init", {k, k + 1, k + 2}}};
    nodes.push_back({{"name", next}, {"op", "tanh"}, {"inputs", {name}}});
    updates[name] = next;
  }
  updates["alike 10"] = "next 11";
  updates["alike 11"] = "next 10";
  return Json{{"format", "cohort-ir"},
              {"version", "1.0"},
              {"name", "many"},
              {"state", states},
              {"functions", {{"turn", {{"nodes", nodes}, {"updates", updates}}}}}}
      .dump();
}

std::string octal(std::string_view bytes) {
  std::string text = "\"";
  for (const char byte : bytes) text += fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
  return text + "\"";
}

// What the driver knows of the graph, straight from the reader.
std::string expected_header(const std::string& json) {
  std::string rows;
  for (const State& state : read_module_text(json, "many.json").states) {
    const auto bytes = static_cast<std::size_t>(state.init.bytes());
    rows +=
        fmt::format("    {{{}, {}, {}, {}}},\n", octal(state.name), bytes, state.type.dtype == DType::kBool,
                    octal({reinterpret_cast<const char*>(state.init.data()), bytes}));
  }
  return fmt::format(
      "struct Variable {{\n  const char* name;\n  unsigned bytes;\n  bool is_bool;\n  const char* "
      "init;\n}};\n"
      "static const Variable kVariables[] = {{\n{}}};\n",
      rows);
}

void emit_as(const Scratch& folder, const std::string& json, const std::string& prefix, EmitOptions options) {
  options.prefix = prefix;
  emit_into(folder, json, options);
}

}  // namespace

TEST_CASE("state by name from the weights: every variable, both ways, against the table in the source") {
  const Scratch folder("many states");
  const std::string json = many_states();
  std::ofstream(folder.file("expected.h")) << expected_header(json);
  EmitOptions few, inlined;
  few.listed_states = 1000;
  inlined.inline_weights = 1u << 20;
  inlined.shards = 2;
  emit_as(folder, json, "few", few);
  emit_as(folder, json, "many", {});
  emit_as(folder, json, "inlined", inlined);
  CHECK(slurp(folder.file("few.cpp")).find("static const rt_state states[]") != std::string::npos);
  for (const char* file : {"many.cpp", "inlined.cpp"})
    CHECK(slurp(folder.file(file)).find("rt_state ") == std::string::npos);
  const std::vector<std::string> sources = {"few.cpp", "many.cpp", "inlined.cpp", "inlined_1.cpp"};
  build_and_run(folder, sources, "states.cpp", {"-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"});
  if (is_installed("clang++")) build_and_run(folder, sources, "states.cpp", {}, "clang++");
}
