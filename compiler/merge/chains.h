// Kernels whose loops `fuse_loops` would join one by one should be joined after merging, too. Two loops over
// members become one only if they go over the same members, so a bucket of alike kernels is split where some
// of them continue in other ways:
//
//   P0 → N0   P1 → N1   P2 → M2       buckets {P0, P1, P2} {N0, N1} {M2}  ⇒  {P0, P1} {N0, N1} {P2} {M2}
//
// Merged as they were, P could not be joined with N, and what passed in registers would go through memory.
#pragma once

#include <span>

#include "ir/kernel.h"

namespace cohort::merge {

// By kernel a number of its chain: the kernels its loops would be joined with. `bucket` as in schedule.h.
std::vector<std::uint32_t> find_chains(const kernel::Program& program, std::span<const std::uint32_t> bucket);
// Buckets by kernel, some of them split; one with too many kinds for its size stays whole.
std::vector<std::uint32_t> split_by_chains(std::span<const std::uint32_t> bucket,
                                           std::span<const std::uint32_t> chain);

}  // namespace cohort::merge
