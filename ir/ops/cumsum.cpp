// cumsum: running sums, from 0.
#include "ir/ops/cumulative.h"
#include "ir/ops/list.h"

namespace cohort {

const OpDef& op_cumsum() {
  static const OpDef def{
      .name = "cumsum",
      .op_class = OpClass::kReduction,
      .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{0}}, {"dtype", AttrKind::kDType}},
      .meaning = "running sums along an axis; of integers in i64 or u64",
      .infer = infer_cumulative,
      .evaluate = [](EvalContext& context) { evaluate_cumulative(context, false); },
      .loops = [](LoopContext& context) { cumulative_loops(context, false); },
      .gradient = cumsum_gradient,
  };
  return def;
}

}  // namespace cohort
