// squeeze(x) {axes?}: x without axes of extent 1, by default without all of them.
#include <algorithm>

#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

// Whether each axis of x goes.
std::vector<bool> removed(const Attrs& attrs, const Shape& x) {
  std::vector<bool> gone(x.size());
  const bool all = find_attr(attrs, "axes") == nullptr;
  for (int axis : normalized_axes(attrs, "axes", static_cast<int>(x.size()))) {
    const std::size_t at = static_cast<std::size_t>(axis);
    gone[at] = !all || x[at].is_constant(1);
  }
  return gone;
}

std::vector<Type> infer(const InferContext& context) {
  const Type& x = context.inputs[0];
  ops::check_axes(context, "axes", x.rank());
  const std::vector<bool> gone = removed(context.attrs, x.shape);
  Type result{x.dtype, {}};
  for (std::size_t axis = 0; axis < gone.size(); ++axis) {
    if (!gone[axis])
      result.shape.push_back(x.shape[axis]);
    else if (!x.shape[axis].is_constant(1))
      ops::wrong_shape(context, 0, fmt::format("is not 1 on axis {}", axis));
  }
  return {result};
}

void evaluate(EvalContext& context) {
  context.results[0] = context.inputs[0].reshaped(context.results[0].extents());
}

kernel::ExprRef element(ElementContext& context) {
  ops::Index index;
  std::size_t next = 0;
  for (bool gone : removed(context.attrs(), context.input_type(0).shape)) {
    index.push_back(gone ? kernel::constant_index(0) : context.index[next++]);
  }
  return context.load(0, std::move(index));
}

void gradient(GradientContext& context) {
  context.add(0, context.reshaped(context.cotangent(), context.input_type(0).shape));
}

}  // namespace

const OpDef& op_squeeze() {
  static const OpDef def{.name = "squeeze",
                         .op_class = OpClass::kIndexMap,
                         .attrs = {{"axes", AttrKind::kInts}},
                         .meaning = "x without axes of extent 1, by default without all of them",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element,
                         .gradient = gradient};
  return def;
}

}  // namespace cohort
