// flip(x) {axes?}: x with the order along these axes reversed, by default along all.
#include <algorithm>

#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  ops::check_axes(context, "axes", context.inputs[0].rank());
  return {context.inputs[0]};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  const ops::Layout target = ops::layout_of(result.extents());
  ops::Layout source = target;
  for (int axis : normalized_axes(context.attrs, "axes", result.rank())) {
    std::vector<std::int64_t>& offsets = source.offsets[static_cast<std::size_t>(axis)];
    std::reverse(offsets.begin(), offsets.end());
  }
  ops::copy_elements(context.inputs[0], source, result, target);
}

kernel::ExprRef element(ElementContext& context) {
  ops::Index index = context.index;
  const Shape& shape = context.result_type().shape;
  for (int axis : normalized_axes(context.attrs(), "axes", static_cast<int>(shape.size()))) {
    const std::size_t at = static_cast<std::size_t>(axis);
    index[at] = kernel::extent(ops::sum(shape[at], Dim(-1))) - index[at];
  }
  return context.load(0, std::move(index));
}

void gradient(GradientContext& context) {
  context.add(0, context.emit("flip", {context.cotangent()}, context.attrs()));
}

}  // namespace

const OpDef& op_flip() {
  static const OpDef def{.name = "flip",
                         .op_class = OpClass::kIndexMap,
                         .attrs = {{"axes", AttrKind::kInts}},
                         .meaning = "x with the order along these axes reversed, by default along all",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element,
                         .gradient = gradient};
  return def;
}

}  // namespace cohort
