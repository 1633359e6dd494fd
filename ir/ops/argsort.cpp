// argsort: the positions that sort along one axis, stable, NaN last.
#include "ir/ops/list.h"
#include "ir/ops/sorting.h"

namespace cohort {

namespace {

void evaluate(EvalContext& context) {
  const Tensor& x = context.inputs[0];
  const AxisView view = view_along(x.extents(), sorted_axis(context.attrs, x.rank()));
  write_ordered(x, view, sorted_positions(x, view, false), view.n, nullptr, &context.results[0]);
}

void loops(LoopContext& context) {
  const Type& x = context.input_type(0);
  context.call("rt_argsort", {context.result_buffer(0)}, {context.input_buffer(0)},
               view_exprs(x.shape, sorted_axis(context.attrs(), x.rank())));
}

}  // namespace

const OpDef& op_argsort() {
  static const OpDef def{
      .name = "argsort",
      .op_class = OpClass::kOpaque,
      .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{-1}}},
      .meaning = "positions that sort along an axis, stable, NaN last",
      .infer = [](const InferContext& context) { return infer_sorted(context, DType::kI64); },
      .evaluate = evaluate,
      .loops = loops,
      .gradient = no_gradient,
  };
  return def;
}

}  // namespace cohort
