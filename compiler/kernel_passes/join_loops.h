// Joining loops over the same extent: the bodies one after the other in one loop. What `fuse_loops` does with
// kernels and inside them.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

// Equal extents and modes.
bool same_loop(const Stmt& a, const Stmt& b);
// Appends the body of loop `second` to that of `first`.
void append_body(Stmt& first, Stmt second);
// Joins the loops of a list where dependences allow, and those of the bodies within.
void join_loops(std::vector<Stmt>& list);
// Appends `second` to `first` and joins their loops; does nothing and says no where none could be joined.
bool join_lists(std::vector<Stmt>& first, const std::vector<Stmt>& second);

}  // namespace cohort::kernel
