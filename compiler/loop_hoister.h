// What a loop's body computes from what all steps share, computed once, before the loop: what the passes
// hoist_operands and hoist_from_loops do.
#pragma once

#include "ir/builder.h"

namespace cohort {

enum class Hoisted : std::uint8_t {
  kOperands,  // what products read
  kAll        // and what is worth an array, products of whole sequences, transposes of matrices
};
Function with_hoisted(ModuleBuilder& module, const Function& function, Hoisted which);

}  // namespace cohort
