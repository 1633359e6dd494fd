// Random graphs of exact operators on the GPU, emulated, against the interpreter, bit for bit.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>

#include "compiler/sample.h"
#include "ir/interpreter.h"
#include "tests/slow/cuda/emulated.h"
#include "tests/support/join_modules.h"
#include "tests/support/random_graph.h"
#include "tests/support/same_bits.h"

namespace cohort::test {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void check_bits(const Module& module) {
  CompileOptions options;
  options.disabled = {"stabilise"};  // it changes values on purpose
  const Engine engine = emulated_engine(module, options);
  for (const auto& function : module.functions) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      INFO(function->name << ", sample " << seed);
      const SampleCall call = sample_call(module, *function, seed);
      std::vector<Tensor> expected_state = call.state, state = call.state;
      const CallResult expected = interpret(module, *function, call.inputs, expected_state, call.dims);
      const CallResult got = engine(*function, call.inputs, state);
      for (std::size_t i = 0; i < expected.outputs.size(); ++i)
        CHECK(first_difference(expected.outputs[i], got.outputs[i]).value_or("") == "");
      for (std::size_t s = 0; s < state.size(); ++s)
        CHECK(first_difference(expected_state[s], state[s]).value_or("") == "");
    }
  }
}

Module random_graphs(const char* name, std::uint64_t first, std::uint64_t count) {
  RandomGraphOptions random;
  random.transcendental = false;
  Module module;
  module.name = name;
  for (std::uint64_t seed = first; seed < first + count; ++seed)
    join_module(module, random_module(seed, random), fmt::format("graph{}.", seed));
  return module;
}

// Every third node and half of the state is wanted on the CPU.
Module with_marks(Module module, std::uint64_t seed) {
  Random random(seed);
  for (auto& function : module.functions) {
    auto marked = std::make_shared<Function>(*function);
    for (Node& node : marked->nodes) {
      if (random.below(3) != 0) continue;
      SourceLoc place = module.locations[node.loc];
      place.device = DeviceHint::kCpu;
      node.loc = static_cast<LocId>(module.locations.size());
      module.locations.push_back(std::move(place));
    }
    function = std::move(marked);
  }
  for (State& state : module.states)
    if (random.below(2) == 0) state.device = DeviceHint::kCpu;
  return module;
}

}  // namespace

TEST_CASE("random graphs give the interpreter's bits on an emulated GPU") {
  check_bits(random_graphs("random", number_from("COHORT_SEED", 0), number_from("COHORT_COUNT", 20)));
}

TEST_CASE("random graphs give the interpreter's bits on an emulated GPU and the CPU together") {
  const std::uint64_t first = number_from("COHORT_SEED", 100);
  check_bits(with_marks(random_graphs("mixed", first, number_from("COHORT_COUNT", 20)), first));
}

}  // namespace cohort::test
