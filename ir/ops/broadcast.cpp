// broadcast(x) {shape}: NumPy's broadcast_to.
#include "ir/ops/gradients.h"
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  const Shape& shape = ops::check_shape(context, "shape");
  const Type& x = context.inputs[0];
  if (broadcast(x.shape, shape) != shape) {
    fail(DiagId::kShapeMismatch, context.op.name, to_string(x.shape, context.dims),
         to_string(shape, context.dims));
  }
  return {{x.dtype, shape}};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  ops::copy_elements(context.inputs[0], ops::broadcast_layout(context.inputs[0].extents(), result.extents()),
                     result, ops::layout_of(result.extents()));
}

kernel::ExprRef element(ElementContext& context) { return context.load_broadcast(0, context.index); }

}  // namespace

const OpDef& op_broadcast() {
  static const OpDef def{.name = "broadcast",
                         .op_class = OpClass::kIndexMap,
                         .attrs = {{"shape", AttrKind::kShape, true}},
                         .meaning = "x repeated along axes of extent 1 and new leading ones",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element,
                         .gradient = ops::pass_cotangent};
  return def;
}

}  // namespace cohort
