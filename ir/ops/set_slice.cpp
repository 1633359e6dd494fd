// set_slice(x, y, ...) {...}: x with the slice (see slicing.h) replaced by y, which broadcasts to it.
#include "ir/ops/gradients.h"
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

void gradient(GradientContext& context) {
  const Symbol g = context.cotangent();
  std::vector<Symbol> cleared{g, symbols::number_like(g, 0)}, read{g};
  for (int i = 2; i < context.input_count(); ++i) {
    cleared.push_back(context.input(i));
    read.push_back(context.input(i));
  }
  if (context.wants(0)) context.add(0, context.emit("set_slice", cleared, context.attrs()));
  if (context.wants(1)) context.add(1, context.emit("slice", read, context.attrs()));
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
                         .casting = Casting::kFollowFirst,
                         .gradient = gradient};
  return def;
}

}  // namespace cohort
