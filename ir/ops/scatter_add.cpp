// scatter_add: np.add.at. Additions go in row-major order of the indices, each rounded to the dtype of x.
#include "ir/ops/gradients.h"
#include "ir/ops/indexing.h"
#include "ir/ops/list.h"

namespace cohort {

namespace {

void gradient(GradientContext& context) {
  context.add(0, context.cotangent());
  if (!context.wants(1)) return;
  std::vector<Symbol> read{context.cotangent()};
  for (int i = 2; i < context.input_count(); ++i) read.push_back(context.input(i));
  context.add(1, context.emit("gather", read));
}

}  // namespace

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
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
