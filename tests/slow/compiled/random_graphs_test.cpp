// Differential test: random graphs of exact operators as compiled C++ against the interpreter, bit for bit.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/sample.h"
#include "ir/diagnostics.h"
#include "tests/slow/compiled/compiled_module.h"
#include "tests/support/join_modules.h"
#include "tests/support/random_graph.h"

namespace cohort::test {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The first difference of some calls of one function, in words; empty: none.
std::string difference(const Module& module, const Engine& engine, const Function& function,
                       std::uint64_t seed) {
  SampleCall call = sample_call(module, function, seed);
  std::vector<Tensor> expected_state = call.state, got_state = call.state;
  const CallResult expected = interpret(module, function, call.inputs, expected_state, call.dims);
  const CallResult got = engine(function, call.inputs, got_state);
  for (std::size_t i = 0; i < expected.outputs.size(); ++i)
    if (const auto found = first_difference(expected.outputs[i], got.outputs[i]))
      return function.outputs[i].name + ": " + *found;
  for (const Update& update : function.updates)
    if (const auto found = first_difference(expected_state[update.state], got_state[update.state]))
      return module.states[update.state].name + ": " + *found;
  return {};
}

bool has_dims(const Function& function) {
  return std::any_of(function.inputs.begin(), function.inputs.end(),
                     [&](ValueId input) { return !is_constant(function.type(input).shape); });
}

}  // namespace

TEST_CASE("random graphs of exact operators give the interpreter's bits") {
  RandomGraphOptions random;
  random.transcendental = false;
  Module module;
  module.name = "random";
  const std::uint64_t first = number_from("COHORT_SEED", 0);
  for (std::uint64_t seed = first; seed < first + number_from("COHORT_COUNT", 60); ++seed)
    join_module(module, random_module(seed, random), fmt::format("graph{}.", seed));
  CompileOptions options;
  options.disabled = {"stabilise"};  // it changes values on purpose
  const Engine engine = compiled_engine(module, options, {"-O1"});
  for (const auto& function : module.functions) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      CAPTURE(function->name);
      CAPTURE(seed);
      std::string error;
      try {
        error = difference(module, engine, *function, seed);
      } catch (const UserError& thrown) {
        error = thrown.what();
      }
      CHECK(error == "");
    }
  }
}

TEST_CASE("copies for common dims give the bits of the functions, at these dims and at others") {
  Module module;
  module.name = "specialised";
  for (std::uint64_t seed = 100; module.functions.size() < 40; ++seed)
    if (const Module graph = random_module(seed); has_dims(*graph.functions[0]))
      join_module(module, graph, fmt::format("graph{}.", seed));
  CompileOptions options;
  for (const auto& function : module.functions) {
    const DimValues dims = sample_call(module, *function, 0).dims;
    FunctionCounts& counts = options.profile.functions[function->name];
    counts.calls = 1;
    for (DimId d = 0; d < dims.size(); ++d) counts.dims[d].calls[dims[d]] = 1;
  }
  CHECK(compile(module, options).specialised.size() >= 10);
  const Engine specialised = compiled_engine(module, options, {"-O1"}),
               usual = compiled_engine(module, {}, {"-O1"});
  for (const auto& function : module.functions) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      INFO(function->name << ", sample " << seed);
      const SampleCall call = sample_call(module, *function, seed);
      std::vector<Tensor> expected_state = call.state, state = call.state;
      const CallResult expected = usual(*function, call.inputs, expected_state);
      const CallResult got = specialised(*function, call.inputs, state);
      for (std::size_t i = 0; i < expected.outputs.size(); ++i)
        CHECK(first_difference(expected.outputs[i], got.outputs[i]).value_or("") == "");
      for (std::size_t s = 0; s < state.size(); ++s)
        CHECK(first_difference(expected_state[s], state[s]).value_or("") == "");
    }
  }
}

}  // namespace cohort::test
