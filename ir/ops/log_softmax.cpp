// log_softmax: x - max - log(sum(exp(x - max))) along one axis.
#include "ir/ops/list.h"
#include "ir/ops/softmax_support.h"

namespace cohort {

const OpDef& op_log_softmax() {
  static const OpDef def{
      .name = "log_softmax",
      .op_class = OpClass::kReduction,
      .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{-1}}},
      .meaning = "logarithm of softmax, without overflow",
      .infer = infer_softmax,
      .evaluate = [](EvalContext& context) { evaluate_softmax(context, true); },
      .loops = [](LoopContext& context) { softmax_loops(context, true); },
      .casting = Casting::kFloat,
      .gradient = [](GradientContext& context) { softmax_gradient(context, true); },
      .ulp = 4,
  };
  return def;
}

}  // namespace cohort
