#include "ir/ops/join.h"

namespace cohort::ops {

OpDef join_def() {
  OpDef def;
  def.op_class = OpClass::kOpaque;
  def.max_inputs = kAnyNumber;
  def.attrs = {{"axis", AttrKind::kInt, false, std::int64_t{0}}};
  def.casting = Casting::kPromote;
  return def;
}

void check_joined(const InferContext& context, std::size_t i, const Shape& compared) {
  const Type &first = context.inputs[0], &next = context.inputs[i];
  if (next.dtype != first.dtype) fail(DiagId::kWrongDType, context.op.name, dtype_name(next.dtype), i);
  if (compared != first.shape)
    fail(DiagId::kShapeMismatch, context.op.name, to_string(first.shape, context.dims),
         to_string(next.shape, context.dims));
}

void join_loops(LoopContext& context, const std::function<void(int i, Index& index)>& place) {
  for (int i = 0; i < context.input_count(); ++i) {
    context.for_each(context.input_type(i).shape, [&](Index index) {
      const ExprRef value = context.load(i, index);
      place(i, index);
      context.store(0, std::move(index), value);
    });
  }
}

}  // namespace cohort::ops
