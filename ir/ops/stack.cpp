// stack(x, ...) {axis?}: operands of equal shape along a new axis (default the first).
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  Type result = context.inputs[0];
  const int axis = ops::check_axis(context, 0, result.rank() + 1);
  for (std::size_t i = 1; i < context.inputs.size(); ++i) {
    const Type& next = context.inputs[i];
    if (next.dtype != result.dtype) fail(DiagId::kWrongDType, context.op.name, dtype_name(next.dtype), i);
    if (next.shape != result.shape) {
      fail(DiagId::kShapeMismatch, context.op.name, to_string(result.shape, context.dims),
           to_string(next.shape, context.dims));
    }
  }
  result.shape.insert(result.shape.begin() + axis, Dim(static_cast<std::int64_t>(context.inputs.size())));
  return {result};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  const std::ptrdiff_t axis = ops::axis_attr(context.attrs, 0, result.rank());
  ops::Layout place = ops::layout_of(result.extents());
  const std::vector<std::int64_t> starts = place.offsets[static_cast<std::size_t>(axis)];
  place.offsets.erase(place.offsets.begin() + axis);
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    place.base = starts[i];
    ops::copy_elements(context.inputs[i], ops::layout_of(context.inputs[i].extents()), result, place);
  }
}

void loops(LoopContext& context) {
  const int axis = ops::axis_attr(context.attrs(), 0, context.result_type().rank());
  for (int i = 0; i < context.input_count(); ++i) {
    context.for_each(context.input_type(i).shape, [&](ops::Index index) {
      const kernel::ExprRef value = context.load(i, index);
      index.insert(index.begin() + axis, kernel::constant_index(i));
      context.store(0, std::move(index), value);
    });
  }
}

}  // namespace

const OpDef& op_stack() {
  static const OpDef def{.name = "stack",
                         .op_class = OpClass::kOpaque,
                         .max_inputs = kAnyNumber,
                         .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{0}}},
                         .meaning = "the operands along a new axis",
                         .infer = infer,
                         .evaluate = evaluate,
                         .loops = loops,
                         .casting = Casting::kPromote};
  return def;
}

}  // namespace cohort
