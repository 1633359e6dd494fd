#include <doctest/doctest.h>

#include <cstdlib>

#include "random_graph.h"
#include "support.h"

using namespace cohort;
using namespace cohort::test;

// COHORT_SEED and COHORT_GRAPHS choose which graphs; a failure names its seed.
TEST_CASE("random graphs mean the same after lowering and after every kernel pass") {
  const auto number = [](const char* name, std::uint64_t fallback) {
    const char* given = std::getenv(name);
    return given == nullptr ? fallback : std::strtoull(given, nullptr, 10);
  };
  const std::uint64_t first = number("COHORT_SEED", 1), count = number("COHORT_GRAPHS", 60);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed);
    const RandomGraph graph = random_graph(seed, 4 + static_cast<int>(seed % 30));
    check_lowering(graph.module, graph.inputs);
  }
}
