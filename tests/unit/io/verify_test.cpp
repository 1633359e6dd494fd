#include "ir/verify.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "ir/equal_names.h"
#include "ir/op_def.h"
#include "ir/text_parser.h"
#include "random_module.h"

namespace cohort {
namespace {

constexpr std::string_view kText = R"(module m
dim n 1..4
const @c : f32[2] = [1.0, 2.0]
state @s : f32[2] = 0.0
func f(%a: f32[2], %b: f32[2]) {
  %x = add(%a, @s)
  %y = mul(%x, @c)
  %z = cast(%y) {dtype = f64}
  %t = tanh(%z)
  output y = %y
  output t = %t
  update @s = %y
}
func g() {
  output c = @c
}
)";

// The invariant that the change breaks first ("I3"), or "" if none.
template <typename Change>
std::string broken(Change change) {
  Module module = parse_text(kText, "t.txt");
  REQUIRE(verify(module).empty());
  Function f = *module.functions[0];
  change(module, f);
  module.functions[0] = std::make_shared<const Function>(std::move(f));
  std::vector<std::string> messages = verify(module);
  return messages.empty() ? "" : messages[0].substr(0, 2);
}

}  // namespace

TEST_CASE("random modules are well formed") {
  for (std::uint32_t seed = 0; seed < 30; ++seed) CHECK(verify(random_module(seed, true)).empty());
}

TEST_CASE("I1: order and results") {
  CHECK(broken([](Module&, Function& f) { std::swap(f.nodes[0].inputs[0], f.nodes[1].first_result); }) ==
        "I2");
  CHECK(broken([](Module&, Function& f) { f.nodes[0].inputs[0] = f.nodes[1].first_result; }) == "I1");
  CHECK(broken([](Module&, Function& f) { f.nodes[0].inputs[0] = f.nodes[0].first_result; }) == "I1");
  CHECK(broken([](Module&, Function& f) { f.nodes[0].inputs[0] = 99; }) == "I1");
  CHECK(broken([](Module&, Function& f) { f.outputs[0].value = 99; }) == "I1");
  CHECK(broken([](Module&, Function& f) { f.nodes[3].result_count = 2; }) == "I1");
}

TEST_CASE("I2: values point back") {
  CHECK(broken([](Module&, Function& f) { f.values[f.inputs[0]].index = 1; }) == "I2");
  CHECK(broken([](Module&, Function& f) { f.values[f.nodes[0].first_result].index = 2; }) == "I2");
  CHECK(broken([](Module&, Function& f) { f.values[f.nodes[0].first_result].result = 1; }) == "I2");
  CHECK(broken([](Module&, Function& f) { f.values[f.nodes[0].inputs[1]].index = 7; }) == "I2");
  CHECK(broken([](Module&, Function& f) { f.values[f.nodes[0].inputs[1]].type.dtype = DType::kI32; }) ==
        "I2");
  CHECK(broken([](Module&, Function& f) { f.inputs[0] = f.nodes[0].first_result; }) == "I2");
}

TEST_CASE("I3: inferred types") {
  CHECK(broken([](Module&, Function& f) { f.values[f.nodes[3].first_result].type.dtype = DType::kF32; }) ==
        "I3");
  CHECK(broken([](Module&, Function& f) { f.values[f.nodes[3].first_result].type.shape = {3}; }) == "I3");
  CHECK(broken([](Module&, Function& f) {
          f.values[f.inputs[0]].type.shape = {3};  // add refuses [3] with [2]
        }) == "I3");
}

TEST_CASE("I4: operators, arity and attributes") {
  CHECK(broken([](Module&, Function& f) { f.nodes[0].inputs.pop_back(); }) == "I4");
  CHECK(broken([](Module&, Function& f) { f.nodes[2].attrs.clear(); }) == "I4");
  CHECK(broken([](Module&, Function& f) { f.nodes[2].attrs[0].value = std::int64_t{3}; }) == "I4");
  CHECK(broken([](Module&, Function& f) { f.nodes[0].attrs = {{"axis", std::int64_t{0}}}; }) == "I4");
  CHECK(broken([](Module&, Function& f) { f.nodes[2].attrs.push_back(f.nodes[2].attrs[0]); }) == "I4");
  CHECK(broken([](Module&, Function& f) { f.nodes[0].op = nullptr; }) == "I4");
}

TEST_CASE("I5: unique names") {
  CHECK(broken([](Module&, Function& f) { f.outputs[1].name = "y"; }) == "I5");
  CHECK(broken([](Module&, Function& f) { f.values[f.inputs[1]].name = "a"; }) == "I5");
  CHECK(broken([](Module&, Function& f) { f.name = "g"; }) == "I5");
  CHECK(broken([](Module& m, Function&) { m.states[0].name = "c"; }) == "I5");
  CHECK(broken([](Module& m, Function&) { m.dims.push_back(m.dims[0]); }) == "I5");
}

TEST_CASE("bodies are functions too") {
  Module module = parse_text(R"(module m
func f(%x: f64[]) {
  %h, %ys = scan(%x) {carries = 1, steps = [3]} body(%h: f64[]) {
    %n = neg(%h)
    output h = %n
    output y = %h
  }
  output h = %h
  output ys = %ys
}
)",
                             "t.txt");
  REQUIRE(verify(module).empty());
  Function f = *module.functions[0];
  Function body = *f.nodes[0].regions[0];
  body.outputs[1].name = "h";
  f.nodes[0].regions[0] = std::make_shared<const Function>(body);
  CHECK(verify(module, f).front().starts_with("I5"));
  number_equal_names(body);
  CHECK(body.outputs[0].name == "h");
  CHECK(body.outputs[1].name == "h_2");
}

TEST_CASE("I6: updates") {
  CHECK(broken([](Module&, Function& f) { f.updates.push_back(f.updates[0]); }) == "I6");
  CHECK(broken([](Module&, Function& f) { f.updates[0].value = f.nodes[3].first_result; }) == "I6");
  CHECK(broken([](Module&, Function& f) { f.updates[0].state = 5; }) == "I6");
}

TEST_CASE("I7: dtypes of operands") {
  CHECK(broken([](Module&, Function& f) { f.nodes[1].inputs[0] = f.nodes[1].inputs[1] = f.inputs[0]; }) ==
        "");
  CHECK(broken([](Module&, Function& f) {
          f.values[f.inputs[0]].type.dtype = DType::kF64;  // f64 beside f32
        }) == "I7");
  CHECK(broken([](Module&, Function& f) {
          for (ValueId id : f.nodes[0].inputs) f.values[id].type.dtype = DType::kF64;
        }) == "I2");
}

TEST_CASE("I8: constant shapes and their tensors") {
  CHECK(broken([](Module& m, Function&) { m.constants[0].data = Tensor(DType::kF32, {3}); }) == "I8");
  CHECK(broken([](Module& m, Function&) { m.constants[0].data = Tensor(DType::kI32, {2}); }) == "I8");
  CHECK(broken([](Module& m, Function&) { m.states[0].type.shape = {Dim::named(0)}; }) == "I8");
  CHECK(broken([](Module& m, Function&) { m.states[0].init = Tensor(DType::kF32, {}); }) == "I8");
}

}  // namespace cohort
