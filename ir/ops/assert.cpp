// assert: x, unless an element of c is false.
#include "ir/diagnostics.h"
#include "ir/ops/elements.h"
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/loop_support.h"

namespace cohort {

using namespace kernel;

namespace {

std::string message_of(const Attrs& attrs) { return attr_or<std::string>(attrs, "message", ""); }

void evaluate(EvalContext& context) {
  const Tensor truth = converted(context.inputs[1], DType::kBool);
  const auto* elements = truth.as<std::uint8_t>();
  for (std::int64_t i = 0; i < truth.size(); ++i)
    if (elements[i] == 0) fail(DiagId::kAssertFailed, message_of(context.attrs));
  context.results[0] = context.inputs[0];
}

void loops(LoopContext& context) {
  const Shape& shape = context.input_type(1).shape;
  ExprRef holds;
  if (shape.empty()) {
    holds = converted(context.load(1, {}), DType::kBool);
  } else {
    const ExprRef all = context.accumulator(ScalarOp::k_and, DType::kBool, false);
    context.for_each(shape, [&](const IndexExprs& index) {
      context.accumulate(all, converted(context.load(1, index), DType::kBool));
    });
    holds = context.finish(all);
  }
  append_assert(context, holds, message_of(context.attrs()));
  context.for_each(context.result_type().shape,
                   [&](const IndexExprs& index) { context.store(0, index, context.load(0, index)); });
}

}  // namespace

const OpDef& op_assert() {
  static const OpDef def{
      .name = "assert",
      .op_class = OpClass::kOpaque,
      .min_inputs = 2,
      .max_inputs = 2,
      .attrs = {{"message", AttrKind::kString, false, std::string()}},
      .meaning = "x; an error at run time unless all of c",
      .infer = [](const InferContext& context) -> std::vector<Type> { return {context.inputs[0]}; },
      .evaluate = evaluate,
      .loops = loops,
      .gradient = ops::pass_cotangent,
  };
  return def;
}

}  // namespace cohort
