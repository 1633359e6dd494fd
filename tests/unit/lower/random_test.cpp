#include <doctest/doctest.h>

#include <cstdlib>

#include "compiler/sample.h"
#include "random_graph.h"
#include "support.h"
#include "tests/support/random_graph.h"

using namespace cohort;
using namespace cohort::test;

namespace {

// COHORT_SEED and COHORT_GRAPHS choose which graphs; a failure names its seed.
std::uint64_t number(const char* name, std::uint64_t fallback) {
  const char* given = std::getenv(name);
  return given == nullptr ? fallback : std::strtoull(given, nullptr, 10);
}

}  // namespace

TEST_CASE("random graphs mean the same after lowering and after every kernel pass") {
  const std::uint64_t first = number("COHORT_SEED", 1), count = number("COHORT_GRAPHS", 60);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed);
    const RandomGraph graph = random_graph(seed, 4 + static_cast<int>(seed % 30));
    check_lowering(graph.module, graph.inputs);
  }
}

TEST_CASE("random graphs of all dtypes and with named dims mean the same") {
  const std::uint64_t first = number("COHORT_SEED", 1), count = number("COHORT_GRAPHS", 60);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed);
    RandomGraphOptions options;
    options.nodes = 4 + static_cast<int>(seed % 20);
    options.max_elements = 300;
    const Module module = random_module(seed, options);
    const SampleCall call = sample_call(module, *module.functions[0], seed);
    check_lowering(module, call.inputs, call.state, call.dims, 2);
  }
}
