// reduce_all: true of nothing.
#include "ir/ops/list.h"
#include "ir/ops/reduce_support.h"

namespace cohort {

const OpDef& op_reduce_all() {
  static const OpDef def{
      .name = "reduce_all",
      .op_class = OpClass::kReduction,
      .attrs = {{"axes", AttrKind::kInts}, {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "whether all elements over axes are not 0",
      .infer = infer_logic,
      .evaluate = [](EvalContext& context) { evaluate_logic(context, true); },
      .loops = [](LoopContext& context) { logic_loops(context, true); },
      .gradient = no_gradient,
  };
  return def;
}

}  // namespace cohort
