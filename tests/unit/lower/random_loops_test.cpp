// Random graphs as bodies of loops and branches: what they mean must not depend on lowering, kernel passes or
// graph passes.
#include <doctest/doctest.h>

#include <cstdlib>

#include "compiler/run_passes.h"
#include "compiler/sample.h"
#include "ir/verify.h"
#include "support.h"
#include "tests/support/random_graph.h"

using namespace cohort;
using namespace cohort::test;

namespace {

std::uint64_t number(const char* name, std::uint64_t fallback) {
  const char* given = std::getenv(name);
  return given == nullptr ? fallback : std::strtoull(given, nullptr, 10);
}

Type stacked(const Type& type, std::int64_t steps) {
  Type result = type;
  result.shape.insert(result.shape.begin(), Dim(steps));
  return result;
}

// A module of one function that runs the function of `module` in a loop: each input is a sequence, something
// that all steps share, or a carry, if an output has its type.
Module loop_of(Module module, std::uint64_t seed) {
  Random random(seed);
  auto body = std::make_shared<Function>(*module.functions[0]);
  module.functions.clear();
  std::vector<ValueId> sequences, carries, others;
  std::vector<Output> outputs = body->outputs, carried;
  for (const ValueId input : body->inputs) {
    const auto same = std::find_if(outputs.begin(), outputs.end(), [&](const Output& output) {
      return body->type(output.value) == body->type(input);
    });
    if (same != outputs.end() && random.chance(70)) {
      carried.push_back(*same);
      outputs.erase(same);
      carries.push_back(input);
    } else {
      (random.chance(60) ? sequences : others).push_back(input);
    }
  }
  const auto number_of_carries = static_cast<std::int64_t>(carries.size());
  const auto number_of_sequences = static_cast<std::int64_t>(sequences.size());
  body->inputs.clear();
  for (const auto* list : {&sequences, &carries, &others})
    body->inputs.insert(body->inputs.end(), list->begin(), list->end());
  for (std::uint32_t i = 0; i < body->inputs.size(); ++i) body->values[body->inputs[i]].index = i;
  body->outputs = carried;
  body->outputs.insert(body->outputs.end(), outputs.begin(), outputs.end());

  const std::int64_t steps = random.below(5);
  const auto stop = std::find_if(body->values.begin(), body->values.end(), [&](const Value& value) {
    return value.type == Type{DType::kBool, {}} && value.kind == ValueKind::kNode;
  });
  const bool until = stop != body->values.end();
  if (until) body->outputs.push_back({"stop", static_cast<ValueId>(stop - body->values.begin())});
  ModuleBuilder builder(std::move(module));
  FunctionBuilder to(builder, "f");
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < body->inputs.size(); ++i) {
    const Value& value = body->value(body->inputs[i]);
    const bool is_sequence = i < sequences.size();
    inputs.push_back(to.input(value.name, is_sequence ? stacked(value.type, steps) : value.type));
  }
  Attrs attrs{{"sequences", number_of_sequences},
              {"carries", number_of_carries},
              {"reverse", random.chance(30)},
              {"until", until}};
  if (sequences.empty() || random.chance(20)) attrs.push_back({"steps", Shape{steps}});
  const std::size_t results = body->outputs.size();
  const ValueId first = to.make("scan", inputs, attrs, {}, 0, {body});
  for (std::size_t r = 0; r < results; ++r)
    if (random.chance(80) || r == 0) to.output("out" + std::to_string(r), first + static_cast<ValueId>(r));
  builder.add_function(to.finish());
  return builder.finish();
}

RandomGraphOptions body_options(std::uint64_t seed) {
  RandomGraphOptions options;
  options.nodes = 3 + static_cast<int>(seed % 12);
  options.states = false;
  options.max_elements = 100;
  return options;
}

}  // namespace

TEST_CASE("random loops mean the same after lowering and after every kernel pass") {
  const std::uint64_t first = number("COHORT_SEED", 1), count = number("COHORT_GRAPHS", 80);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed);
    const Module module = loop_of(random_module(seed, body_options(seed)), seed);
    REQUIRE(verify(module) == std::vector<std::string>());
    const SampleCall call = sample_call(module, *module.functions[0], seed);
    check_lowering(module, call.inputs, call.state, call.dims, 2);
  }
}

TEST_CASE("every exact pass keeps every bit of random loops") {
  const std::uint64_t first = number("COHORT_SEED", 1), count = number("COHORT_GRAPHS", 80);
  std::vector<std::string> passes;
  for (const Pass& pass : all_passes())
    if (pass.exactness == Exactness::kExact) passes.emplace_back(pass.name);
  CompileOptions options;
  options.verify_passes = true;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed);
    const Module module = loop_of(random_module(seed, body_options(seed)), seed);
    CHECK_NOTHROW(run_passes(run_passes(module, passes, options), passes, options));
  }
}
