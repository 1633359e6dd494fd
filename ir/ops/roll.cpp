// roll(x) {shifts, axes?}: element i along a listed axis moves to (i + shift) mod n; by default shifts has
// one entry per axis.
#include <algorithm>

#include "ir/ops/axis_parts.h"
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/scalar_meaning.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  const Type& x = context.inputs[0];
  ops::check_axes(context, "axes", x.rank());
  const std::vector<std::int64_t> given = ops::check_ints(context, "shifts");
  const std::size_t shifts = given.size();
  if (std::count(given.begin(), given.end(), INT64_MIN) > 0)  // there is no way back
    ops::wrong_attribute(context, "shifts", fmt::format("has the entry {}", INT64_MIN));
  const std::size_t axes = ops::axes_in_order(context.attrs, "axes", x.rank()).size();
  if (shifts != axes)
    ops::wrong_attribute(context, "shifts", fmt::format("has {} entries for {} axes", shifts, axes));
  return {x};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  const ops::Layout target = ops::layout_of(result.extents());
  ops::Layout source = target;
  const std::vector<std::int64_t> shifts = ops::ints_attr(context.attrs, "shifts");
  const std::vector<int> axes = ops::axes_in_order(context.attrs, "axes", result.rank());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::vector<std::int64_t>& offsets = source.offsets[static_cast<std::size_t>(axes[i])];
    const std::int64_t shift = meaning::mod(shifts[i], static_cast<std::int64_t>(offsets.size()));
    std::rotate(offsets.begin(), offsets.end() - shift, offsets.end());
  }
  ops::copy_elements(context.inputs[0], source, result, target);
}

// The last `shift` indices come first, where both lengths are known.
std::vector<ops::AxisPart> cut(const Dim& n, std::int64_t shift) {
  const std::int64_t first = meaning::mod(shift, n.offset);
  return {ops::shifted_part(0, first, n.offset - first), ops::shifted_part(first, n.offset - first, 0)};
}

ops::AxisPart computed(LoopContext& context, const Dim& n, std::int64_t shift) {
  const kernel::ExprRef end = kernel::extent(n);
  const kernel::ExprRef first = context.let(ops::remainder(kernel::constant_index(shift), end));
  return {0, n, [=](const kernel::ExprRef& i) {
            return ops::select(ops::compare(ScalarOp::k_lt, i, first), i + (end - first), i - first);
          }};
}

void loops(LoopContext& context) {
  const Shape& shape = context.result_type().shape;
  std::vector<std::vector<ops::AxisPart>> parts;
  for (const Dim& n : shape) parts.push_back({ops::shifted_part(0, n, 0)});
  const std::vector<std::int64_t> shifts = ops::ints_attr(context.attrs(), "shifts");
  const std::vector<int> axes = ops::axes_in_order(context.attrs(), "axes", static_cast<int>(shape.size()));
  int cuts = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = static_cast<std::size_t>(axes[i]);
    if (shape[axis].is_constant() && cuts++ < ops::kMaxCutAxes)
      parts[axis] = cut(shape[axis], shifts[i]);
    else
      parts[axis] = {computed(context, shape[axis], shifts[i])};
  }
  ops::store_parts(context, parts);
}

void gradient(GradientContext& context) {
  Attrs back = context.attrs();
  IntList shifts;
  for (const std::int64_t shift : ops::ints_attr(context.attrs(), "shifts")) shifts.push_back(-shift);
  set_attr(back, "shifts", shifts);
  context.add(0, context.emit("roll", {context.cotangent()}, back));
}

}  // namespace

const OpDef& op_roll() {
  static const OpDef def{.name = "roll",
                         .op_class = OpClass::kOpaque,
                         .attrs = {{"axes", AttrKind::kInts}, {"shifts", AttrKind::kInts, true}},
                         .meaning = "x shifted along axes, what leaves at one end enters at the other",
                         .infer = infer,
                         .evaluate = evaluate,
                         .loops = loops,
                         .gradient = gradient};
  return def;
}

}  // namespace cohort
