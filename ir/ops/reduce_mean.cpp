// reduce_mean: the sum, divided by the number of elements as a float.
#include "ir/ops/list.h"
#include "ir/ops/reduce_support.h"

namespace cohort {

const OpDef& op_reduce_mean() {
  static const OpDef def{
      .name = "reduce_mean",
      .op_class = OpClass::kReduction,
      .attrs = {{"axes", AttrKind::kInts},
                {"dtype", AttrKind::kDType},
                {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "mean over axes; of integers in f64, NaN of nothing",
      .infer = [](const InferContext& context) { return infer_arithmetic(context, Arithmetic::kMean); },
      .evaluate = [](EvalContext& context) { evaluate_arithmetic(context, Arithmetic::kMean); },
      .loops = [](LoopContext& context) { arithmetic_loops(context, Arithmetic::kMean); },
  };
  return def;
}

}  // namespace cohort
