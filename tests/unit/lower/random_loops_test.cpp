// Random graphs as bodies of loops and branches: what they mean must not depend on lowering, kernel passes or
// graph passes.
#include <doctest/doctest.h>

#include <cstdlib>

#include "compiler/derive/split_loops.h"
#include "compiler/pipeline.h"
#include "compiler/run_passes.h"
#include "compiler/sample.h"
#include "ir/diagnostics.h"
#include "ir/text_parser.h"
#include "ir/text_printer.h"
#include "ir/verify.h"
#include "support.h"
#include "tests/support/random_graph.h"
#include "tests/support/same_bits.h"

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
Module loop_of(Module module, std::uint64_t seed, std::int64_t most_steps = 4) {
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

  const std::int64_t steps = random.below(most_steps + 1);
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

// Adds `loss`, the sum of all that `f` gives as floats, and `slope`, the gradient of it by all float inputs.
Module with_gradient(Module module) {
  const Function f = *module.functions[0];
  ModuleBuilder builder(std::move(module));
  const auto same_inputs = [&](FunctionBuilder& to) {
    std::vector<ValueId> inputs;
    for (const ValueId input : f.inputs) inputs.push_back(to.input(f.value(input).name, f.type(input)));
    return inputs;
  };
  FunctionBuilder loss(builder, "loss");
  const ValueId first = loss.make("call", same_inputs(loss), {}, {}, 0, {builder.module().functions[0]});
  ValueId total = loss.literal(DType::kF64, 0);
  for (std::size_t o = 0; o < f.outputs.size(); ++o) {
    const ValueId output = first + static_cast<ValueId>(o);
    if (!is_float(loss.type(output).dtype)) continue;
    const ValueId weighted =
        loss.make("mul", {loss.cast(output, DType::kF64), loss.literal(DType::kF64, 0.75)});
    total = loss.make("add", {total, loss.make("reduce_sum", {weighted})});
  }
  loss.output("loss", total);
  builder.add_function(loss.finish());
  FunctionBuilder slope(builder, "slope");
  Strings wrt;
  for (const ValueId input : f.inputs)
    if (is_float(f.type(input).dtype)) wrt.push_back(f.value(input).name);
  if (wrt.empty()) return builder.finish();
  const std::size_t count = wrt.size();
  const Attrs attrs{{"wrt", wrt}, {"disconnected", std::string("zero")}};
  const ValueId gradient =
      slope.make("grad", same_inputs(slope), attrs, {}, 0, {builder.module().functions.back()});
  for (std::size_t k = 0; k < count; ++k) slope.output(wrt[k], gradient + static_cast<ValueId>(k));
  builder.add_function(slope.finish());
  return builder.finish();
}

// Whether the gradient of what all steps read may be a product of all of them, whose terms are in another
// order.
bool has_product(const Function& function) {
  return std::any_of(function.nodes.begin(), function.nodes.end(), [](const Node& node) {
    return node.op->name == "matmul" || node.op->name == "dot" || node.op->name == "outer" ||
           std::any_of(node.regions.begin(), node.regions.end(),
                       [](const auto& region) { return has_product(*region); });
  });
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

TEST_CASE("gradients of random loops are the same bits whatever is on tape, and their texts parse back") {
  const std::uint64_t first = number("COHORT_SEED", 1), count = number("COHORT_GRAPHS", 150);
  std::size_t compared = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed);
    const Module loop = loop_of(random_module(seed, body_options(seed)), seed, 11);
    const Module module = with_gradient(loop);
    if (module.functions.size() < 3 || has_product(*loop.functions[0])) continue;
    const SampleCall call = sample_call(module, *module.functions[0], 2 * seed + 1);
    std::vector<Tensor> expected;
    for (const char* checkpoint : {"none", "step", "sqrt"}) {
      INFO(checkpoint);
      Module plain;
      try {
        plain = without_applied_functions(with_checkpoints(module, checkpoint));
      } catch (const UserError&) {
        break;  // an operator has no gradient
      }
      const std::string text = print_text(plain);
      CHECK(print_text(parse_text(text, "loop.txt")) == text);
      std::vector<Tensor> state = call.state;
      const std::vector<Tensor> outputs =
          interpret(plain, *plain.functions.back(), call.inputs, state, call.dims).outputs;
      if (expected.empty()) expected = outputs;
      for (std::size_t o = 0; o < outputs.size(); ++o) CHECK(same(outputs[o], expected[o]));
      ++compared;
    }
  }
  CHECK(compared > count / 2);
}
