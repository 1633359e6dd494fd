// Decides which kernels of a module's functions run on the GPU, and writes their programs so (apply.h):
// model.h makes one problem of them, problem.h answers it by the policy that is asked for.
#pragma once

#include <span>

#include "compiler/compiled.h"

namespace cohort {

// Programs after the passes that fuse, with how often each is called. State has one home in all of them: that
// of a storage is that of each of its variables. What was decided is in `compiled.placement`. What the user
// wants on a device is there, under every policy, or a UserError says why not.
void place(std::span<kernel::Program* const> programs, std::span<const double> weights,
           const CompileOptions& options, CompiledModule& compiled);

}  // namespace cohort
