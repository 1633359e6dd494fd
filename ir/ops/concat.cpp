// concat(x, ...) {axis?}: the operands one after the other along `axis` (default 0).
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  Type result = context.inputs[0];
  const std::size_t axis = static_cast<std::size_t>(ops::check_axis(context, 0, result.rank()));
  for (std::size_t i = 1; i < context.inputs.size(); ++i) {
    Type next = context.inputs[i];
    if (next.dtype != result.dtype) fail(DiagId::kWrongDType, context.op.name, dtype_name(next.dtype), i);
    const bool same_rank = next.rank() == result.rank();
    const Dim total =
        same_rank ? ops::add_extents(context, axis, result.shape[axis], next.shape[axis]) : Dim();
    if (same_rank) next.shape[axis] = result.shape[axis];
    if (next.shape != result.shape) {
      fail(DiagId::kShapeMismatch, context.op.name, to_string(context.inputs[0].shape, context.dims),
           to_string(context.inputs[i].shape, context.dims));
    }
    result.shape[axis] = total;
  }
  return {result};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  const std::size_t axis = static_cast<std::size_t>(ops::axis_attr(context.attrs, 0, result.rank()));
  const ops::Layout whole = ops::layout_of(result.extents());
  std::ptrdiff_t start = 0;
  for (const Tensor& input : context.inputs) {
    ops::Layout part = whole;
    const auto begin = whole.offsets[axis].begin() + start;
    start += input.extents()[axis];
    part.offsets[axis].assign(begin, whole.offsets[axis].begin() + start);
    ops::copy_elements(input, ops::layout_of(input.extents()), result, part);
  }
}

void loops(LoopContext& context) {
  const int axis = ops::axis_attr(context.attrs(), 0, context.result_type().rank());
  Dim start = 0;
  for (int i = 0; i < context.input_count(); ++i) {
    context.for_each(context.input_type(i).shape, [&](ops::Index index) {
      const kernel::ExprRef value = context.load(i, index);
      kernel::ExprRef& along = index[static_cast<std::size_t>(axis)];
      along = along + kernel::extent(start);
      context.store(0, std::move(index), value);
    });
    start = ops::sum(start, context.input_type(i).shape[static_cast<std::size_t>(axis)]);
  }
}

}  // namespace

const OpDef& op_concat() {
  static const OpDef def{.name = "concat",
                         .op_class = OpClass::kOpaque,
                         .max_inputs = kAnyNumber,
                         .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{0}}},
                         .meaning = "the operands one after the other along an axis",
                         .infer = infer,
                         .evaluate = evaluate,
                         .loops = loops,
                         .casting = Casting::kPromote};
  return def;
}

}  // namespace cohort
