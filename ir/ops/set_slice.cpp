// set_slice(x, y, ...) {...}: x with the slice (see slicing.h) replaced by y, which broadcasts to it.
#include "ir/ops/list.h"
#include "ir/ops/slicing.h"

namespace cohort {

namespace {

void evaluate(EvalContext& context) {
  const ops::Layout target = ops::slice_layout(context, 2);
  context.results[0] = context.inputs[0];
  const Tensor& y = context.inputs[1];
  ops::copy_elements(y, ops::broadcast_layout(y.extents(), ops::extents_of(target)), context.results[0],
                     target);
}

}  // namespace

const OpDef& op_set_slice() {
  static const OpDef def{.name = "set_slice",
                         .op_class = OpClass::kOpaque,
                         .min_inputs = 2,
                         .max_inputs = kAnyNumber,
                         .attrs = ops::slice_attrs(),
                         .meaning = "x with a slice replaced by y",
                         .infer = ops::infer_slice_update,
                         .evaluate = evaluate,
                         .loops = [](LoopContext& context) { ops::slice_update_loops(context, false); },
                         .casting = Casting::kFollowFirst};
  return def;
}

}  // namespace cohort
