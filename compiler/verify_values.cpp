#include "compiler/verify_values.h"

#include "compiler/pipeline.h"
#include "compiler/sample.h"
#include "ir/diagnostics.h"
#include "ir/interpreter.h"

namespace cohort {

namespace {

struct Outcome {
  std::vector<Tensor> outputs;
  std::vector<Tensor> state;
  std::string printed;
  std::string error;
};

Outcome run(const Module& module, const Function& function, const SampleCall& call) {
  Outcome outcome;
  outcome.state = call.state;
  try {
    CallResult result = interpret(module, function, call.inputs, outcome.state, call.dims);
    outcome.outputs = std::move(result.outputs);
    outcome.printed = std::move(result.printed);
  } catch (const UserError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

std::optional<std::string> difference(const Module& module, const Function& function, const Outcome& before,
                                      const Outcome& after) {
  if (!after.error.empty()) return "where there was none, an error: " + after.error;
  for (std::size_t i = 0; i < before.outputs.size(); ++i)
    if (const auto d = first_difference(before.outputs[i], after.outputs[i]))
      return fmt::format("output `{}`: {}", function.outputs[i].name, *d);
  for (std::size_t i = 0; i < before.state.size(); ++i)
    if (const auto d = first_difference(before.state[i], after.state[i]))
      return fmt::format("state `{}`: {}", module.states[i].name, *d);
  if (before.printed != after.printed) return "what is printed";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> differing_value(const Module& module, const Function& before,
                                           const Function& after) {
  if (applies_functions(before)) return std::nullopt;
  constexpr std::uint64_t kSamples = 6;
  for (std::uint64_t seed = 0; seed < kSamples; ++seed) {
    const SampleCall call = sample_call(module, before, seed);
    const Outcome expected = run(module, before, call);
    if (!expected.error.empty()) continue;
    if (auto d = difference(module, before, expected, run(module, after, call)))
      return fmt::format("{} (sample {})", *d, seed);
  }
  return std::nullopt;
}

}  // namespace cohort
