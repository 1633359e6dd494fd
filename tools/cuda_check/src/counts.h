// Counts of what determines an access's cost, by source line: the 32-byte sectors that a warp's request to
// global memory touches against the least that would do (coalescing), and the passes that a request to shared
// memory takes against the least (bank conflicts: 32 banks of 4 bytes).
//
// A request is the k-th execution of one instruction by the lanes of one warp, which is exact where lanes do
// not diverge and then meet at the same instruction out of step.
#pragma once
#include <cstddef>
#include <cstdint>

#include "report.h"

namespace cuda_check {

void count_access(uintptr_t a, size_t bytes, bool writes, bool shared, Site site);
void finish_counting_block();
// Counts instructions of the running kernel (PTX).
void count_instructions(uint64_t executed);

}  // namespace cuda_check
