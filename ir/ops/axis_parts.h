// Loops over a result that is put together from parts: each axis is cut into ranges, and each range knows
// which index of the operand its elements come from. One loop nest for each combination, so that no element
// needs a selection.
#pragma once

#include <functional>

#include "ir/ops/support.h"

namespace cohort::ops {

struct AxisPart {
  Dim start;  // in the result
  Dim extent;
  std::function<ExprRef(const ExprRef& i)> source;  // the operand's index for the i-th index of the range
};

// The whole axis, or `extent` indices of it, taken from the operand from index `from` on.
AxisPart shifted_part(const Dim& start, const Dim& extent, const Dim& from);

// As many axes are cut as keep the number of nests small; the others want one part with a computed source.
inline constexpr int kMaxCutAxes = 3;

// Stores operand 0 to result 0 for every combination of one part per axis.
void store_parts(LoopContext& context, const std::vector<std::vector<AxisPart>>& parts);

}  // namespace cohort::ops
