// In which order the members of each group stand: groups that touch the same arrays go through them in the
// same order, so that one order of the arrays in storage is a block for all of them.
//
//   groups  a1 a2 a3 ⇒ b1 b2 b3    b2 b3 b1 ⇒ c2 c3 c1        kernels as they come
//           a1 a2 a3 ⇒ b1 b2 b3    b1 b2 b3 ⇒ c1 c2 c3        aligned
#pragma once

#include "compiler/merge/plan.h"

namespace cohort::merge {

// From the largest group, whose members are sorted by the groups they take part in, to those that share
// arrays with groups done before. Where these disagree, most of a group's operands win, and temporaries
// before state.
void align_members(const kernel::Program& program, Plan& plan);

// Puts the members of a group into a new order: member i is what member order[i] was.
void reorder(Group& group, const std::vector<std::uint32_t>& order);

}  // namespace cohort::merge
