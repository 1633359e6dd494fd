// svd(x): u[m, k], s[k] and vt[k, n] with u diag(s) vt = x, k = min(m, n): u has orthonormal columns, vt
// orthonormal rows, s is descending; signs of the vectors are arbitrary. By one-sided Jacobi rotations, so
// that small singular values are as exact as x's columns (of a wide x its rows) allow. NaN or infinities in x
// give NaN all over.
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
  Shape values = batch_of(x);
  values.push_back(k);
  return {with_core(x, {extent_from_end(x, 1), k}),
          {x.dtype, std::move(values)},
          with_core(x, {k, extent_from_end(x, 0)})};
}

MatrixCall described(const Attrs&, const std::vector<Type>& inputs) {
  const Type& x = inputs[0];
  const Dim m = extent_from_end(x, 1), n = extent_from_end(x, 0), k = smaller_extent(x);
  const Dim size = k == n ? m : n;
  return {.function = "rt_svd",
          .batch = batch_of(x),
          .results = {2, 1, 2},
          .inputs = {2},
          .sizes = {m, n},
          .work = {{x.dtype, {sum(sum(size, size), sum(k, 1)), k}}}};
}

// u (diag(ds) + (f . (u' du - du' u)) diag(s) + diag(s) (f . (v' dv - dv' v))) v' and, off the spaces that u
// and v span, (1 - u u') du diag(1 / s) v' + u diag(1 / s) dv' (1 - v v'); f[i, j] = 1 / (s[j]^2 - s[i]^2), 0
// on the diagonal (Townsend, "Differentiating the singular value decomposition", 2016).
void gradient(GradientContext& context) {
  const Symbol u = context.result(0), s = context.result(1), vt = context.result(2);
  const bool moves_u = context.has_cotangent(0), moves_v = context.has_cotangent(2);
  Symbol left = scaled_columns(context, u, context.cotangent(1));  // times vt
  if (!moves_u && !moves_v) return context.add(0, product(context, left, vt));
  const Symbol f = reciprocal_differences(context, square(s)), inverse = reciprocal(s);
  if (moves_u) {
    const Symbol du = context.cotangent(0), turn = product(context, u, du, true);
    const Symbol inner = f * (turn - transposed(context, turn));
    left = left + scaled_columns(context, product(context, u, inner), s);
    left = left + scaled_columns(context, du - product(context, u, turn), inverse);
  }
  Symbol total = product(context, left, vt);
  if (moves_v) {
    const Symbol dvt = context.cotangent(2), turn = product(context, vt, dvt, false, true);
    const Symbol inner = f * (turn - transposed(context, turn));
    total = total + product(context, scaled_columns(context, u, s), product(context, inner, vt));
    // vt dvt' is turn, so dvt vt' is its transpose.
    const Symbol outside = dvt - product(context, turn, vt, true);
    total = total + product(context, scaled_columns(context, u, inverse), outside);
  }
  context.add(0, total);
}

}  // namespace

const OpDef& op_svd() {
  static const OpDef def{
      .name = "svd",
      .op_class = OpClass::kOpaque,
      .meaning = "x = u diag(s) vt: singular values, descending, and vectors",
      .infer = infer,
      .evaluate = evaluate_described<described>,
      .loops = described_loops<described>,
      .casting = Casting::kFloat,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
