// Loops whose carried value is a sum: the sum goes on from where another one has ended.
#pragma once

#include "ir/graph.h"

namespace cohort::ops {

// Whether the loop's carry `c` only has terms added to it, which do not depend on it: its last value is its
// first one and then the terms, added in order.
bool is_running_sum(const Node& scan, std::size_t c);

}  // namespace cohort::ops
