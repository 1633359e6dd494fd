// eye and tri: an n x m matrix (default square, f64) that is 1 where `column - row` compares to k and 0
// elsewhere.
#pragma once

#include "ir/ops/support.h"

namespace cohort::ops {

std::vector<AttrSpec> band_attrs();  // {n, m?, k?, dtype?}
std::vector<Type> infer_band(const InferContext& context);
// `comparison` is k_eq or k_le.
void evaluate_band(EvalContext& context, ScalarOp comparison);
ExprRef band_element(ElementContext& context, ScalarOp comparison);

}  // namespace cohort::ops
