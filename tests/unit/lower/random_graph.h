// Random graphs for differential tests: elementwise operators, index maps, slices, gathers, reductions and
// products over inputs, constants and state, with outputs and updates. The same seed gives the same graph.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/builder.h"

namespace cohort::test {

struct RandomGraph {
  Module module;
  std::vector<Tensor> inputs;
};
RandomGraph random_graph(std::uint64_t seed, int nodes);

}  // namespace cohort::test
