// inc_slice(x, y, ...) {...}: x with the slice (see slicing.h) increased by y, which broadcasts to it. In
// place like set_slice.
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/slicing.h"

namespace cohort {

namespace {

void evaluate(EvalContext& context) {
  const ops::Layout place = ops::slice_layout(context, 2);
  const Extents extents = ops::extents_of(place);
  const ops::Layout dense = ops::layout_of(extents);
  const Tensor& y = context.inputs[1];
  Tensor old(y.dtype(), extents), increase(y.dtype(), extents), sum(y.dtype(), extents);
  ops::copy_elements(context.inputs[0], place, old, dense);
  ops::copy_elements(y, ops::broadcast_layout(y.extents(), extents), increase, dense);
  const void* const operands[] = {old.data(), increase.data()};
  const std::int64_t strides[] = {1, 1};
  evaluate_array(ScalarOp::k_add, y.dtype(), y.dtype(), sum.size(), operands, strides, sum.mutable_data());
  context.results[0] = context.inputs[0];
  ops::copy_elements(sum, dense, context.results[0], place);
}

void gradient(GradientContext& context) {
  context.add(0, context.cotangent());
  if (!context.wants(1)) return;
  std::vector<Symbol> read{context.cotangent()};
  for (int i = 2; i < context.input_count(); ++i) read.push_back(context.input(i));
  context.add(1, context.emit("slice", read, context.attrs()));
}

}  // namespace

const OpDef& op_inc_slice() {
  static const OpDef def{.name = "inc_slice",
                         .op_class = OpClass::kOpaque,
                         .min_inputs = 2,
                         .max_inputs = kAnyNumber,
                         .attrs = ops::slice_attrs(),
                         .meaning = "x with a slice increased by y",
                         .infer = ops::infer_slice_update,
                         .evaluate = evaluate,
                         .loops = [](LoopContext& context) { ops::slice_update_loops(context, true); },
                         .casting = Casting::kFollowFirst,
                         .gradient = gradient};
  return def;
}

}  // namespace cohort
