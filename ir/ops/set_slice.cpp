// set_slice(x, y, ...) {...}: x with the slice (see slicing.h) replaced by y, which broadcasts to it.
//
// The loops copy all of x and then write the slice, without a selection per element. Where x's buffer is the
// result's, the first nest stores every element to itself and can be dropped: y is read only by the second.
#include "ir/ops/list.h"
#include "ir/ops/slicing.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  ops::check_update(context, ops::check_slice(context, 2));
  return {context.inputs[0]};
}

void evaluate(EvalContext& context) {
  const ops::Layout target = ops::slice_layout(context, 2);
  context.results[0] = context.inputs[0];
  const Tensor& y = context.inputs[1];
  ops::copy_elements(y, ops::broadcast_layout(y.extents(), ops::extents_of(target)), context.results[0],
                     target);
}

void loops(LoopContext& context) {
  const ops::SliceMap map(context, 2);
  context.for_each(context.result_type().shape, [&](ops::Index index) {
    const kernel::ExprRef old = context.load(0, index);
    context.store(0, std::move(index), old);
  });
  context.for_each(map.shape(), [&](const ops::Index& index) {
    context.store(0, map(index), context.load_broadcast(1, index));
  });
}

}  // namespace

const OpDef& op_set_slice() {
  static const OpDef def{.name = "set_slice",
                         .op_class = OpClass::kOpaque,
                         .min_inputs = 2,
                         .max_inputs = kAnyNumber,
                         .attrs = ops::slice_attrs(),
                         .meaning = "x with a slice replaced by y",
                         .infer = infer,
                         .evaluate = evaluate,
                         .loops = loops,
                         .casting = Casting::kFollowFirst};
  return def;
}

}  // namespace cohort
