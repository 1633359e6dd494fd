// Writes a program anew in which the groups of a plan are loops over members.
#pragma once

#include "compiler/device/device_profile.h"
#include "compiler/merge/plan.h"
#include "compiler/merge/storage.h"

namespace cohort::merge {

// `states` has the storages of the module's state by StateId. Adds what it made to `result`.
kernel::Program rewrite(Module& module, kernel::Program program, Plan plan, const Storages& states,
                        std::size_t function, const CpuProfile& cpu, MergeResult& result);

}  // namespace cohort::merge
