// A kernel's statements as pieces that can be launches of their own on a GPU.
#pragma once

#include "ir/kernel.h"

namespace cohort::kernel {

// Cut before and after loops and calls wherever no variable goes from a statement to a later one, but lets
// that are computed from nothing but dims, constants and such lets: each piece has its own of those.
std::vector<std::vector<Stmt>> cut_into_nests(Program& program, std::vector<Stmt> body);

}  // namespace cohort::kernel
