// Transfers that cross beside kernels, on a stream of their own: which of a program can and are worth it.
#pragma once

#include "compiler/compiled.h"

namespace cohort {

// That outputs wait for: the workspace's header has room for these, and one more (`events` in module.h).
constexpr std::size_t kMostAsideEvents = 7;

// Of a program in its last form, arrays of `aside_bytes` of the profile and more:
// - inputs that go up behind a kernel, to where nothing before touches;
// - outputs behind whose last writer there is a kernel before they come down, and that nothing touches later.
std::vector<AsideTransfer> plan_asides(const kernel::Program& program, const Dims& dims,
                                       const GpuProfile& gpu);

}  // namespace cohort
