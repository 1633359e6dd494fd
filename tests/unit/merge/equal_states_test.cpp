// State variables that always hold the same value are found and computed once; each still answers by name.
#include "compiler/merge/equal_states.h"

#include <doctest/doctest.h>

#include <map>

#include "compiler/pipeline.h"
#include "ir/interpreter.h"
#include "ir/rewriter.h"
#include "ir/text_parser.h"
#include "merging_support.h"
#include "tests/support/random_graph.h"
#include "tests/support/same_bits.h"

using namespace cohort;
using namespace cohort::test;

namespace {

// Which variables equal which: "s=t u=v".
std::string equal(const Module& module) {
  const std::vector<StateId> leads = equal_states(module);
  std::string result;
  for (StateId s = 0; s < leads.size(); ++s)
    if (leads[s] != s)
      result += (result.empty() ? "" : " ") + module.states[leads[s]].name + "=" + module.states[s].name;
  return result;
}
std::string equal_of(const std::string& states, const std::string& functions) {
  const Module module =
      parse_text("module m\nconst @c : f64[] = 3\nconst @d : f64[] = 3\n" + states + functions, "m");
  check_merging(module, 4);
  return equal(module);
}

const std::string kTwo = "state @s : f64[] = 1 {settable = false}\nstate @t : f64[] = 1 {settable = false}\n";
const std::string kFour =
    kTwo + "state @u : f64[] = 2 {settable = false}\nstate @v : f64[] = 2 {settable = false}\n";

}  // namespace

