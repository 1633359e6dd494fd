// softmax: exp(x - max) / sum(exp(x - max)) along one axis.
#include "ir/ops/list.h"
#include "ir/ops/softmax_support.h"

namespace cohort {

const OpDef& op_softmax() {
  static const OpDef def{
      .name = "softmax",
      .op_class = OpClass::kReduction,
      .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{-1}}},
      .meaning = "exponentials along an axis, divided by their sum",
      .infer = infer_softmax,
      .evaluate = [](EvalContext& context) { evaluate_softmax(context, false); },
      .loops = [](LoopContext& context) { softmax_loops(context, false); },
      .casting = Casting::kFloat,
      .gradient = [](GradientContext& context) { softmax_gradient(context, false); },
      .ulp = 4,
  };
  return def;
}

}  // namespace cohort
