// What must hold of the transfers in a program: a value crosses at most once, and what has crossed never goes
// back.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"

namespace cohort::placement {

// One line for each fault; empty if all is well. Before `outline`.
std::vector<std::string> faults_of_transfers(const kernel::Program& program);

}  // namespace cohort::placement
