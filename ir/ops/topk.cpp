// topk: the k greatest elements along one axis and their positions, greatest first; NaN is greatest, ties go
// by position.
#include "ir/diagnostics.h"
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/sorting.h"

namespace cohort {

using namespace kernel;

namespace {

std::vector<Type> infer(const InferContext& context) {
  Type values = infer_sorted(context, context.inputs[0].dtype)[0];
  Dim& dim = values.shape[sorted_axis(context.attrs, values.rank())];
  const auto k = attr<std::int64_t>(context.attrs, "k");
  if (k < 0) fail(DiagId::kWrongAttribute, context.op.name, "k", fmt::format("is {}", k));
  if (const std::int64_t least = min_extent(dim, context.dims); k > least) {
    fail(DiagId::kWrongAttribute, context.op.name, "k",
         fmt::format("is {}, but the axis may have only {} elements", k, least));
  }
  dim = k;
  Type indices{DType::kI64, values.shape};
  return {std::move(values), std::move(indices)};
}

void evaluate(EvalContext& context) {
  const Tensor& x = context.inputs[0];
  const AxisView view = view_along(x.extents(), sorted_axis(context.attrs, x.rank()));
  write_ordered(x, view, sorted_positions(x, view, true), attr<std::int64_t>(context.attrs, "k"),
                &context.results[0], &context.results[1]);
}

void loops(LoopContext& context) {
  const Type& x = context.input_type(0);
  std::vector<ExprRef> scalars = view_exprs(x.shape, sorted_axis(context.attrs(), x.rank()));
  scalars.push_back(constant_index(attr<std::int64_t>(context.attrs(), "k")));
  context.call("rt_topk", {context.result_buffer(0), context.result_buffer(1)}, {context.input_buffer(0)},
               std::move(scalars));
}

void gradient(GradientContext& context) {
  const Type& x = context.input_type(0);
  const auto axis = static_cast<int>(sorted_axis(context.attrs(), x.rank()));
  context.add(0, ops::scattered_along(context, x, context.cotangent(), context.result(1), axis));
}

}  // namespace

const OpDef& op_topk() {
  static const OpDef def{
      .name = "topk",
      .op_class = OpClass::kOpaque,
      .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{-1}}, {"k", AttrKind::kInt, true}},
      .meaning = "the k greatest along an axis and their positions, greatest first, NaN greatest",
      .infer = infer,
      .evaluate = evaluate,
      .loops = loops,
      .gradient = gradient,
  };
  return def;
}

}  // namespace cohort
