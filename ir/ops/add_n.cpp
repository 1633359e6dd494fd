// add_n(x, ...): the operands added one after the other from the left. What a long chain of adds becomes, so
// that alike operands can be summed in a loop.
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"
#include "ir/scalar_op.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  for (std::size_t i = 1; i < context.inputs.size(); ++i) {
    if (context.inputs[i].shape != context.inputs[0].shape) {
      fail(DiagId::kShapeMismatch, context.op.name, to_string(context.inputs[0].shape, context.dims),
           to_string(context.inputs[i].shape, context.dims));
    }
    if (context.inputs[i].dtype != context.inputs[0].dtype)
      fail(DiagId::kWrongDType, context.op.name, dtype_name(context.inputs[i].dtype), i);
  }
  return {context.inputs[0]};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  const DType dtype = result.dtype();
  const auto width = static_cast<std::size_t>(dtype_bytes(dtype));
  for (std::size_t at = 0; at < static_cast<std::size_t>(result.size()) * width; at += width) {
    const auto element = [&](const Tensor& input) {
      Scalar scalar{dtype, 0};
      std::memcpy(&scalar.bits, input.data() + at, width);
      return scalar;
    };
    Scalar sum = element(context.inputs[0]);
    for (std::size_t i = 1; i < context.inputs.size(); ++i) {
      const std::array<Scalar, 2> operands{sum, element(context.inputs[i])};
      sum = evaluate_scalar(ScalarOp::k_add, operands, dtype);
    }
    std::memcpy(result.mutable_data() + at, &sum.bits, width);
  }
}

void loops(LoopContext& context) {
  context.for_each(context.result_type().shape, [&](ops::Index index) {
    const kernel::ExprRef sum = context.declare(context.load(0, index));
    for (int i = 1; i < context.input_count(); ++i) context.assign(sum, sum + context.load(i, index));
    context.store(0, std::move(index), sum);
  });
}

void gradient(GradientContext& context) {
  for (int i = 0; i < context.input_count(); ++i) context.add(i, context.cotangent());
}

}  // namespace

const OpDef& op_add_n() {
  static const OpDef def{.name = "add_n",
                         .op_class = OpClass::kOpaque,
                         .max_inputs = kAnyNumber,
                         .meaning = "the operands, of one shape, added one after the other from the left",
                         .infer = infer,
                         .evaluate = evaluate,
                         .loops = loops,
                         .casting = Casting::kPromote,
                         .gradient = gradient,
                         .flops = [](const InferContext& context, std::int64_t results) {
                           return static_cast<std::int64_t>(context.inputs.size() - 1) * results;
                         }};
  return def;
}

}  // namespace cohort
