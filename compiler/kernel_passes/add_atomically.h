// Additions to elements that indices choose, on the GPU: one after the other their order is that of the loop;
// as atomic stores (Note [atomics] in ir/kernel.h) they come in any order, all at once.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

// Changes loops whose iterations are independent but for such additions; the others stay.
//
//   for v0 < 20000 { s[i[v0]] = add(s[i[v0]], y[v0]) }   ⇒   for v0 < 20000 { s[i[v0]] atomic add= y[v0] }
//
// Where iterations are independent as they are, because each has an element of its own, nothing changes. The
// sums of floats are not those of the loop to the last bit, nor those of another run.
void add_atomically(const Program& program, std::vector<Stmt>& body);

}  // namespace cohort::kernel
