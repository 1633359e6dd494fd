// How often each value of a function is read, and which values leave it.
#pragma once

#include "ir/graph.h"

namespace cohort {

struct Uses {
  std::vector<std::uint32_t> count;  // reads by nodes, outputs and updates, by ValueId
  std::vector<bool> observed;        // an output or an update, by ValueId
};
Uses count_uses(const Function& function);

}  // namespace cohort
