// argmax: the first NaN wins, else the first of the greatest.
#include "ir/ops/list.h"
#include "ir/ops/reduce_support.h"

namespace cohort {

const OpDef& op_argmax() {
  static const OpDef def{
      .name = "argmax",
      .op_class = OpClass::kReduction,
      .attrs = {{"axis", AttrKind::kInt}, {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "position of the first NaN, else of the first greatest element",
      .infer = infer_arg,
      .evaluate = [](EvalContext& context) { evaluate_arg(context, true); },
      .loops = [](LoopContext& context) { arg_loops(context, true); },
      .gradient = no_gradient,
  };
  return def;
}

}  // namespace cohort
