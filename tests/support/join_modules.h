// Several modules as one, names told apart by a prefix.
#pragma once

#include <string>

#include "ir/graph.h"

namespace cohort {

// Appends everything in `from` to `into`: dims, states, named constants and functions are renamed to `prefix`
// and their name.
void join_module(Module& into, const Module& from, const std::string& prefix);

}  // namespace cohort
