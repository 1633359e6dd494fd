// argmin: the first NaN wins, else the first of the least.
#include "ir/ops/list.h"
#include "ir/ops/reduce_support.h"

namespace cohort {

const OpDef& op_argmin() {
  static const OpDef def{
      .name = "argmin",
      .op_class = OpClass::kReduction,
      .attrs = {{"axis", AttrKind::kInt}, {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "position of the first NaN, else of the first least element",
      .infer = infer_arg,
      .evaluate = [](EvalContext& context) { evaluate_arg(context, false); },
      .loops = [](LoopContext& context) { arg_loops(context, false); },
      .gradient = no_gradient,
  };
  return def;
}

}  // namespace cohort
