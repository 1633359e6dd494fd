// concat(x, ...) {axis?}: the operands one after the other along `axis` (default 0).
#include "ir/ops/gradients.h"
#include "ir/ops/join.h"
#include "ir/ops/list.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  Type result = context.inputs[0];
  const std::size_t axis = static_cast<std::size_t>(ops::check_axis(context, 0, result.rank()));
  for (std::size_t i = 1; i < context.inputs.size(); ++i) {
    Shape compared = context.inputs[i].shape;
    const bool same_rank = compared.size() == result.shape.size();
    if (same_rank) compared[axis] = context.inputs[0].shape[axis];
    ops::check_joined(context, i, compared);
    result.shape[axis] = ops::add_extents(context, axis, result.shape[axis], context.inputs[i].shape[axis]);
  }
  return {result};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  const std::size_t axis = static_cast<std::size_t>(ops::axis_attr(context.attrs, 0, result.rank()));
  const ops::Layout whole = ops::layout_of(result.extents());
  std::ptrdiff_t start = 0;
  for (const Tensor& input : context.inputs) {
    ops::Layout part = whole;
    const auto begin = whole.offsets[axis].begin() + start;
    start += input.extents()[axis];
    part.offsets[axis].assign(begin, whole.offsets[axis].begin() + start);
    ops::copy_elements(input, ops::layout_of(input.extents()), result, part);
  }
}

void loops(LoopContext& context) {
  const auto axis =
      static_cast<std::size_t>(ops::axis_attr(context.attrs(), 0, context.result_type().rank()));
  std::vector<Dim> starts{0};
  for (int i = 0; i < context.input_count(); ++i)
    starts.push_back(ops::sum(starts.back(), context.input_type(i).shape[axis]));
  ops::join_loops(context, [&](int i, ops::Index& index) {
    index[axis] = index[axis] + kernel::extent(starts[static_cast<std::size_t>(i)]);
  });
}

void gradient(GradientContext& context) {
  const int axis = ops::axis_attr(context.attrs(), 0, context.result_type().rank());
  Shape sizes;
  for (int i = 0; i < context.input_count(); ++i)
    sizes.push_back(context.input_type(i).shape[static_cast<std::size_t>(axis)]);
  Symbol part =
      context.emit("split", {context.cotangent()}, {{"axis", std::int64_t{axis}}, {"sizes", sizes}});
  for (int i = 0; i < context.input_count(); ++i, ++part.value) context.add(i, part);
}

}  // namespace

const OpDef& op_concat() {
  static const OpDef def = [] {
    OpDef concat = ops::join_def();
    concat.name = "concat";
    concat.meaning = "the operands one after the other along an axis";
    concat.infer = infer;
    concat.evaluate = evaluate;
    concat.loops = loops;
    concat.gradient = gradient;
    return concat;
  }();
  return def;
}

}  // namespace cohort
