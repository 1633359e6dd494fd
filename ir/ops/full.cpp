// full(v) {shape}: the scalar v everywhere.
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  ops::check_rank(context, 0, 0, "is no scalar");
  return {{context.inputs[0].dtype, ops::check_shape(context, "shape")}};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  ops::copy_elements(context.inputs[0], ops::broadcast_layout({}, result.extents()), result,
                     ops::layout_of(result.extents()));
}

kernel::ExprRef element(ElementContext& context) { return context.load(0, {}); }

}  // namespace

const OpDef& op_full() {
  static const OpDef def{.name = "full",
                         .op_class = OpClass::kIndexMap,
                         .attrs = {{"shape", AttrKind::kShape, true}},
                         .meaning = "the scalar v everywhere",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element,
                         .gradient = ops::pass_cotangent};
  return def;
}

}  // namespace cohort
