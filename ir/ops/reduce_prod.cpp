// reduce_prod: starts from 1, in the order of ir/README.md.
#include "ir/ops/list.h"
#include "ir/ops/reduce_support.h"

namespace cohort {

namespace {

// The product of the other elements: the whole one divided by the element; for an element that is the only 0,
// the product of what is not. Differentiated again this is right as long as at most one element is 0.
void gradient(GradientContext& context) {
  using namespace symbols;
  const DType dtype = context.result_type().dtype;
  const Symbol x = ops::cast(context.input(), dtype);
  const Symbol g = with_reduced_axes(context, context.cotangent()),
               product = with_reduced_axes(context, context.result());
  const std::vector<int> axes = reduction_of(context.attrs(), x.type().rank()).reduced;
  const Symbol is_zero = x == 0.0;
  const Symbol zeros = ops::reduced(context, "reduce_sum", is_zero, axes, dtype);
  const Symbol rest = ops::reduced(context, "reduce_prod", where(is_zero, number_like(x, 1), x), axes, dtype);
  const Symbol of_zero = where(zeros == 1.0, rest, number_like(x, 0));
  const Symbol slope = where(is_zero, of_zero, product / x);
  context.add(0, ops::cast(g * slope, context.input_type(0).dtype));
}

}  // namespace

const OpDef& op_reduce_prod() {
  static const OpDef def{
      .name = "reduce_prod",
      .op_class = OpClass::kReduction,
      .attrs = {{"axes", AttrKind::kInts},
                {"dtype", AttrKind::kDType},
                {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "product over axes; of integers in i64 or u64",
      .infer = [](const InferContext& context) { return infer_arithmetic(context, Arithmetic::kProduct); },
      .evaluate = [](EvalContext& context) { evaluate_arithmetic(context, Arithmetic::kProduct); },
      .loops = [](LoopContext& context) { arithmetic_loops(context, Arithmetic::kProduct); },
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
