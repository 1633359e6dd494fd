// Which kernels of a program must run before which: by the elements they touch, not by whole buffers, so that
// kernels that fill different parts of one array are independent.
//
//   for v0 < 3 { y[v0] = a[v0] }               1 does not depend on 0
//   for v1 < 3 { y[add(v1, 3)] = b[v1] }       2 depends on 1 alone
//   for v2 < 3 { z[v2] = y[add(v2, 3)] }
//
// Beside that: a kernel that writes state runs after all checks, one whose indices come from data after the
// checks before it, prints and asserts keep their order (kernel_passes/fuse_loops.cpp says why).
#pragma once

#include "compiler/merge/roll.h"

namespace cohort::merge {

// A graph over nodes. The first are the kernels; the others are joins, which stand for "all of these" so that
// the number of edges stays linear.
struct Dependences {
  std::vector<std::vector<std::uint32_t>> next;  // by node: those that depend on it
  std::vector<std::uint32_t> waiting;            // by node: how many it depends on
};
// A use of a list (roll.h) is one of each of its buffers.
Dependences find_dependences(const kernel::Program& program, const Lists& lists);

}  // namespace cohort::merge
