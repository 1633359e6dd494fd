// Gives every buffer an address: state at fixed offsets after the header, temporaries in one arena behind it
// where buffers whose lives do not overlap share space, constants and initial values in the weights (equal
// bytes once).
//
// Sizes are at the maximum of the named dims. Lives are counted in steps of execution: one kernel, or one row
// of a kernel. Temporaries are placed by best fit over the free gaps, O(n log n).
#pragma once

#include "compiler/compiled.h"

namespace cohort {

// Fills everything of `compiled` but `module` and the programs.
void plan_memory(CompiledModule& compiled);

}  // namespace cohort
