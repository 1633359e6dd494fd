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

void gradient(GradientContext& context) {
  if (const std::optional<Attrs> widths = widths_around(context)) {
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
