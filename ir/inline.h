// Writes the nodes of one function into another: what a call, a derived function or a loop body becomes.
#pragma once

#include "ir/builder.h"

namespace cohort {

// Emits all nodes of `callee` with `arguments` for its inputs, keeping names and source positions. Gives the
// new value of each of its values. Updates are left out.
std::vector<ValueId> inline_function(FunctionBuilder& to, const Function& callee,
                                     std::span<const ValueId> arguments);

// The values that stand for the callee's outputs.
std::vector<ValueId> inlined_outputs(const Function& callee, std::span<const ValueId> values);

}  // namespace cohort
