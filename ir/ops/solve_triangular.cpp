// solve_triangular(a, b) {lower?, transpose?, unit_diagonal?}: x with a x = b, or a' x = b. Only one triangle
// of a is read, and with unit_diagonal not its diagonal. b is a vector if its rank is 1, else matrices. A
// zero on the diagonal divides as floats do.
#include "ir/ops/list.h"
#include "ir/ops/matrices.h"

namespace cohort {

using namespace ops;
using namespace symbols;

namespace {

bool flag(const Attrs& attrs, std::string_view name) { return attr_or(attrs, name, name == "lower"); }

MatrixCall described(const Attrs& attrs, const std::vector<Type>& inputs) {
  MatrixCall call = solution_call("rt_solve_triangular", inputs);
  for (const std::string_view name : {"lower", "transpose", "unit_diagonal"})
    call.sizes.push_back(flag(attrs, name));
  return call;
}

void gradient(GradientContext& context) {
  const Attrs& attrs = context.attrs();
  const bool vector = context.input_type(1).rank() == 1;
  const bool transpose = flag(attrs, "transpose"), unit = flag(attrs, "unit_diagonal");
  const auto column = [&](const Symbol& x) { return vector ? as_column(context, x) : x; };
  const Symbol g =
      context.emit("solve_triangular", {context.input(0), column(context.cotangent())},
                   {{"lower", flag(attrs, "lower")}, {"transpose", !transpose}, {"unit_diagonal", unit}});
  context.add(1, vector ? context.reshaped(g, context.result_type().shape) : g);
  if (!context.wants(0)) return;
  const Symbol x = column(context.result());
  const Symbol whole = transpose ? product(context, x, g, false, true) : product(context, g, x, false, true);
  const std::string_view part = flag(attrs, "lower") ? (unit ? "gt" : "ge") : (unit ? "lt" : "le");
  context.add(0, masked(context, -whole, part));
}

}  // namespace

const OpDef& op_solve_triangular() {
  static const OpDef def{
      .name = "solve_triangular",
      .op_class = OpClass::kOpaque,
      .min_inputs = 2,
      .max_inputs = 2,
      .attrs = {{"lower", AttrKind::kBool, false, true},
                {"transpose", AttrKind::kBool, false, false},
                {"unit_diagonal", AttrKind::kBool, false, false}},
      .meaning = "the solution of a system of equations whose matrix is triangular",
      .infer = infer_solution,
      .evaluate = evaluate_described<described>,
      .loops = described_loops<described>,
      .casting = Casting::kFloat,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
