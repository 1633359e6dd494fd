// slogdet(x): the sign of the determinant (0 of a singular matrix) and the logarithm of its size, -inf there.
// The logarithms of the pivots are added in order. Only the logarithm has a gradient, inv(x)'.
#include "ir/ops/list.h"
#include "ir/ops/matrices.h"

namespace cohort {

using namespace ops;
using namespace symbols;

namespace {

std::vector<Type> infer(const InferContext& context) {
  check_square(context, 0);
  const Type number{context.inputs[0].dtype, batch_of(context.inputs[0])};
  return {number, number};
}

MatrixCall described(const Attrs&, const std::vector<Type>& inputs) {
  return factored_call("rt_slogdet", inputs[0], {0, 0});
}

void gradient(GradientContext& context) {
  if (!context.has_cotangent(1)) return;
  const Symbol inverse = context.emit("inv", {context.input()});
  context.add(0, transposed(context, inverse) * as_matrices(context, context.cotangent(1)));
}

}  // namespace

const OpDef& op_slogdet() {
  static const OpDef def{
      .name = "slogdet",
      .op_class = OpClass::kOpaque,
      .meaning = "sign and logarithm of the determinant",
      .infer = infer,
      .evaluate = evaluate_described<described>,
      .loops = described_loops<described>,
      .casting = Casting::kFloat,
      .gradient = gradient,
      .ulp = 16,  // logarithms that may cancel
  };
  return def;
}

}  // namespace cohort
