// reduce_max: NaN propagates; of zeros the greater is +0.
#include "ir/ops/list.h"
#include "ir/ops/reduce_support.h"

namespace cohort {

const OpDef& op_reduce_max() {
  static const OpDef def{
      .name = "reduce_max",
      .op_class = OpClass::kReduction,
      .attrs = {{"axes", AttrKind::kInts}, {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "greatest over axes; NaN if any is",
      .infer = infer_extremum,
      .evaluate = [](EvalContext& context) { evaluate_extremum(context, true); },
      .loops = [](LoopContext& context) { extremum_loops(context, true); },
      .gradient = extremum_gradient,
  };
  return def;
}

}  // namespace cohort
