// sort: ascending along one axis, stable, NaN last.
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/sorting.h"

namespace cohort {

namespace {

void evaluate(EvalContext& context) {
  const Tensor& x = context.inputs[0];
  const AxisView view = view_along(x.extents(), sorted_axis(context.attrs, x.rank()));
  write_ordered(x, view, sorted_positions(x, view, false), view.n, &context.results[0], nullptr);
}

void loops(LoopContext& context) {
  const Type& x = context.input_type(0);
  context.call("rt_sort", {context.result_buffer(0)}, {context.input_buffer(0)},
               view_exprs(x.shape, sorted_axis(context.attrs(), x.rank())));
}

void gradient(GradientContext& context) {
  const Type& x = context.input_type(0);
  const auto axis = static_cast<int>(sorted_axis(context.attrs(), x.rank()));
  const Symbol order = context.emit("argsort", {context.input()}, {{"axis", std::int64_t{axis}}});
  context.add(0, ops::scattered_along(context, x, context.cotangent(), order, axis));
}

}  // namespace

const OpDef& op_sort() {
  static const OpDef def{
      .name = "sort",
      .op_class = OpClass::kOpaque,
      .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{-1}}},
      .meaning = "ascending along an axis, stable, NaN last",
      .infer = [](const InferContext& context) { return infer_sorted(context, context.inputs[0].dtype); },
      .evaluate = evaluate,
      .loops = loops,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
