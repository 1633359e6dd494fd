// stop_gradient(x): x, through which no gradient passes.
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) { return {context.inputs[0]}; }
void evaluate(EvalContext& context) { context.results[0] = context.inputs[0]; }
kernel::ExprRef element(ElementContext& context) { return context.load(0, context.index); }

}  // namespace

const OpDef& op_stop_gradient() {
  static const OpDef def{.name = "stop_gradient",
                         .op_class = OpClass::kIndexMap,
                         .meaning = "x, which counts as constant where the result is differentiated",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element,
                         .gradient = no_gradient};
  return def;
}

}  // namespace cohort
