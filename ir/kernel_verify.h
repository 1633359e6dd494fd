// Checks that a loop program keeps the contract at the top of kernel.h.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"

namespace cohort::kernel {

// One message per violation: variables defined once and before use, dtypes of operands, indices with one i64
// expr per axis (one in all if flat), stores to what may be written, accumulators read outside their loops,
// no serial accumulation, check, print or call in a simd loop over its own variable, rows that fit their
// kernels, buffers in the memory of the kernel's device, loops over threads as Note [threads] has them. Empty
// if all is well.
std::vector<std::string> verify(const Program& program);

}  // namespace cohort::kernel
