// Which loops are worth several threads.
#pragma once

#include "compiler/device/device_profile.h"
#include "ir/kernel.h"

namespace cohort::kernel {

// What a thread must have to do.
double worth_a_thread_ns(const CpuProfile& cpu);

// The pass `parallelise` with a free choice of how much work is worth a thread: tests take little, so that
// small loops are shared, too. `work`: instructions by the count of loop_cost.h.
Program share_loops(Program program, const Dims& dims, const CpuProfile& cpu, std::int64_t work);

}  // namespace cohort::kernel
