// An order for the kernels of a program in which as many alike ones as possible stand together.
//
//   A1 A2 B1 B2, B1 reads what A1 makes, A2 reads what B2 makes     ⇒     {A1} {B1, B2} {A2}
//
// Pairwise independence is not enough: merging both pairs would close a cycle. So this is a list schedule
// over buckets of alike kernels: a bucket whose kernels are all ready runs whole; if there is none, the one
// with the fewest missing runs as far as it is ready. What runs together has no path between its members, and
// the sequence is an order of execution, so the quotient is acyclic by construction. O(N log N);
// deterministic.
#pragma once

#include <span>

#include "compiler/merge/dependences.h"

namespace cohort::merge {

inline constexpr std::uint32_t kAlone = UINT32_MAX;

// Groups of kernels in order of execution, each ascending. `bucket` by kernel; kAlone: like no other.
std::vector<std::vector<std::uint32_t>> schedule(const Dependences& dependences,
                                                 std::span<const std::uint32_t> bucket);

}  // namespace cohort::merge
