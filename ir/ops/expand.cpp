// expand(x) {axes}: x with axes of extent 1 inserted; `axes` are positions in the result (NumPy's
// expand_dims).
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

// Whether each axis of the result is new.
std::vector<bool> inserted(const Attrs& attrs, int result_rank) {
  std::vector<bool> is_new(static_cast<std::size_t>(result_rank));
  for (int axis : normalized_axes(attrs, "axes", result_rank)) is_new[static_cast<std::size_t>(axis)] = true;
  return is_new;
}

std::vector<Type> infer(const InferContext& context) {
  const Type& x = context.inputs[0];
  const int rank = x.rank() + static_cast<int>(attr<IntList>(context.attrs, "axes").size());
  ops::check_axes(context, "axes", rank);
  Type result{x.dtype, {}};
  std::size_t next = 0;
  for (bool is_new : inserted(context.attrs, rank)) result.shape.push_back(is_new ? Dim(1) : x.shape[next++]);
  return {result};
}

void evaluate(EvalContext& context) {
  context.results[0] = context.inputs[0].reshaped(context.results[0].extents());
}

kernel::ExprRef element(ElementContext& context) {
  ops::Index index;
  const std::vector<bool> is_new = inserted(context.attrs(), context.result_type().rank());
  for (std::size_t axis = 0; axis < is_new.size(); ++axis) {
    if (!is_new[axis]) index.push_back(context.index[axis]);
  }
  return context.load(0, std::move(index));
}

void gradient(GradientContext& context) {
  context.add(0, context.reshaped(context.cotangent(), context.input_type(0).shape));
}

}  // namespace

const OpDef& op_expand() {
  static const OpDef def{.name = "expand",
                         .op_class = OpClass::kIndexMap,
                         .attrs = {{"axes", AttrKind::kInts, true}},
                         .meaning = "x with axes of extent 1 inserted at these positions of the result",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element,
                         .gradient = gradient};
  return def;
}

}  // namespace cohort
