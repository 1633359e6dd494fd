// scatter_add: np.add.at. Additions go in row-major order of the indices, each rounded to the dtype of x.
#include "ir/ops/indexing.h"
#include "ir/ops/list.h"

namespace cohort {

const OpDef& op_scatter_add() {
  static const OpDef def{
      .name = "scatter_add",
      .op_class = OpClass::kOpaque,
      .min_inputs = 3,
      .max_inputs = kAnyNumber,
      .meaning = "x with y added at [i0, ..., ik]; repeated indices accumulate",
      .infer = infer_scatter,
      .evaluate = [](EvalContext& context) { evaluate_scatter(context, true); },
      .loops = [](LoopContext& context) { scatter_loops(context, true); },
      .casting = Casting::kFollowFirst,
  };
  return def;
}

}  // namespace cohort
