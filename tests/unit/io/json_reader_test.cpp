#include "ir/json_reader.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "ir/diagnostics.h"
#include "ir/op_def.h"

namespace cohort {
namespace {

constexpr std::string_view kToy = R"({
  "format": "cohort-ir", "version": "1.0", "name": "toy", "x-author": {"any": [1]},
  "state": {"x": {"type": "f64[2]", "init": [1, 2]},
            "y": {"type": "f64[2]", "init": [3, 4]}},
  "functions": {
    "f": {
      "nodes": [{"name": "x2", "op": "mul", "inputs": ["x", 2.0], "loc": "model.py:3:1"},
                {"name": "xy", "op": "add", "inputs": ["x", "y"]}],
      "updates": {"y": "xy", "x": "x2"}
    }
  }
})";

Module read(std::string_view json) { return read_module_text(std::string(json), "toy.json"); }

// A module with one function "f" of the given inputs and nodes, and the value "r" as its output.
std::string module_of(std::string_view inputs, std::string_view nodes) {
  return fmt::format(
      R"({{"format":"cohort-ir","version":"1.0","name":"m","functions":{{"f":{{"inputs":{{{}}},)"
      R"("nodes":[{}],"outputs":{{"r":"r"}}}}}}}})",
      inputs, nodes);
}

DType literal_dtype(std::string_view dtype, std::string_view op, std::string_view literal) {
  Module module = read(module_of(fmt::format(R"("x":"{}[]")", dtype),
                                 fmt::format(R"({{"name":"r","op":"{}","inputs":["x",{}]}})", op, literal)));
  return module.constants.front().type.dtype;
}

std::string errors_of(std::string_view json) {
  try {
    read(json);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the toy is read with order, positions and updates") {
  Module module = read(kToy);
  CHECK(module.name == "toy");
  CHECK(module.file == "toy.json");
  REQUIRE(module.states.size() == 2);
  CHECK(module.states[1].name == "y");
  CHECK(element_as_double(module.states[1].init, 1) == 4);
  REQUIRE(module.functions.size() == 1);
  const Function& f = *module.functions[0];
  REQUIRE(f.nodes.size() == 2);
  CHECK(f.nodes[0].op->name == "mul");
  CHECK(f.value(f.nodes[0].first_result).name == "x2");
  CHECK(module.locations[f.nodes[0].loc].user == "model.py:3:1");
  CHECK(module.locations[f.nodes[0].loc].line == 7);
  CHECK(module.locations[f.nodes[0].loc].column == 38);
  REQUIRE(f.updates.size() == 2);
  CHECK(f.updates[0].state == 0);
  CHECK(f.updates[0].value == f.nodes[0].first_result);
}

TEST_CASE("nodes in any order are sorted, those in order keep it") {
  Module module = read(module_of(R"("x":"f32[]")", R"({"name":"a","op":"exp","inputs":["x"]},)"
                                                   R"({"name":"r","op":"add","inputs":["late","a"]},)"
                                                   R"({"name":"late","op":"tanh","inputs":["x"]},)"
                                                   R"({"name":"z","op":"sin","inputs":["r"]})"));
  std::string order;
  for (const Node& node : module.functions[0]->nodes) order += std::string(node.op->name) + " ";
  CHECK(order == "exp tanh add sin ");
}

TEST_CASE("literals take the dtype of the operands they meet") {
  CHECK(literal_dtype("f32", "mul", "2") == DType::kF32);
  CHECK(literal_dtype("f32", "mul", "2.5") == DType::kF32);
  CHECK(literal_dtype("f16", "mul", R"({"lit":"-inf"})") == DType::kF16);
  CHECK(literal_dtype("i8", "mul", "2") == DType::kI8);
  CHECK(literal_dtype("i8", "mul", "2.5") == DType::kF64);
  CHECK(literal_dtype("u64", "add", "18446744073709551615") == DType::kU64);
  CHECK(literal_dtype("i32", "true_div", "2") == DType::kF64);
  CHECK(literal_dtype("bool", "and", "true") == DType::kBool);
  CHECK(literal_dtype("f64", "add", "true") == DType::kF64);
  CHECK(errors_of(module_of(R"("x":"i8[]")", R"({"name":"r","op":"add","inputs":["x",300]})")) ==
        "toy.json:1:136: error[number_too_large]: 300 is beyond the range of `i8`");
}

TEST_CASE("case 28: hostile names are only text") {
  const char* names[] = {"layer1.weight",
                         "1234",
                         "gpu_0/data:0",
                         "class",
                         "NULL",
                         "a-b",
                         "a_b",
                         "\xc3\xa9",
                         "",
                         "A",
                         "a",
                         "%0",
                         "@x",
                         "nan",
                         "inf",
                         "\\\"\\n\\u0000"};
  std::string nodes, last = "x";
  for (const char* name : names) {
    nodes += fmt::format(R"({{"name":"{}","op":"neg","inputs":["{}"]}},)", name, last);
    last = name;
  }
  nodes += fmt::format(R"({{"name":"r","op":"neg","inputs":["{}"]}})", last);
  Module module = read(module_of(R"("x":"f32[]")", nodes));
  CHECK(module.functions[0]->nodes.size() == std::size(names) + 1);
  const Function& f = *module.functions[0];
  CHECK(f.value(f.nodes[15].first_result).name == std::string("\"\n\0", 3));
}

TEST_CASE("case 36: nesting, however deep, is an error with a position") {
  for (const std::string_view open : {"[", "{\"a\":", "[{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += open;
    const std::string errors = errors_of(text);
    CHECK(errors.starts_with("toy.json:1:"));
    CHECK(errors.find("error[nested_too_deep]") != errors.npos);
  }
}

TEST_CASE("case 36: any truncation and any changed byte is an error or a module, never a crash") {
  for (std::size_t size = 0; size < kToy.size(); ++size) CHECK(!errors_of(kToy.substr(0, size)).empty());
  std::uint32_t seed = 1;
  for (std::size_t at = 0; at < kToy.size(); ++at) {
    for (int tries = 0; tries < 8; ++tries) {
      seed = seed * 1664525 + 1013904223;
      std::string changed(kToy);
      changed[at] = static_cast<char>(seed >> 24);
      errors_of(changed);
    }
  }
}

TEST_CASE("errors stop at a limit") {
  std::string nodes;
  for (int i = 0; i < 300; ++i) nodes += fmt::format(R"({{"name":"n{}","op":"tahn","inputs":["x"]}},)", i);
  std::string errors =
      errors_of(module_of(R"("x":"f32[]")", nodes + R"({"name":"r","op":"neg","inputs":["x"]})"));
  CHECK(std::count(errors.begin(), errors.end(), '\n') == 200);
  CHECK(errors.ends_with("more than 100 errors, the rest is not shown"));
  CHECK(errors.find("did you mean `tan`?") != errors.npos);
}

}  // namespace cohort
