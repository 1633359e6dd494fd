// Checks the numbered invariants of graph.h. A violation is a defect of ours unless the graph was written by
// hand.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace cohort {

// One message per violation, beginning with the invariant's number ("I3: ..."); empty if the module is well
// formed.
std::vector<std::string> verify(const Module& module);
std::vector<std::string> verify(const Module& module, const Function& function);

}  // namespace cohort
