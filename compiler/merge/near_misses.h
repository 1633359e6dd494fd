// Kernels that are nearly alike but stay apart, and the first condition that keeps them so: for `explain`.
//
//   x[v0] = mul(a[v0], 2), a an input     y[v0] = mul(s[v0], 2), s state     operands of another kind
//
// The conditions in their order: kinds of operands (inputs, and arrays that a function of the runtime takes
// whole, must be the same ones), extents, the chains they are in, the order of execution. What the cost model
// declines is reported by the planner. O(N log N).
#pragma once

#include <span>

#include "compiler/merge/dependences.h"
#include "compiler/merge/plan.h"

namespace cohort::merge {

// What the planner found out of a program, before anything is rewritten.
struct Planned {
  const kernel::Program& program;
  const Lists& lists;
  std::span<const Skeleton> skeletons;    // by kernel; empty if it cannot be merged
  std::span<const std::uint32_t> alike;   // buckets by kernel; kAlone: a commit, or it cannot be merged
  std::span<const std::uint32_t> bucket;  // the same, split by what loops will be joined with (chains.h)
  const std::vector<bool>& fixed;         // by buffer
  const Dependences& dependences;
  std::span<const std::vector<std::uint32_t>> schedule;  // groups in order of execution
};
// Those with most kernels first.
std::vector<NearMiss> find_near_misses(const Planned& planned, std::size_t function);

}  // namespace cohort::merge
