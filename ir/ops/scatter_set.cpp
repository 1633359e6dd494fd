// scatter_set: x with x[i0, ..., ik] = y. Writes go in row-major order of the indices, so of equal indices
// the last wins.
#include "ir/ops/indexing.h"
#include "ir/ops/list.h"

namespace cohort {

const OpDef& op_scatter_set() {
  static const OpDef def{
      .name = "scatter_set",
      .op_class = OpClass::kOpaque,
      .min_inputs = 3,
      .max_inputs = kAnyNumber,
      .meaning = "x with x[i0, ..., ik] = y; the last write wins",
      .infer = infer_scatter,
      .evaluate = [](EvalContext& context) { evaluate_scatter(context, false); },
      .loops = [](LoopContext& context) { scatter_loops(context, false); },
      .casting = Casting::kFollowFirst,
  };
  return def;
}

}  // namespace cohort
