// stack(x, ...) {axis?}: operands of equal shape along a new axis (default the first).
#include "ir/ops/gradients.h"
#include "ir/ops/join.h"
#include "ir/ops/list.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  Type result = context.inputs[0];
  const int axis = ops::check_axis(context, 0, result.rank() + 1);
  for (std::size_t i = 1; i < context.inputs.size(); ++i)
    ops::check_joined(context, i, context.inputs[i].shape);
  result.shape.insert(result.shape.begin() + axis, Dim(static_cast<std::int64_t>(context.inputs.size())));
  return {result};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  const std::ptrdiff_t axis = ops::axis_attr(context.attrs, 0, result.rank());
  ops::Layout place = ops::layout_of(result.extents());
  const std::vector<std::int64_t> starts = place.offsets[static_cast<std::size_t>(axis)];
  place.offsets.erase(place.offsets.begin() + axis);
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    place.base = starts[i];
    ops::copy_elements(context.inputs[i], ops::layout_of(context.inputs[i].extents()), result, place);
  }
}

void loops(LoopContext& context) {
  const int axis = ops::axis_attr(context.attrs(), 0, context.result_type().rank());
  ops::join_loops(context, [&](int i, ops::Index& index) {
    index.insert(index.begin() + axis, kernel::constant_index(i));
  });
}

void gradient(GradientContext& context) {
  const std::int64_t axis = ops::axis_attr(context.attrs(), 0, context.result_type().rank());
  for (int i = 0; i < context.input_count(); ++i) {
    if (!context.wants(i)) continue;
    const Symbol part =
        context.emit("slice", {context.cotangent()},
                     {{"axes", IntList{axis}}, {"starts", IntList{i}}, {"stops", IntList{i + 1}}});
    context.add(i, context.reshaped(part, context.input_type(i).shape));
  }
}

}  // namespace

const OpDef& op_stack() {
  static const OpDef def = [] {
    OpDef stack = ops::join_def();
    stack.name = "stack";
    stack.meaning = "the operands along a new axis";
    stack.infer = infer;
    stack.evaluate = evaluate;
    stack.loops = loops;
    stack.gradient = gradient;
    return stack;
  }();
  return def;
}

}  // namespace cohort
