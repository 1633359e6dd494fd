// When one loop over members is worth it: merging must never lose.
#pragma once

#include <span>
#include <string>

#include "compiler/device/device_profile.h"
#include "compiler/merge/skeleton.h"

namespace cohort::merge {

struct Verdict {
  bool pays = true;
  std::string reason;  // why not
};
// Of kernels that may become one loop.
Verdict merging_pays(const kernel::Program& program, const CpuProfile& cpu, const Dims& dims,
                     std::span<const std::uint32_t> kernels);

// By group of kernels whether copying outputs to the caller's arrays costs more than one loop can gain.
// Groups that touch the same outputs, which are copied once for all of them, and groups of one chain
// (chains.h), whose loops are joined only if all of them are merged or none, are judged together.
std::vector<bool> lost_to_copies(const kernel::Program& program, const CpuProfile& cpu,
                                 std::span<const Skeleton> skeletons, const Lists& lists,
                                 std::span<const std::uint32_t> chain,
                                 std::span<const std::vector<std::uint32_t>> groups);

// What the members of a group take apart and as one loop, by the count of loop_cost.h: rows that do not fill
// vectors waste lanes apart, and merged only in the last vector; each kernel costs the way into it.
struct Times {
  double apart_ns = 0, merged_ns = 0;
};
Times predicted_times(const kernel::Program& program, const CpuProfile& cpu,
                      std::span<const std::uint32_t> kernels);

}  // namespace cohort::merge
