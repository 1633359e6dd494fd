// slice(x) {axes?, starts?, stops?, steps?} and slice(x, i0, ...) {axes?, sizes, steps?}: see slicing.h.
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
      .element = element};
  return def;
}

}  // namespace cohort
