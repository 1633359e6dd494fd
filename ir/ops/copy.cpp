// copy(x): x.
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) { return {context.inputs[0]}; }
void evaluate(EvalContext& context) { context.results[0] = context.inputs[0]; }
kernel::ExprRef element(ElementContext& context) { return context.load(0, context.index); }

}  // namespace

const OpDef& op_copy() {
  static const OpDef def{.name = "copy",
                         .op_class = OpClass::kIndexMap,
                         .meaning = "x",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element,
                         .gradient = ops::pass_cotangent};
  return def;
}

}  // namespace cohort
