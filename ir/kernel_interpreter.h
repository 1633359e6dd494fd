// Runs loop programs on tensors, before and after their indices are flattened: what lowering and the kernel
// passes are compared with the graph by. It uses the operators' own meaning (evaluate_scalar), so results are
// equal bit for bit.
//
// Beside the user's errors (UserError: index out of range, failed assert) it reports what would be silent in
// compiled code as InternalError: loads and stores outside a buffer, and loads of what was never stored.
#pragma once

#include "ir/interpreter.h"
#include "ir/kernel.h"

namespace cohort {

// In which order the iterations of simd and parallel loops run. A program whose results depend on it is
// wrong.
enum class LoopOrder : std::uint8_t {
  kForward,
  kBackward  // in a loop that accumulates into lanes: backward within each sixteen, as vector code might
};

// As interpret(). State is written as the program writes it, so after an error it is what compiled code would
// leave.
CallResult interpret_program(const Module& module, const kernel::Program& program,
                             std::span<const Tensor> inputs, std::vector<Tensor>& state,
                             const DimValues& dims, LoopOrder order = LoopOrder::kForward);

}  // namespace cohort
