// The engines that need no host compiler; tests/slow/op_texts has the one that does.
#pragma once

#include "tests/support/op_text.h"

namespace cohort {

std::vector<OpEngine> op_engines();

}  // namespace cohort
