// The body of a loop or a branch, as statements of the kernel that runs it.
//
// A body is lowered as a function of its own, whose carried values are state variables: so the kernel passes
// fuse its loops, and compute new carries in place where nobody reads the old ones later, exactly as they do
// with state. Then its statements move into the kernel of the loop, over the buffers that `places` names.
#pragma once

#include "compiler/device/device_profile.h"
#include "ir/lowering.h"

namespace cohort {

void lower_region(const Module& module, const Function& body, const RegionPlaces& places,
                  kernel::Program& program, LoweringScope& scope, const CpuProfile& cpu);

}  // namespace cohort
