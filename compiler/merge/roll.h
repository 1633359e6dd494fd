// Sums of alike terms become loops, over lists of buffers:
//
//   var v1 = a[v0]                         var v1 = L[0, v0]
//   assign v1 = add(v1, b[v0])      ⇒      for v9 < 2 { assign v1 = add(v1, L[add(v9, 1), v0]) }
//   assign v1 = add(v1, c[v0])                                   L = a, b, c
//
// A list is no memory of its own: it stands for its buffers until they are laid out (rewrite.cpp), side by
// side if they can be. The order of the sum stays.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "ir/graph.h"
#include "ir/kernel.h"

namespace cohort::merge {

struct Lists {
  std::unordered_map<kernel::BufferId, std::vector<kernel::BufferId>> arrays;  // what a list stands for
  std::unordered_set<kernel::VarId> loops;  // variables of loops over lists

  bool contains(kernel::BufferId b) const { return arrays.contains(b); }
};
// Adds the lists to the program's buffers and gives what they stand for. Buffers of `fixed` keep their place.
Lists roll_sums(Module& module, kernel::Program& program, std::vector<bool>& fixed);

}  // namespace cohort::merge
