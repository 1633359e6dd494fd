// Loops over many elements that lie side by side in memory: several of them for each thread, which nvcc so
// loads and stores sixteen bytes at a time.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

inline constexpr double kManyElements = 1 << 18;  // fewer keep no more threads busy than one each

//   grid v0 < 1000000 {           grid v1 < 250000 {
//     y[v0] = mul(x[v0], 2)   ⇒     unroll v2 < 4 { let v0 = v1 * 4 + v2, y[v0] = mul(x[v0], 2) }
//   }                             }
//
// Elements that are left over have an iteration each. Loops with loops or checks in
// them, and those whose accesses lie apart, stay as they are. Emitters say that buffers begin at multiples of
// sixteen bytes; an index that does not is loaded by itself.
void widen(Program& program, Stmt& grid, const Dims& dims);

// Whether a loop over the grid is a widened one.
bool is_wide(const Stmt& grid);

}  // namespace cohort::kernel
