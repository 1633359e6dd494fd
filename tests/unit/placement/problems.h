// Random problems of placement.
#pragma once

#include <random>

#include "compiler/placement/problem.h"

namespace cohort::placement {

struct ProblemShape {
  std::uint32_t clusters = 10;
  std::uint32_t reach = 8;   // a cluster takes values of so many before it
  std::uint32_t inputs = 3;  // of a cluster, at most
  std::uint32_t state = 4;   // one cluster in so many is state, written by a later one; 0: none
  Ticks most = 20;           // that a cluster costs on a device
  Ticks most_crossing = 12;
};

// Values have readers after their producer, but for those that state takes.
Problem random_problem(std::uint64_t seed, const ProblemShape& shape);

}  // namespace cohort::placement
