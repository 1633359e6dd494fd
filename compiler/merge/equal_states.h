// State variables that always hold the same value: one of them is kept and the others are names of it.
//
//   state @s = 0 {settable = false}            state @s = 0   state @t: the same place
//   state @t = 0 {settable = false}            func f(%u) {
//   func f(%u) {                                 %a = add(@s, %u)
//     %a = add(@s, %u)                           update @s = %a
//     %b = add(@t, %u)                 =>      }
//     update @s = %a
//     update @t = %b
//   }
//
// Two variables always hold the same value if nobody can set them apart, they begin alike, and every function
// gives both the same new value, or none. What is the same is decided together with which variables are: that
// is the coarsest partition of variables and values in which members of a class do the same to members of the
// same classes, so variables that are equal only because others are (a and b swap, as c and d do) are found.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace cohort {

// Whether more than one variable cannot be set.
bool may_have_equal_states(const Module& module);

// By StateId: the first variable that always holds the same value; most often itself. No function may be
// applied by another any more (pipeline.h). O(N log N).
std::vector<StateId> equal_states(const Module& module);

// The module with all that is read of a variable read of the first one, and updates of first ones only.
Module join_states(Module module, const std::vector<StateId>& leads);

}  // namespace cohort
