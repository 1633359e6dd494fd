// slice(x) {axes?, starts?, stops?, steps?} and slice(x, i0, ...) {axes?, sizes, steps?}: see slicing.h.
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/slicing.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  return {{context.inputs[0].dtype, ops::check_slice(context, 1)}};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  ops::copy_elements(context.inputs[0], ops::slice_layout(context, 1), result,
                     ops::layout_of(result.extents()));
}

kernel::ExprRef element(ElementContext& context) {
  const ops::SliceMap map(context, 1);
  return context.load(0, map(context.index));
}

// The widths that pad the slice to x, if it is a run on every axis and they are known.
std::optional<Attrs> widths_around(GradientContext& context) {
  const Shape& x = context.input_type(0).shape;
  IntList low(x.size(), 0), high(x.size(), 0);
  for (const ops::SlicedAxis& sliced : ops::sliced_axes(context.attrs(), x, context.input_count(), 1)) {
    const std::size_t axis = static_cast<std::size_t>(sliced.axis);
    if (sliced.input >= 0 || sliced.step != 1 || !sliced.start.is_constant()) return std::nullopt;
    const Dim rest = ops::sum(x[axis], ops::negated(ops::sum(sliced.start, sliced.extent)));
    if (!rest.is_constant()) return std::nullopt;
    low[axis] = sliced.start.offset;
    high[axis] = rest.offset;
  }
  return Attrs{{"high", high}, {"low", low}};
}

// The axis along which alone the slice is less than x.
std::optional<int> only_axis(const Attrs& widths) {
  const auto &low = attr<IntList>(widths, "low"), &high = attr<IntList>(widths, "high");
  std::optional<int> found;
  for (std::size_t axis = 0; axis < low.size(); ++axis) {
    if (low[axis] == 0 && high[axis] == 0) continue;
    if (found) return std::nullopt;
    found = static_cast<int>(axis);
  }
  return found;
}

void gradient(GradientContext& context) {
  if (const std::optional<Attrs> widths = widths_around(context)) {
    const std::optional<int> axis = only_axis(*widths);
    const auto at = static_cast<std::size_t>(axis.value_or(0));
    const IntList low = attr<IntList>(*widths, "low");
    if (axis && context.input_type(0).shape[at].is_constant())
      return context.add_part(0, {context.cotangent(), *axis, *low[at]});
    context.add(0, context.emit("pad", {context.cotangent()}, *widths));
    return;
  }
  std::vector<Symbol> inputs{context.zeros(context.input_type(0)), context.cotangent()};
  for (int i = 1; i < context.input_count(); ++i) inputs.push_back(context.input(i));
  context.add(0, context.emit("set_slice", inputs, context.attrs()));
}

}  // namespace

const OpDef& op_slice() {
  static const OpDef def{
      .name = "slice",
      .op_class = OpClass::kIndexMap,
      .max_inputs = kAnyNumber,
      .attrs = ops::slice_attrs(),
      .meaning = "x[start:stop:step] on the listed axes, or `sizes` elements from starts given as inputs",
      .infer = infer,
      .evaluate = evaluate,
      .element = element,
      .gradient = gradient};
  return def;
}

}  // namespace cohort
