// The reference interpreter: gives every graph its meaning, one operator at a time, in the order of the list.
#pragma once

#include <span>

#include "ir/op_def.h"

namespace cohort {

// What a call sees and gives. State is by StateId and is replaced by the updates only if the whole call
// succeeds.
struct CallResult {
  std::vector<Tensor> outputs;  // by output index
  std::string printed;          // what `print` operators wrote
};

// Initial values of all state variables.
std::vector<Tensor> initial_state(const Module& module);

// Runs `function` on inputs in their order. `dims` gives the value of every named dim (bind_dims finds them
// from the inputs). Run-time errors (index out of range, failed assert) are UserError.
CallResult interpret(const Module& module, const Function& function, std::span<const Tensor> inputs,
                     std::vector<Tensor>& state, const DimValues& dims, const NodeObserver* after = nullptr);

// The values of the named dims that the inputs' extents imply; refuses extents that contradict the types or
// bounds. Dims that no input mentions get their maximum.
DimValues bind_dims(const Module& module, const Function& function, std::span<const Tensor> inputs);

// One operator on concrete inputs; constant folding calls this.
std::vector<Tensor> evaluate_node(const Module& module, const Function& function, const Node& node,
                                  std::span<const Tensor> inputs, const DimValues& dims,
                                  std::string* printed = nullptr, const NodeObserver* after = nullptr);

}  // namespace cohort
