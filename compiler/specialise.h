// Copies of functions for the values that their named dims mostly have.
//
//   for v0 < 4*batch { y[v0] = ... }   ⇒   for v0 < 128 { y[v0] = ... }      batch = 32 in most calls
//
// The loop program is copied between merging and the kernel passes: both copies have the same kernels over
// the same storage, and the passes, which are exact, see constant extents in one of them. So both give the
// same bits. The entry point compares the dims and runs one or the other (codegen/emit_entry.h).
#pragma once

#include <span>

#include "compiler/profile.h"
#include "ir/kernel.h"

namespace cohort {

// The program with these values in place of the dims.
kernel::Program fix_dims(kernel::Program program, std::span<const FixedDim> dims);

// Those of the dims that shapes of the program mention.
std::vector<FixedDim> mentioned(const kernel::Program& program, std::vector<FixedDim> dims);

}  // namespace cohort
