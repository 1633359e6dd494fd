// cumsum and cumprod: running sums and products along one axis, in order, starting from 0 and 1.
#pragma once

#include "ir/ops/reduce_support.h"

namespace cohort {

std::vector<Type> infer_cumulative(const InferContext& context);
void evaluate_cumulative(EvalContext& context, bool product);
void cumulative_loops(LoopContext& context, bool product);
void cumsum_gradient(GradientContext& context);
void cumprod_gradient(GradientContext& context);

}  // namespace cohort
