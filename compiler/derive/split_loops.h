// Loops as they are differentiated: what their attributes `checkpoint` and `truncate_gradient` ask for.
#pragma once

#include "ir/builder.h"

namespace cohort {

// The function with loops in parts:
//  - with `truncate_gradient = k` the last k steps are a loop of their own, and the one before it counts as
//    constant;
//  - with `checkpoint = "sqrt"` n steps are a loop over about sqrt(n) segments, which keeps only the carried
//    values at the beginning of each and runs a segment again when its gradient is taken.
Function with_split_loops(ModuleBuilder& module, const Function& function);

// The module in which every loop that does not say otherwise is differentiated with `checkpoint`.
Module with_checkpoints(Module module, const std::string& checkpoint);

}  // namespace cohort
