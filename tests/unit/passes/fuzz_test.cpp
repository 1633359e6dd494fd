// Differential test: random graphs, before and after each pass and the whole pipeline, bit for bit.
#include <doctest/doctest.h>

#include <cstdlib>
#include <set>

#include "compiler/pipeline.h"
#include "compiler/run_passes.h"
#include "compiler/verify_values.h"
#include "ir/diagnostics.h"
#include "ir/interpreter.h"
#include "ir/op_def.h"
#include "ir/verify.h"
#include "tests/support/random_graph.h"
#include "tests/support/random_recipes.h"

namespace cohort::test {
namespace {

// COHORT_SEED and COHORT_COUNT in the environment try other and more graphs.
std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

TEST_CASE("random graphs are well formed, run without errors and reach every operator") {
  std::set<std::string_view> seen;
  int errors = 0;
  const int count = 1500;
  for (int seed = 0; seed < count; ++seed) {
    CAPTURE(seed);
    const Module module = random_module(static_cast<std::uint64_t>(seed));
    const Function& function = *module.functions[0];
    REQUIRE(verify(module).empty());
    for (const Node& node : function.nodes) seen.insert(node.op->name);
    SampleCall call = sample_call(module, function, static_cast<std::uint64_t>(seed));
    try {
      interpret(module, function, call.inputs, call.state, call.dims);
    } catch (const UserError& error) {
      INFO(error.what());
      CHECK(error.what() == std::string());
      if (++errors > 5) break;
    }
  }
  for (const OpDef* op : all_ops()) {
    const bool effect_or_expanded = op->name == "print" || op->name == "assert" || op->expand;
    // Functions of the user's are in tests/ops/custom.txt.
    if (!effect_or_expanded && op->regions.empty() && !op->attrs_in_node) CHECK_MESSAGE(seen.contains(op->name), op->name);
  }
}

TEST_CASE("random graphs are the same for the same seed") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Module a = random_module(seed), b = random_module(seed);
    CHECK(!differing_value(a, *a.functions[0], *b.functions[0]));
  }
}

TEST_CASE("every exact pass keeps every bit of random graphs") {
  CompileOptions options;
  options.verify_passes = true;
  options.disabled = {"stabilise"};
  const std::uint64_t first = number_from("COHORT_SEED", 0);
  for (std::uint64_t seed = first; seed < first + number_from("COHORT_COUNT", 400); ++seed) {
    CAPTURE(seed);
    std::string error;
    try {
      const Module module = optimise(random_module(seed), options);
      const auto violations = verify(module);
      if (!violations.empty()) error = violations.front();
    } catch (const std::exception& e) {
      error = e.what();
    }
    CHECK(error == "");
  }
}

TEST_CASE("rules that may change bits keep random graphs well formed") {
  CompileOptions options;
  options.fast = true;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    const Module before = random_module(seed);
    const Module after = optimise(before, options);
    CHECK(verify(after).empty());
    const Function &f = *before.functions[0], &g = *after.functions[0];
    for (std::size_t i = 0; i < f.outputs.size(); ++i)
      CHECK(f.type(f.outputs[i].value) == g.type(g.outputs[i].value));
  }
}

}  // namespace cohort::test
