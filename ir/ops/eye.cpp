// eye() {n, m?, k?, dtype?}: an n x m matrix (default square, f64) that is 1 where column = row + k and 0
// elsewhere.
#include "ir/ops/band.h"
#include "ir/ops/list.h"

namespace cohort {

const OpDef& op_eye() {
  static const OpDef def{
      .name = "eye",
      .op_class = OpClass::kIndexMap,
      .min_inputs = 0,
      .max_inputs = 0,
      .attrs = ops::band_attrs(),
      .meaning = "ones on the k-th diagonal, zeros elsewhere",
      .infer = ops::infer_band,
      .evaluate = [](EvalContext& context) { ops::evaluate_band(context, ScalarOp::k_eq); },
      .element = [](ElementContext& context) { return ops::band_element(context, ScalarOp::k_eq); },
      .gradient = no_gradient};
  return def;
}

}  // namespace cohort
