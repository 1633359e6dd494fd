// Decides which kernels of a module's functions run on the GPU, and writes their programs so (apply.h).
#pragma once

#include <span>
#include <vector>

#include "compiler/compiled.h"

namespace cohort {

// Programs after the passes that fuse. State has one home in all of them: that of a storage is that of each
// of its variables.
void place(std::vector<kernel::Program*> programs, const CompiledModule& compiled, PlacementMode mode,
           std::vector<KeptKernel>& kept);

}  // namespace cohort
