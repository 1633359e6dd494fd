// reduce_mean: the sum, divided by the number of elements as a float.
#include "ir/ops/list.h"
#include "ir/ops/reduce_support.h"

namespace cohort {

namespace {

void gradient(GradientContext& context) {
  using symbols::operator/;
  const Type& x = context.input_type(0);
  // A count may be too large for halves.
  const DType computed = arithmetic_dtype(context.result_type().dtype);
  const Shape reduced = pick(x.shape, reduction_of(context.attrs(), x.rank()).reduced);
  const Symbol share =
      ops::cast(context.cotangent(), computed) / ops::element_count(context, reduced, computed);
  const Symbol g = with_reduced_axes(context, ops::cast(share, x.dtype));
  context.add(0, context.broadcasted(g, x.shape));
}

}  // namespace

const OpDef& op_reduce_mean() {
  static const OpDef def{
      .name = "reduce_mean",
      .op_class = OpClass::kReduction,
      .attrs = {{"axes", AttrKind::kInts},
                {"dtype", AttrKind::kDType},
                {"keepdims", AttrKind::kBool, false, false}},
      .meaning = "mean over axes; of integers in f64, NaN of nothing",
      .infer = [](const InferContext& context) { return infer_arithmetic(context, Arithmetic::kMean); },
      .evaluate = [](EvalContext& context) { evaluate_arithmetic(context, Arithmetic::kMean); },
      .loops = [](LoopContext& context) { arithmetic_loops(context, Arithmetic::kMean); },
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
