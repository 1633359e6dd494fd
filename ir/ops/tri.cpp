// tri() {n, m?, k?, dtype?}: an n x m matrix (default square, f64) that is 1 where column <= row + k and 0
// elsewhere.
#include "ir/ops/band.h"
#include "ir/ops/list.h"

namespace cohort {

const OpDef& op_tri() {
  static const OpDef def{
      .name = "tri",
      .op_class = OpClass::kIndexMap,
      .min_inputs = 0,
      .max_inputs = 0,
      .attrs = ops::band_attrs(),
      .meaning = "ones on and below the k-th diagonal, zeros above",
      .infer = ops::infer_band,
      .evaluate = [](EvalContext& context) { ops::evaluate_band(context, ScalarOp::k_le); },
      .element = [](ElementContext& context) { return ops::band_element(context, ScalarOp::k_le); },
      .gradient = no_gradient};
  return def;
}

}  // namespace cohort
