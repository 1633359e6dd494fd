// size() {shape}: how many elements an array of this shape has, as i64; a shape may name dims, so this is how
// a graph computes with their values.
#include "ir/ops/list.h"
#include "ir/ops/loop_support.h"
#include "ir/ops/support.h"
#include "ir/type_errors.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  const Shape& shape = ops::check_shape(context, "shape");
  if (!checked_max_bytes({DType::kBool, shape}, context.dims))
    fail(DiagId::kTensorTooLarge, context.op.name, to_string(shape, context.dims));
  return {{DType::kI64, {}}};
}

void evaluate(EvalContext& context) {
  const Extents extents = evaluate(attr<Shape>(context.attrs, "shape"), context.dims);
  context.results[0] = scalar_tensor_int(DType::kI64, element_count(extents));
}

kernel::ExprRef element(ElementContext& context) {
  return element_count_expr(attr<Shape>(context.attrs(), "shape"));
}

}  // namespace

const OpDef& op_size() {
  static const OpDef def{.name = "size",
                         .op_class = OpClass::kIndexMap,
                         .min_inputs = 0,
                         .max_inputs = 0,
                         .attrs = {{"shape", AttrKind::kShape, true}},
                         .meaning = "how many elements an array of this shape has",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element,
                         .gradient = no_gradient};
  return def;
}

}  // namespace cohort
