// --verify-passes: does a function still compute the same after a pass?
#pragma once

#include <optional>
#include <string>

#include "ir/graph.h"

namespace cohort {

// Runs both functions on random and special inputs and states with the interpreter. Nothing if all outputs
// and updated states agree bit for bit; else the first that does not, in words. Samples on which `before`
// itself reports an error (an index out of range) say nothing and are passed over.
std::optional<std::string> differing_value(const Module& module, const Function& before,
                                           const Function& after);

}  // namespace cohort
