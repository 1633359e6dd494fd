// split(x) {axis?, sizes}: consecutive parts of x along `axis` (default 0), one result of each size.
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  const Type& x = context.inputs[0];
  const std::size_t axis = static_cast<std::size_t>(ops::check_axis(context, 0, x.rank()));
  std::vector<Type> results;
  Dim total = 0;
  for (const Dim& size : ops::check_shape(context, "sizes")) {
    results.push_back(x);
    results.back().shape[axis] = size;
    total = ops::add_extents(context, axis, total, size);
  }
  if (results.empty()) ops::wrong_attribute(context, "sizes", "is empty");
  if (total != x.shape[axis]) {
    ops::wrong_attribute(context, "sizes",
                         fmt::format("sums to {}, axis {} has extent {}", to_string(total, context.dims),
                                     axis, to_string(x.shape[axis], context.dims)));
  }
  return results;
}

void evaluate(EvalContext& context) {
  const Tensor& x = context.inputs[0];
  const std::size_t axis = static_cast<std::size_t>(ops::axis_attr(context.attrs, 0, x.rank()));
  const ops::Layout whole = ops::layout_of(x.extents());
  std::ptrdiff_t start = 0;
  for (Tensor& result : context.results) {
    ops::Layout part = whole;
    const auto begin = whole.offsets[axis].begin() + start;
    start += result.extents()[axis];
    part.offsets[axis].assign(begin, whole.offsets[axis].begin() + start);
    ops::copy_elements(x, part, result, ops::layout_of(result.extents()));
  }
}

kernel::ExprRef element(ElementContext& context) {
  const std::size_t axis =
      static_cast<std::size_t>(ops::axis_attr(context.attrs(), 0, context.input_type(0).rank()));
  Dim start = 0;
  for (int r = 0; r < context.result; ++r) start = ops::sum(start, context.result_type(r).shape[axis]);
  ops::Index index = context.index;
  index[axis] = index[axis] + kernel::extent(start);
  return context.load(0, std::move(index));
}

void gradient(GradientContext& context) {
  std::vector<Symbol> parts;
  for (std::uint32_t r = 0; r < context.node().result_count; ++r)
    parts.push_back(context.cotangent(static_cast<int>(r)));
  const std::int64_t axis = ops::axis_attr(context.attrs(), 0, context.input_type(0).rank());
  context.add(0, context.emit("concat", parts, {{"axis", axis}}));
}

}  // namespace

const OpDef& op_split() {
  static const OpDef def{
      .name = "split",
      .op_class = OpClass::kIndexMap,
      .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{0}}, {"sizes", AttrKind::kShape, true}},
      .meaning = "consecutive parts of x along an axis, one result of each size",
      .infer = infer,
      .evaluate = evaluate,
      .element = element,
      .gradient = gradient};
  return def;
}

}  // namespace cohort
