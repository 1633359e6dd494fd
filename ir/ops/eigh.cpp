// eigh(x): the eigenvalues of a symmetric matrix, ascending, and its eigenvectors as orthonormal columns,
// whose signs are arbitrary. Only the lower triangle of x is read. By reduction to a tridiagonal matrix and
// implicit QL steps. NaN or infinities in x give NaN all over.
#include "ir/ops/list.h"
#include "ir/ops/matrices.h"

namespace cohort {

using namespace ops;
using namespace symbols;

namespace {

std::vector<Type> infer(const InferContext& context) {
  check_square(context, 0);
  const Type& x = context.inputs[0];
  Shape values = x.shape;
  values.pop_back();
  return {{x.dtype, std::move(values)}, x};
}

MatrixCall described(const Attrs&, const std::vector<Type>& inputs) {
  const Type& x = inputs[0];
  const Dim n = extent_from_end(x, 0);
  return {.function = "rt_eigh",
          .batch = batch_of(x),
          .results = {1, 2},
          .inputs = {2},
          .sizes = {n},
          .work = {{x.dtype, {sum(sum(n, n), 4), n}}}};
}

// v (dw + f . (v' dv)) v' with f[i, j] = 1 / (w[j] - w[i]), 0 on the diagonal: without dv it is defined where
// eigenvalues are equal, too.
void gradient(GradientContext& context) {
  const Symbol v = context.result(1);
  Symbol inner = scaled_columns(context, v, context.cotangent(0));
  if (context.has_cotangent(1)) {
    const Symbol f = reciprocal_differences(context, context.result(0));
    inner = inner + product(context, v, f * product(context, v, context.cotangent(1), true));
  }
  context.add(0, of_triangle(context, product(context, inner, v, false, true), true));
}

}  // namespace

const OpDef& op_eigh() {
  static const OpDef def{
      .name = "eigh",
      .op_class = OpClass::kOpaque,
      .meaning = "eigenvalues, ascending, and eigenvectors of a symmetric matrix",
      .infer = infer,
      .evaluate = evaluate_described<described>,
      .loops = described_loops<described>,
      .casting = Casting::kFloat,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
