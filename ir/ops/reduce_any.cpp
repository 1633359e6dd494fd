// reduce_any: false of nothing.
#include "ir/ops/list.h"
#include "ir/ops/reduce_support.h"

namespace cohort {

const OpDef& op_reduce_any() {
  static const OpDef def{
      .name = "reduce_any",
      .op_class = OpClass::kReduction,
      .attrs = {{"axes", AttrKind::kInts}, {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "whether any element over axes is not 0",
      .infer = infer_logic,
      .evaluate = [](EvalContext& context) { evaluate_logic(context, false); },
      .loops = [](LoopContext& context) { logic_loops(context, false); },
      .gradient = no_gradient,
  };
  return def;
}

}  // namespace cohort
