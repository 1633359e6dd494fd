// The pass `parallelise` with a free choice of how much work is worth a thread: tests take little, so that
// small loops are shared, too.
#pragma once

#include "compiler/device/device_profile.h"
#include "ir/kernel.h"

namespace cohort::kernel {

// `work`: instructions by the count of loop_cost.h.
Program share_loops(Program program, const Dims& dims, const CpuProfile& cpu, std::int64_t work);

}  // namespace cohort::kernel