TEST_CASE("two variables with equal starts and equal updates") {
  CHECK(equal_of(kTwo, R"(
func f(%i: f64[]) {
  %a = add(@s, %i)
  %b = add(@t, %i)
  update @s = %a
  update @t = %b
}
func g() {
  %a = mul(@t, @c)
  %b = mul(@s, @d)
  update @t = %b
  update @s = %a
  output o = @t
}
func h() {
  %o = sub(@s, @t)
  output o = %o
}
)") == "s=t");
}

TEST_CASE("an update in one function only, another operand, another operator") {
  const std::string same =
      "func f(%i: f64[]) {\n  %a = add(@s, %i)\n  %b = add(@t, %i)\n  update @s = %a\n  update @t = %b\n}\n";
  CHECK(equal_of(kTwo, same) == "s=t");
  CHECK(equal_of(kTwo, same + "func g() {\n  %a = mul(@s, 2.0)\n  update @s = %a\n}\n") == "");
  CHECK(equal_of(kTwo, same + "func g(%i: f64[], %j: f64[]) {\n  update @s = %i\n  update @t = %j\n}\n") ==
        "");
  CHECK(equal_of(kTwo, same + "func g(%i: f64[]) {\n  update @s = %i\n  update @t = %i\n}\n") == "s=t");
  CHECK(equal_of(
            kTwo,
            same + "func g() {\n  %a = sin(@s)\n  %b = cos(@t)\n  update @s = %a\n  update @t = %b\n}\n") ==
        "");
  // Left as they are is as good as no update.
  CHECK(equal_of(kTwo, same + "func g() {\n  update @s = @s\n}\n") == "s=t");
}

TEST_CASE("other starts: no, also where only a bit of a zero differs") {
  const std::string decay =
      "func f() {\n  %a = mul(@s, 0.5)\n  %b = mul(@t, 0.5)\n  update @s = %a\n  update @t = %b\n}\n";
  const auto states = [](const char* s, const char* t) {
    return fmt::format(
        "state @s : f64[2] = {} {{settable = false}}\nstate @t : f64[2] = {} {{settable = false}}\n", s, t);
  };
  CHECK(equal_of(states("[1, 2]", "[1, 2]"), decay) == "s=t");
  CHECK(equal_of(states("[1, 2]", "[1, 3]"), decay) == "");
  CHECK(equal_of(states("0", "-0.0"), decay) == "");
  CHECK(equal_of("state @s : f32[] = 1 {settable = false}\nstate @t : f64[] = 1 {settable = false}\n",
                 decay) == "");
}

TEST_CASE("what can be set stays apart") {
  const std::string decay =
      "func f() {\n  %a = mul(@s, 0.5)\n  %b = mul(@t, 0.5)\n  update @s = %a\n  update @t = %b\n}\n";
  CHECK(equal_of("state @s : f64[] = 1\nstate @t : f64[] = 1\n", decay) == "");
  CHECK(equal_of("state @s : f64[] = 1 {settable = false}\nstate @t : f64[] = 1\n", decay) == "");
}

TEST_CASE("equal because others are: pairs that swap, chains, rings") {
  CHECK(equal_of(kFour, R"(
func f() {
  %a = add(@s, @u)
  %b = add(@t, @v)
  update @s = @u
  update @t = @v
  update @u = %a
  update @v = %b
}
)") == "s=t u=v");
  CHECK(equal_of(kTwo, "func f() {\n  update @s = @t\n  update @t = @s\n}\n") == "s=t");
  // One of the pairs differs by what it is added to, and so does the other.
  CHECK(equal_of(kFour, R"(
func f() {
  %a = add(@s, @u)
  %b = add(@t, @s)
  update @s = @u
  update @t = @v
  update @u = %a
  update @v = %b
}
)") == "");
  std::string states, updates;
  for (int k = 0; k < 60; ++k) {
    states += fmt::format("state @r{} : f64[] = {} {{settable = false}}\n", k, k % 3);
    updates += fmt::format("  update @r{} = @r{}\n", k, (k + 1) % 60);
  }
  const Module ring = parse_text("module m\n" + states + "func f() {\n" + updates + "}\n", "m");
  const std::vector<StateId> leads = equal_states(ring);
  for (StateId s = 0; s < 60; ++s) CHECK(leads[s] == s % 3);
}

TEST_CASE("long chains that differ at their end only") {
  // All begin alike but the last, and each takes the next one's value: rounds over all variables, one for
  // each link, would be 10^9 steps.
  constexpr StateId kLength = 30'000;
  ModuleBuilder module("chains");
  FunctionBuilder step(module, "step");
  for (StateId s = 0; s < 2 * kLength; ++s) {
    Tensor init(DType::kF64, {});
    set_element(init, 0, s % kLength == kLength - 1 ? 1 : 0);
    module.add_state(fmt::format("s{}", s), {DType::kF64, {}}, std::move(init), 0, false);
  }
  for (StateId s = 0; s < 2 * kLength; ++s)
    if (s % kLength != kLength - 1) step.update(s, step.state(s + 1));
  module.add_function(step.finish());
  const std::vector<StateId> leads = equal_states(module.finish());
  bool right = true;
  for (StateId s = 0; s < 2 * kLength; ++s) right = right && leads[s] == s % kLength;
  CHECK(right);
}

TEST_CASE("effects and several results are told apart") {
  CHECK(equal_of("state @s : f64[3] = 1 {settable = false}\nstate @t : f64[3] = 1 {settable = false}\n"
                 "state @i : i64[3] = 0 {settable = false}\nstate @j : i64[3] = 0 {settable = false}\n",
                 "func f() {\n  %a, %b = topk(@s) {k = 3}\n  %c, %d = topk(@t) {k = 3}\n"
                 "  update @s = %a\n  update @t = %c\n  update @i = %b\n  update @j = %d\n}\n") == "s=t i=j");
}

namespace {

// Each variable of `source` twice, as is all that is computed from them; half of the nodes of the second copy
// read the first one's values. What is read of inputs is one. `spoil` may change a start of the second copy.
Module twice(const Module& source, const std::function<void(std::size_t, Tensor&)>& spoil) {
  ModuleBuilder module("twice");
  module.module().dims = source.dims;
  module.module().constants = source.constants;
  for (const int copy : {0, 1}) {
    for (std::size_t s = 0; s < source.states.size(); ++s) {
      const State& state = source.states[s];
      Tensor init = state.init;
      if (copy == 1) spoil(s, init);
      module.add_state(fmt::format("{}.{}", state.name, copy), state.type, std::move(init), 0, false);
    }
  }
  const auto count = static_cast<StateId>(source.states.size());
  for (const auto& function : source.functions) {
    FunctionBuilder f(module, function->name);
    std::map<ValueId, ValueId> values[2];
    for (const ValueId v : function->inputs)
      values[0][v] = values[1][v] = f.input(function->value(v).name, function->type(v));
    for (ValueId v = 0; v < function->values.size(); ++v) {
      const Value& value = function->value(v);
      for (const StateId copy : {0u, 1u}) {
        if (value.kind == ValueKind::kState) values[copy][v] = f.state(value.index + copy * count);
        if (value.kind == ValueKind::kConstant) values[copy][v] = f.constant(value.index);
      }
    }
    for (const Node& node : function->nodes) {
      for (auto& of_copy : values) {
        std::vector<ValueId> inputs;
        for (const ValueId input : node.inputs) inputs.push_back(of_copy.at(input));
        const ValueId first = f.node(*node.op, inputs, node.attrs, {}, 0, node.regions);
        for (std::uint32_t r = 0; r < node.result_count; ++r) of_copy[node.first_result + r] = first + r;
      }
    }
    for (const int copy : {0, 1}) {
      for (const Output& o : function->outputs)
        f.output(fmt::format("{}.{}", o.name, copy), values[copy].at(o.value));
      for (const Update& u : function->updates)
        f.update(u.state + static_cast<StateId>(copy) * count, values[copy].at(u.value));
    }
    module.add_function(f.finish());
  }
  return module.finish();
}

}  // namespace

TEST_CASE("random modules: planted copies are found, spoilt ones computed apart") {
  int joined = 0, spoilt_joined = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    RandomGraphOptions options;
    options.nodes = 4 + static_cast<int>(seed % 14);
    const Module source = random_module(seed, options);
    const Module plain = twice(source, [](std::size_t, Tensor&) {});
    const std::vector<StateId> leads = equal_states(plain);
    const std::size_t count = source.states.size();
    for (std::size_t s = 0; s < count; ++s) {
      CHECK(leads[s + count] == leads[s]);
      ++joined;
    }
    check_merging(plain, 3, seed);
    Random random(seed);
    const Module spoilt = twice(source, [&](std::size_t s, Tensor& init) {
      if (s % 3 == 0 && init.size() > 0) init = sample_tensor(init.dtype(), init.extents(), random);
    });
    const std::vector<StateId> some = equal_states(spoilt);
    for (std::size_t s = 0; s < count; ++s) {
      spoilt_joined += some[s + count] == some[s];
      if (some[s + count] == some[s]) CHECK(spoilt.states[s].init == spoilt.states[s + count].init);
    }
    check_merging(spoilt, 3, seed);
  }
  CHECK(joined > 40);
  CHECK(spoilt_joined < joined);
}

TEST_CASE("a variable that equals another lies where that does") {
  const Module module =
      parse_text("module m\n" + kTwo + "state @w : f64[] = 5\n" +
                     "func f() {\n  %a = mul(@s, 0.5)\n  %b = mul(@t, 0.5)\n  %x = add(@w, %b)\n"
                     "  update @s = %a\n  update @t = %b\n  update @w = %x\n}\n",
                 "m");
  const CompiledModule merged = compile(module, {});
  CHECK(merged.state_leads == std::vector<StateId>{0, 0, 2});
  CHECK(merged.states[1].offset == merged.states[0].offset);
  CHECK(merged.states[2].offset != merged.states[0].offset);
  CHECK(merged.state_bytes == 2 * kAlignment);
  CompileOptions off;
  off.merge = MergeMode::kOff;
  const CompiledModule apart = compile(module, off);
  CHECK(apart.states[1].offset != apart.states[0].offset);
  CHECK(apart.state_bytes == 3 * kAlignment);
}

TEST_CASE("functions that are applied are looked into") {
  CHECK(equal(without_applied_functions(parse_text("module m\n" + kTwo + R"(
func half(%x: f64[]) {
  %y = mul(%x, 0.5)
  output y = %y
}
func f() {
  %a : f64[] = call(@s) function = half
  %b : f64[] = call(@t) function = half
  update @s = %a
  update @t = %b
}
)",
                                                   "m"))) == "s=t");
}
