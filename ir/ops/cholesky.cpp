// cholesky(x) {lower?}: the lower triangular l with l l' = x, zeros above; or the upper u with u' u = x. Only
// that triangle of x is read. Where x is not positive definite, the whole result is NaN.
#include "ir/ops/list.h"
#include "ir/ops/matrices.h"

namespace cohort {

using namespace ops;
using namespace symbols;

namespace {

bool is_lower(const Attrs& attrs) { return attr_or(attrs, "lower", true); }

std::vector<Type> infer(const InferContext& context) {
  check_square(context, 0);
  return {context.inputs[0]};
}

MatrixCall described(const Attrs& attrs, const std::vector<Type>& inputs) {
  return {.function = "rt_cholesky",
          .batch = batch_of(inputs[0]),
          .results = {2},
          .inputs = {2},
          .sizes = {extent_from_end(inputs[0], 0), is_lower(attrs)},
          .work = {}};
}

// With p = half_lower(l' dl), the gradient by a symmetric x is l'^-1 p l^-1 (Murray, "Differentiation of the
// Cholesky decomposition", 2016).
void gradient(GradientContext& context) {
  const bool lower = is_lower(context.attrs());
  const Symbol factor = context.result(), g = context.cotangent();
  const Symbol p = half_lower(
      context, lower ? product(context, factor, g, true) : product(context, factor, g, false, true));
  const Attrs solved{{"lower", lower}, {"transpose", lower}};
  const Symbol left = context.emit("solve_triangular", {factor, p}, solved);
  const Symbol both = context.emit("solve_triangular", {factor, transposed(context, left)}, solved);
  context.add(0, of_triangle(context, transposed(context, both), lower));
}

}  // namespace

const OpDef& op_cholesky() {
  static const OpDef def{
      .name = "cholesky",
      .op_class = OpClass::kOpaque,
      .attrs = {{"lower", AttrKind::kBool, false, true}},
      .meaning = "the triangular factor of a positive definite matrix, NaN where it is none",
      .infer = infer,
      .evaluate = evaluate_described<described>,
      .loops = described_loops<described>,
      .casting = Casting::kFloat,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
