// The GPU, emulated, gives the bits that compiled code gives on the CPU: samples, and random graphs with
// transcendental functions.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "compiler/sample.h"
#include "ir/json_reader.h"
#include "tests/slow/compiled/compiled_module.h"
#include "tests/slow/cuda/emulated.h"
#include "tests/support/join_modules.h"
#include "tests/support/random_graph.h"

namespace cohort::test {
namespace {

void compare_devices(const Module& module) {
  const Engine cpu = compiled_engine(module, {}, {"-O1"}), gpu = emulated_engine(module);
  for (const auto& function : module.functions) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      INFO(module.name << ": " << function->name << ", sample " << seed);
      const SampleCall call = sample_call(module, *function, seed);
      std::vector<Tensor> expected_state = call.state, state = call.state;
      const CallResult expected = cpu(*function, call.inputs, expected_state);
      const CallResult got = gpu(*function, call.inputs, state);
      for (std::size_t i = 0; i < expected.outputs.size(); ++i)
        CHECK(first_difference(expected.outputs[i], got.outputs[i]).value_or("") == "");
      for (std::size_t s = 0; s < state.size(); ++s)
        CHECK(first_difference(expected_state[s], state[s]).value_or("") == "");
    }
  }
}

}  // namespace

TEST_CASE("samples have the bits of the CPU on an emulated GPU") {
  for (const char* graph : {"mlp/mlp.json", "nengo_channel/channel.json", "toy/toy.json"})
    compare_devices(read_module(std::string(COHORT_SOURCE_DIR "/samples/") + graph, {}));
}

TEST_CASE("random graphs have the bits of the CPU on an emulated GPU") {
  Module module;
  module.name = "bits";
  for (std::uint64_t seed = 500; seed < 512; ++seed)
    join_module(module, random_module(seed), fmt::format("graph{}.", seed));
  compare_devices(module);
}

}  // namespace cohort::test
