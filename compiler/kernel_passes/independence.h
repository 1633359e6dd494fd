// Whether the iterations of a loop are independent, so that they may run in another order, in lanes or on
// several threads: what `vectorise` and `parallelise` ask.
#pragma once

#include "compiler/kernel_passes/access.h"

namespace cohort::kernel {

enum class Together : std::uint8_t {
  kLanes,   // one instruction for several iterations: no branch may differ, partial sums may lie in lanes
  kThreads  // whole iterations side by side: what one does, it does alone
};

// Neither side effects (checks that have an order are none) nor values go from one iteration to another, and
// no two touch an element that one of them writes. Indices of one expr per axis, or flat ones.
bool is_independent(const Program& program, const Stmt& loop, const LoopVariation& variation, Together how);

}  // namespace cohort::kernel
