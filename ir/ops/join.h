// concat and stack: operands written one after the other.
#pragma once

#include "ir/ops/support.h"

namespace cohort::ops {

// What both have in common; the caller adds name, meaning and functions.
OpDef join_def();
// Refuses an operand i of another dtype or shape than the first; `compared` is its shape where the axis that
// they are joined along does not count.
void check_joined(const InferContext& context, std::size_t i, const Shape& compared);
// Writes operand after operand; `place` turns an index of operand i into one of the result.
void join_loops(LoopContext& context, const std::function<void(int i, Index& index)>& place);

}  // namespace cohort::ops
