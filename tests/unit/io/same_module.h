// Are two modules the same but for the numbering of values and of literals, and the lines of the files they
// came from?
#pragma once

#include <string>

#include "ir/graph.h"

namespace cohort {

// Empty if they are, else what differs.
std::string difference(const Module& a, const Module& b);

}  // namespace cohort
