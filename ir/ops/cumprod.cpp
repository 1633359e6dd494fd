// cumprod: running products, from 1.
#include "ir/ops/cumulative.h"
#include "ir/ops/list.h"

namespace cohort {

const OpDef& op_cumprod() {
  static const OpDef def{
      .name = "cumprod",
      .op_class = OpClass::kReduction,
      .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{0}}, {"dtype", AttrKind::kDType}},
      .meaning = "running products along an axis; of integers in i64 or u64",
      .infer = infer_cumulative,
      .evaluate = [](EvalContext& context) { evaluate_cumulative(context, true); },
      .loops = [](LoopContext& context) { cumulative_loops(context, true); },
      .gradient = cumprod_gradient,
  };
  return def;
}

}  // namespace cohort
