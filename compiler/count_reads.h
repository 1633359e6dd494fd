// How many elements of each operand an operator's loops read: found by lowering the operator once against
// operands that are only counted, so that no operator has to be known by name.
#pragma once

#include "ir/graph.h"

namespace cohort {

struct ReadCount {
  ValueId value = 0;
  double reads =
      0;  // elements read, an element read twice counts twice; infinite if a buffer of it is asked for
  // Read in a loop that cannot run in lanes, for it carries a value, with no loop around it that could.
  bool serial = false;
};
// One entry for each operand that is read, at the maximal extents of named dims.
std::vector<ReadCount> count_reads(const Module& module, const Function& function, const Node& node);

}  // namespace cohort
