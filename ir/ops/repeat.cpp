// repeat(x) {repeats, axis?}: each element along `axis` (default 0) that many times.
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  Type result = context.inputs[0];
  const std::size_t axis = static_cast<std::size_t>(ops::check_axis(context, 0, result.rank()));
  const std::int64_t repeats = attr<std::int64_t>(context.attrs, "repeats");
  result.shape[axis] = ops::scale_extent(context, "repeats", axis, result.shape[axis], repeats);
  return {result};
}

void evaluate(EvalContext& context) {
  const Tensor& x = context.inputs[0];
  const std::size_t axis = static_cast<std::size_t>(ops::axis_attr(context.attrs, 0, x.rank()));
  const std::int64_t repeats = attr<std::int64_t>(context.attrs, "repeats");
  ops::Layout source = ops::layout_of(x.extents());
  std::vector<std::int64_t> repeated;
  for (std::int64_t offset : source.offsets[axis]) {
    repeated.insert(repeated.end(), static_cast<std::size_t>(repeats), offset);
  }
  source.offsets[axis] = std::move(repeated);
  ops::copy_elements(x, source, context.results[0], ops::layout_of(context.results[0].extents()));
}

void loops(LoopContext& context) {
  const std::size_t axis =
      static_cast<std::size_t>(ops::axis_attr(context.attrs(), 0, context.result_type().rank()));
  const std::int64_t repeats = attr<std::int64_t>(context.attrs(), "repeats");
  Shape shape = context.input_type(0).shape;  // with the copies as an axis of their own
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, Dim(repeats));
  context.for_each(shape, [&](ops::Index index) {
    const kernel::ExprRef copy = index[axis + 1];
    index.erase(index.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    const kernel::ExprRef value = context.load(0, index);
    index[axis] = index[axis] * kernel::constant_index(repeats) + copy;
    context.store(0, std::move(index), value);
  });
}

// The copies become an axis of their own, over which the cotangent is summed.
void gradient(GradientContext& context) {
  Shape shape = context.input_type(0).shape;
  const std::int64_t copies = ops::axis_attr(context.attrs(), 0, context.result_type().rank()) + 1;
  shape.insert(shape.begin() + copies, Dim(attr<std::int64_t>(context.attrs(), "repeats")));
  const Symbol g = context.reshaped(context.cotangent(), shape);
  context.add(0, context.emit("reduce_sum", {g}, {{"axes", IntList{copies}}}));
}

}  // namespace

const OpDef& op_repeat() {
  static const OpDef def{
      .name = "repeat",
      .op_class = OpClass::kOpaque,
      .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{0}}, {"repeats", AttrKind::kInt, true}},
      .meaning = "each element along an axis several times",
      .infer = infer,
      .evaluate = evaluate,
      .loops = loops,
      .gradient = gradient};
  return def;
}

}  // namespace cohort
