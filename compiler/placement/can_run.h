// Which kernels have a lowering to the threads of a GPU.
#pragma once

#include <string>

#include "ir/kernel.h"

namespace cohort {

// Why a kernel stays on the CPU; empty if it can run on the GPU.
std::string why_not_on_gpu(const kernel::Program& program, const kernel::Kernel& kernel);

}  // namespace cohort
