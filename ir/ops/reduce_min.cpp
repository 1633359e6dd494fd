// reduce_min: NaN propagates; of zeros the lesser is -0.
#include "ir/ops/list.h"
#include "ir/ops/reduce_support.h"

namespace cohort {

const OpDef& op_reduce_min() {
  static const OpDef def{
      .name = "reduce_min",
      .op_class = OpClass::kReduction,
      .attrs = {{"axes", AttrKind::kInts}, {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "least over axes; NaN if any is",
      .infer = infer_extremum,
      .evaluate = [](EvalContext& context) { evaluate_extremum(context, false); },
      .loops = [](LoopContext& context) { extremum_loops(context, false); },
      .gradient = extremum_gradient,
  };
  return def;
}

}  // namespace cohort
