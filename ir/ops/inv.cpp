// inv(x): the inverse, by LU with partial pivoting. A singular x divides by zero as floats do.
#include "ir/ops/list.h"
#include "ir/ops/matrices.h"

namespace cohort {

using namespace ops;
using namespace symbols;

namespace {

std::vector<Type> infer(const InferContext& context) {
  check_square(context, 0);
  return {context.inputs[0]};
}

MatrixCall described(const Attrs&, const std::vector<Type>& inputs) {
  return factored_call("rt_inv", inputs[0], {2});
}

void gradient(GradientContext& context) {
  const Symbol inverse = context.result();
  const Symbol right = product(context, context.cotangent(), inverse, false, true);
  context.add(0, -product(context, inverse, right, true));
}

}  // namespace

const OpDef& op_inv() {
  static const OpDef def{
      .name = "inv",
      .op_class = OpClass::kOpaque,
      .meaning = "the inverse of a matrix",
      .infer = infer,
      .evaluate = evaluate_described<described>,
      .loops = described_loops<described>,
      .casting = Casting::kFloat,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
