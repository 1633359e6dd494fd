// When two kernels are the same but for the buffers and scalar constants they name: what `outline` groups by.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/kernel.h"

namespace cohort::kernel {

struct KernelKey {
  std::string shape;                   // equal exactly for kernels that can share a body
  std::vector<BufferId> buffers;       // state, temporaries and constants in order of first mention
  std::vector<std::uint64_t> scalars;  // bits of the float constants in order of appearance
};

// Variables count in order of definition, workspace and weights buffers in order of mention with their dtype,
// inputs and outputs as themselves. A kernel that prints, one of the GPU and a transfer have keys of their
// own.
KernelKey kernel_key(const Program& program, std::uint32_t kernel);

// Calls f with every float constant of the list in the order of KernelKey::scalars; what it gives takes the
// place.
void rewrite_scalars(std::vector<Stmt>& list, const std::function<ExprRef(const ExprRef&)>& f);

}  // namespace cohort::kernel
