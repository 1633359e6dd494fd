// Whether a loop of the loop IR can be printed over vectors, and how wide.
#pragma once

#include "ir/kernel.h"

namespace cohort {

// A loop whose body needs no branch that differs between lanes, no check, call or print, and no accumulation
// that depends on the order of lanes. Such a loop gives the same bits over vectors as one element at a time.
bool is_vectorisable(const kernel::Stmt& loop);

// The widest dtype that varies from iteration to iteration in the loop, addresses aside unless they are no
// affine function of the loop's variable. Vectors have as many lanes as fit of it.
DType widest_dtype(const kernel::Stmt& loop, const kernel::Program& program);

}  // namespace cohort
