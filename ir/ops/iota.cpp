// iota() {shape, axis?, dtype?}: the index along `axis` (default 0), by default as i64.
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  const Shape& shape = ops::check_shape(context, "shape");
  ops::check_axis(context, 0, static_cast<int>(shape.size()));
  return {{attr_or(context.attrs, "dtype", DType::kI64), shape}};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  const std::size_t axis = static_cast<std::size_t>(ops::axis_attr(context.attrs, 0, result.rank()));
  Tensor indices(DType::kI64, {result.extents()[axis]});
  for (std::int64_t i = 0; i < indices.size(); ++i) indices.mutable_as<std::int64_t>()[i] = i;
  const Tensor values = ops::cast_tensor(indices, result.dtype());
  ops::Layout source;
  for (std::int64_t extent : result.extents())
    source.offsets.emplace_back(static_cast<std::size_t>(extent), 0);
  source.offsets[axis] = ops::layout_of(values.extents()).offsets[0];
  ops::copy_elements(values, source, result, ops::layout_of(result.extents()));
}

kernel::ExprRef element(ElementContext& context) {
  const int axis = ops::axis_attr(context.attrs(), 0, context.result_type().rank());
  return ops::cast_to(context.index[static_cast<std::size_t>(axis)], context.result_type().dtype);
}

}  // namespace

const OpDef& op_iota() {
  static const OpDef def{.name = "iota",
                         .op_class = OpClass::kIndexMap,
                         .min_inputs = 0,
                         .max_inputs = 0,
                         .attrs = {{"axis", AttrKind::kInt, false, std::int64_t{0}},
                                   {"dtype", AttrKind::kDType, false, DType::kI64},
                                   {"shape", AttrKind::kShape, true}},
                         .meaning = "the index along one axis",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element,
                         .gradient = no_gradient};
  return def;
}

}  // namespace cohort
