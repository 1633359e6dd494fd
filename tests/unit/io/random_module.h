// Random well-formed modules that use whatever the file formats must carry: every dtype and bit pattern,
// hostile and equal names, literals, named dims, state, several functions.
#pragma once

#include "ir/graph.h"

namespace cohort {

// `unique_names`: no two values of a function share a name and no node is without one, as the graph file
// needs it.
Module random_module(std::uint32_t seed, bool unique_names);

}  // namespace cohort
