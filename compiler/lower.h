// Lowers a function to the loop IR: one kernel for each value that has a buffer (inline_plan.h says which),
// in the order of the graph; then copies that outputs and updates need; last the commits of the updates.
//
// Updates are simultaneous: every new value is complete in a buffer of its own before the first state
// variable is written. `fuse_loops` and `update_in_place` remove the copies that are not needed.
#pragma once

#include "compiler/device/device_profile.h"
#include "ir/graph.h"
#include "ir/kernel.h"

namespace cohort {

kernel::Program lower(const Module& module, const Function& function,
                      const CpuProfile& cpu = default_device_profile().cpu);

}  // namespace cohort
