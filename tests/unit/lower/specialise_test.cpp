// Copies of functions for common values of their dims.
#include <doctest/doctest.h>

#include "compiler/compiled.h"
#include "compiler/sample.h"
#include "compiler/specialise.h"
#include "ir/interpreter.h"
#include "ir/kernel_interpreter.h"
#include "ir/kernel_verify.h"
#include "ir/text_parser.h"
#include "tests/support/random_graph.h"
#include "tests/support/same_bits.h"

using namespace cohort;
using namespace cohort::test;

namespace {

FunctionCounts counts(std::uint64_t calls, std::map<DimId, std::map<std::int64_t, std::uint64_t>> dims) {
  FunctionCounts result;
  result.calls = calls;
  for (const auto& [dim, values] : dims) {
    std::uint64_t other = calls;
    for (const auto& [value, count] : values) other -= count;
    result.dims[dim] = {values, other};
  }
  return result;
}

// A profile in which every call of the function had these dims.
CompileOptions always(const Function& function, const DimValues& dims) {
  CompileOptions options;
  options.disabled = {"stabilise"};  // it changes values on purpose
  FunctionCounts& profile = options.profile.functions[function.name];
  profile.calls = 10;
  for (DimId d = 0; d < dims.size(); ++d) profile.dims[d].calls[dims[d]] = 10;
  return options;
}

}  // namespace

TEST_CASE("values are common that dims have together in nine calls of ten") {
  CHECK(common_values({}).empty());
  CHECK(common_values(counts(10, {{0, {{8, 9}}}})) == std::vector<FixedDim>{{0, 8}});
  CHECK(common_values(counts(10, {{0, {{8, 8}, {4, 2}}}})).empty());
  CHECK(common_values(counts(19, {{0, {{8, 17}}}})).empty());
  CHECK(common_values(counts(1, {{0, {{8, 1}}}})) == std::vector<FixedDim>{{0, 8}});
  // Of empty arrays there is nothing to be gained.
  CHECK(common_values(counts(10, {{0, {{0, 10}}}})).empty());
  // The calls in which one or the other differs add up.
  CHECK(common_values(counts(100, {{0, {{8, 95}}}, {1, {{3, 95}}}})) ==
        std::vector<FixedDim>{{0, 8}, {1, 3}});
  CHECK(common_values(counts(100, {{0, {{8, 94}}}, {1, {{3, 95}}}})) == std::vector<FixedDim>{{1, 3}});
}

TEST_CASE("counts of several workspaces are added") {
  Profile profile;
  profile.functions["f"] = counts(10, {{0, {{8, 6}, {4, 4}}}});
  Profile more;
  more.functions["f"] = counts(90, {{0, {{8, 88}}}});
  more.functions["g"] = counts(1, {});
  add_profile(profile, more);
  CHECK(profile.functions["f"].calls == 100);
  CHECK(profile.functions["f"].dims[0].calls == std::map<std::int64_t, std::uint64_t>{{4, 4}, {8, 94}});
  CHECK(profile.functions["f"].dims[0].other == 2);
  CHECK(profile.functions["g"].calls == 1);
}

TEST_CASE("extents of the copy are constants, what is computed with keeps its dims") {
  const Module module = parse_text(R"(module m
dim batch 1..64
func f(%x: f32[batch,4], %y: f32[2*batch,4]) {
  %mean = reduce_mean(%x) {axes = [0], keepdims = false}
  %e = exp(%mean)
  %t = tanh(%y)
  output e = %e
  output t = %t
})",
                                   "m.txt");
  const CompiledModule compiled = compile(module, always(*module.functions[0], {32}));
  REQUIRE(compiled.specialised.size() == 1);
  const std::string text = kernel::to_string(compiled.specialised[0].code.program, compiled.module.dims);
  INFO(text);
  CHECK(text.find("< 32 ") != text.npos);
  CHECK(text.find("< 64 ") != text.npos);
  CHECK(text.find("f32(batch)") != text.npos);
}

TEST_CASE("without a profile, or dims that matter, there is no copy") {
  const Module module = parse_text(R"(module m
dim batch 1..64
func f(%x: f32[batch]) {
  %n = neg(%x)
  output y = %n
}
func g(%x: f32[4]) {
  %n = neg(%x)
  output y = %n
})",
                                   "m.txt");
  CHECK(compile(module, {}).specialised.empty());
  CHECK(compile(module, always(*module.functions[1], {32})).specialised.empty());
  CHECK(compile(module, always(*module.functions[0], {32})).specialised.size() == 1);
}

TEST_CASE("copies of random functions give the bits of the interpreter") {
  int copies = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    INFO("seed " << seed);
    const Module module = random_module(seed);
    const Function& function = *module.functions[0];
    const SampleCall sample = sample_call(module, function, seed);
    const CompiledModule compiled = compile(module, always(function, sample.dims));
    if (compiled.specialised.empty()) continue;
    ++copies;
    const kernel::Program& program = compiled.specialised[0].code.program;
    REQUIRE(kernel::verify(program).empty());
    std::vector<Tensor> expected_state = sample.state, state = sample.state;
    const CallResult expected = interpret(module, function, sample.inputs, expected_state, sample.dims);
    const CallResult got = interpret_program(compiled.module, program, sample.inputs, state, sample.dims);
    for (std::size_t i = 0; i < expected.outputs.size(); ++i)
      CHECK(same(got.outputs[i], expected.outputs[i]));
    for (std::size_t s = 0; s < state.size(); ++s) CHECK(same(state[s], expected_state[s]));
  }
  CHECK(copies >= 50);
}
