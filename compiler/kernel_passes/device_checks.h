// Checks and asserts of kernels that run on the GPU, where iterations run side by side and a thread cannot
// leave the call: see Note [device checks] in ir/kernel.h.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

// Whether anything in the statements may fail.
bool has_checks(const std::vector<Stmt>& body);

// Whether the loops around checks have extents that are known before the launch, so that checks have an
// order.
bool checks_have_order(const std::vector<Stmt>& body);

// Gives each check and assert its place in the order of execution, so that the iterations of the loops
// around it may run in any order.
//
//   for v0 < 8 { check a; for v1 < 4 { check b } }
//   ⇒
//   for v0 < 8 { check a, order v0 * 5; for v1 < 4 { check b, order v0 * 5 + 1 + v1 } }
void order_checks(std::vector<Stmt>& body);

// What follows a check runs only if it held.
//
//   check c, y[i] = 1   ⇒   let v = c, check v, if v { y[i] = 1 }
void guard_by_checks(Program& program, std::vector<Stmt>& body);

}  // namespace cohort::kernel
