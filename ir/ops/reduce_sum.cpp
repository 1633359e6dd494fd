// reduce_sum: starts from 0, in the order of ir/README.md.
#include "ir/ops/list.h"
#include "ir/ops/reduce_support.h"

namespace cohort {

const OpDef& op_reduce_sum() {
  static const OpDef def{
      .name = "reduce_sum",
      .op_class = OpClass::kReduction,
      .attrs = {{"axes", AttrKind::kInts},
                {"dtype", AttrKind::kDType},
                {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "sum over axes; of integers in i64 or u64",
      .infer = [](const InferContext& context) { return infer_arithmetic(context, Arithmetic::kSum); },
      .evaluate = [](EvalContext& context) { evaluate_arithmetic(context, Arithmetic::kSum); },
      .loops = [](LoopContext& context) { arithmetic_loops(context, Arithmetic::kSum); },
      .gradient = [](GradientContext& context) { context.add(0, spread_cotangent(context)); },
  };
  return def;
}

}  // namespace cohort
