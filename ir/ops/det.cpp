// det(x): the determinant, by LU with partial pivoting; 1 of an empty matrix. Its gradient is det inv(x)',
// NaN where x is singular.
#include "ir/ops/list.h"
#include "ir/ops/matrices.h"

namespace cohort {

using namespace ops;
using namespace symbols;

namespace {

std::vector<Type> infer(const InferContext& context) {
  check_square(context, 0);
  return {{context.inputs[0].dtype, batch_of(context.inputs[0])}};
}

MatrixCall described(const Attrs&, const std::vector<Type>& inputs) {
  return factored_call("rt_det", inputs[0], {0});
}

void gradient(GradientContext& context) {
  const Symbol inverse = context.emit("inv", {context.input()});
  const Symbol scale = as_matrices(context, context.result() * context.cotangent());
  context.add(0, transposed(context, inverse) * scale);
}

}  // namespace

const OpDef& op_det() {
  static const OpDef def{
      .name = "det",
      .op_class = OpClass::kOpaque,
      .meaning = "the determinant",
      .infer = infer,
      .evaluate = evaluate_described<described>,
      .loops = described_loops<described>,
      .casting = Casting::kFloat,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
