// softmax, log_softmax and logsumexp: exponentials relative to the greatest element, so that none overflows.
// Halves are computed in f32. The sum has the strict order of ir/README.md.
#pragma once

#include "ir/ops/reduce_support.h"

namespace cohort {

std::vector<Type> infer_softmax(const InferContext& context);
void evaluate_softmax(EvalContext& context, bool logarithm);
void softmax_loops(LoopContext& context, bool logarithm);
void softmax_gradient(GradientContext& context, bool logarithm);

std::vector<Type> infer_logsumexp(const InferContext& context);
void evaluate_logsumexp(EvalContext& context);
void logsumexp_loops(LoopContext& context);
void logsumexp_gradient(GradientContext& context);

}  // namespace cohort
