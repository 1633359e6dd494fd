// solve(a, b) {assume?}: x with a x = b. `general` solves by LU with partial pivoting (a singular a divides
// by zero as floats do), `positive` by Cholesky: then only the lower triangle of a is read, and x is NaN
// where a is not positive definite. b is a vector if its rank is 1, else matrices.
#include "ir/ops/list.h"
#include "ir/ops/matrices.h"

namespace cohort {

using namespace ops;
using namespace symbols;

namespace {

bool is_positive(const Attrs& attrs) {
  return attr_or<std::string>(attrs, "assume", "general") == "positive";
}

std::vector<Type> infer(const InferContext& context) {
  const auto assume = attr_or<std::string>(context.attrs, "assume", "general");
  if (assume != "general" && assume != "positive")
    wrong_attribute(context, "assume", "is neither `general` nor `positive`");
  return infer_solution(context);
}

MatrixCall described(const Attrs& attrs, const std::vector<Type>& inputs) {
  MatrixCall call = solution_call("rt_solve", inputs);
  const Dim n = call.sizes[0];
  call.sizes.push_back(is_positive(attrs));
  call.work = {{inputs[0].dtype, {n, n}}, {DType::kI64, {n}}};
  return call;
}

void gradient(GradientContext& context) {
  const bool vector = context.input_type(1).rank() == 1, positive = is_positive(context.attrs());
  const auto column = [&](const Symbol& x) { return vector ? as_column(context, x) : x; };
  const Symbol a = positive ? context.input(0) : transposed(context, context.input(0));
  const Symbol g = context.emit("solve", {a, column(context.cotangent())}, context.attrs());
  context.add(1, vector ? context.reshaped(g, context.result_type().shape) : g);
  if (!context.wants(0)) return;
  const Symbol whole = -product(context, g, column(context.result()), false, true);
  context.add(0, positive ? of_triangle(context, whole, true) : whole);
}

}  // namespace

const OpDef& op_solve() {
  static const OpDef def{
      .name = "solve",
      .op_class = OpClass::kOpaque,
      .min_inputs = 2,
      .max_inputs = 2,
      .attrs = {{"assume", AttrKind::kString, false, std::string("general")}},
      .meaning = "the solution of a system of equations",
      .infer = infer,
      .evaluate = evaluate_described<described>,
      .loops = described_loops<described>,
      .casting = Casting::kFloat,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
