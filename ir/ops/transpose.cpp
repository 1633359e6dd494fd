// transpose(x) {axes?}: axis i of the result is axis axes[i] of x; by default the axes are reversed.
#include <algorithm>

#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<int> permutation(const Attrs& attrs, int rank) {
  std::vector<int> axes = ops::axes_in_order(attrs, "axes", rank);
  if (!find_attr(attrs, "axes")) std::reverse(axes.begin(), axes.end());
  return axes;
}

std::vector<Type> infer(const InferContext& context) {
  const Type& x = context.inputs[0];
  ops::check_axes(context, "axes", x.rank());
  const std::vector<int> axes = permutation(context.attrs, x.rank());
  if (static_cast<int>(axes.size()) != x.rank()) {
    ops::wrong_attribute(context, "axes", fmt::format("has {} entries for rank {}", axes.size(), x.rank()));
  }
  Type result{x.dtype, {}};
  for (int axis : axes) result.shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
  return {result};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  const ops::Layout own = ops::layout_of(context.inputs[0].extents());
  ops::Layout permuted;
  for (int axis : permutation(context.attrs, result.rank())) {
    permuted.offsets.push_back(own.offsets[static_cast<std::size_t>(axis)]);
  }
  ops::copy_elements(context.inputs[0], permuted, result, ops::layout_of(result.extents()));
}

kernel::ExprRef element(ElementContext& context) {
  ops::Index index(context.index.size());
  const std::vector<int> axes = permutation(context.attrs(), context.result_type().rank());
  for (std::size_t i = 0; i < axes.size(); ++i) index[static_cast<std::size_t>(axes[i])] = context.index[i];
  return context.load(0, std::move(index));
}

void gradient(GradientContext& context) {
  const std::vector<int> axes = permutation(context.attrs(), context.result_type().rank());
  std::vector<int> inverse(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i)
    inverse[static_cast<std::size_t>(axes[i])] = static_cast<int>(i);
  context.add(0, context.emit("transpose", {context.cotangent()}, {{"axes", ops::int_list(inverse)}}));
}

}  // namespace

const OpDef& op_transpose() {
  static const OpDef def{.name = "transpose",
                         .op_class = OpClass::kIndexMap,
                         .attrs = {{"axes", AttrKind::kInts}},
                         .meaning = "x with its axes permuted, by default reversed",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element,
                         .gradient = gradient};
  return def;
}

}  // namespace cohort
