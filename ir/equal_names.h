// Names of inputs and outputs that passes have made.
#pragma once

#include "ir/graph.h"

namespace cohort {

// Inputs have names of their own, outputs too (invariant I5): of those that passes gave equal ones all but
// the first get numbers. What a derivative adds, `grad_x` or `tape 0`, may be what the user called something.
// FunctionBuilder::finish does it to every function.
void number_equal_names(Function& function);

}  // namespace cohort
