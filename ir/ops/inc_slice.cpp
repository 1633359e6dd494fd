// inc_slice(x, y, ...) {...}: x with the slice (see slicing.h) increased by y, which broadcasts to it. In
// place like set_slice.
#include "ir/ops/list.h"
#include "ir/ops/slicing.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  ops::check_update(context, ops::check_slice(context, 2));
  return {context.inputs[0]};
}

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

void loops(LoopContext& context) {
  const ops::SliceMap map(context, 2);
  context.for_each(context.result_type().shape, [&](ops::Index index) {
    const kernel::ExprRef old = context.load(0, index);
    context.store(0, std::move(index), old);
  });
  context.for_each(map.shape(), [&](const ops::Index& index) {
    const ops::Index place = map(index);
    const kernel::ExprRef old = context.load_result(0, place);
    context.store(0, place, old + context.load_broadcast(1, index));
  });
}

}  // namespace

const OpDef& op_inc_slice() {
  static const OpDef def{.name = "inc_slice",
                         .op_class = OpClass::kOpaque,
                         .min_inputs = 2,
                         .max_inputs = kAnyNumber,
                         .attrs = ops::slice_attrs(),
                         .meaning = "x with a slice increased by y",
                         .infer = infer,
                         .evaluate = evaluate,
                         .loops = loops,
                         .casting = Casting::kFollowFirst};
  return def;
}

}  // namespace cohort
