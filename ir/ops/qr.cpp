// qr(x): q[m, k] and r[k, n] with q r = x, k = min(m, n): q has orthonormal columns, r is upper triangular.
// By Householder reflections with LAPACK's signs: the diagonal of r may be negative.
#include "ir/ops/list.h"
#include "ir/ops/matrices.h"

namespace cohort {

using namespace ops;
using namespace symbols;

namespace {

std::vector<Type> infer(const InferContext& context) {
  check_matrix(context, 0);
  check_smaller(context, 0);
  const Type& x = context.inputs[0];
  const Dim k = smaller_extent(x);
  return {with_core(x, {extent_from_end(x, 1), k}), with_core(x, {k, extent_from_end(x, 0)})};
}

MatrixCall described(const Attrs&, const std::vector<Type>& inputs) {
  const Type& x = inputs[0];
  const Dim m = extent_from_end(x, 1), n = extent_from_end(x, 0);
  return {.function = "rt_qr",
          .batch = batch_of(x),
          .results = {2, 2},
          .inputs = {2},
          .sizes = {m, n},
          .work = {{x.dtype, {sum(m, 1), n}}}};
}

// With s = r dr' - dq' q, made symmetric from its lower triangle: (dq + q s) r'^-1 (Walter, Lehmann,
// "Algorithmic differentiation of linear algebra functions", 2010). A wide x has none.
void gradient(GradientContext& context) {
  const Type& type = context.input_type();
  if (extent_from_end(type, 0) != smaller_extent(type)) context.undefined(0);
  const Symbol q = context.result(0), r = context.result(1);
  const Symbol dq = context.cotangent(0), dr = masked(context, context.cotangent(1), "le");
  const Symbol s = product(context, r, dr, false, true) - product(context, dq, q, true);
  const Symbol symmetric = masked(context, s, "ge") + masked(context, transposed(context, s), "lt");
  const Symbol left = dq + product(context, q, symmetric);
  const Symbol solved = context.emit("solve_triangular", {r, transposed(context, left)}, {{"lower", false}});
  context.add(0, transposed(context, solved));
}

}  // namespace

const OpDef& op_qr() {
  static const OpDef def{
      .name = "qr",
      .op_class = OpClass::kOpaque,
      .meaning = "x = q r: orthonormal columns and an upper triangular matrix",
      .infer = infer,
      .evaluate = evaluate_described<described>,
      .loops = described_loops<described>,
      .casting = Casting::kFloat,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
