#include "problems.h"

#include <algorithm>

namespace cohort::placement {

Problem random_problem(std::uint64_t seed, const ProblemShape& shape) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t bound) { return bound == 0 ? 0 : random() % bound; };
  Problem problem;
  std::vector<std::uint32_t> value_of(shape.clusters);
  for (std::uint32_t c = 0; c < shape.clusters; ++c) {
    Cluster cluster{static_cast<Ticks>(below(shape.most + 1)), static_cast<Ticks>(below(shape.most + 1))};
    const std::uint64_t kind = below(10);
    if (kind == 0) cluster.allowed = Allowed::kCpu;
    if (kind == 1 && c % 3 == 0) cluster.allowed = Allowed::kGpu;
    if (shape.state > 0 && below(shape.state) == 0) cluster = {0, 0, Allowed::kBoth, true};
    problem.clusters.push_back(cluster);
    value_of[c] = static_cast<std::uint32_t>(problem.values.size());
    const auto up = static_cast<Ticks>(below(shape.most_crossing + 1));
    problem.values.push_back({c, {}, up, static_cast<Ticks>(below(shape.most_crossing + 1))});
    if (c == 0 || cluster.state) continue;
    for (std::uint64_t i = below(shape.inputs + 1); i > 0; --i) {
      const std::uint32_t from = c - 1 - static_cast<std::uint32_t>(below(std::min(c, shape.reach)));
      std::vector<std::uint32_t>& readers = problem.values[value_of[from]].readers;
      if (std::find(readers.begin(), readers.end(), c) == readers.end()) readers.push_back(c);
    }
  }
  for (std::uint32_t c = 0; c < shape.clusters; ++c) {
    if (!problem.clusters[c].state || c + 1 == shape.clusters) continue;
    const auto reach = std::min(shape.reach, shape.clusters - c - 1);
    const std::uint32_t writer = c + 1 + static_cast<std::uint32_t>(below(reach));
    std::vector<std::uint32_t>& readers = problem.values[value_of[writer]].readers;
    if (std::find(readers.begin(), readers.end(), c) == readers.end()) readers.push_back(c);
  }
  return problem;
}

}  // namespace cohort::placement
