#include "ir/ops/band.h"

namespace cohort::ops {

std::vector<AttrSpec> band_attrs() {
  return {{"dtype", AttrKind::kDType, false, DType::kF64},
          {"k", AttrKind::kInt, false, std::int64_t{0}},
          {"m", AttrKind::kInt},
          {"n", AttrKind::kInt, true}};
}

std::vector<Type> infer_band(const InferContext& context) {
  const std::int64_t n = attr<std::int64_t>(context.attrs, "n");
  const std::int64_t m = attr_or(context.attrs, "m", n);
  if (n < 0) wrong_attribute(context, "n", "is negative");
  if (m < 0) wrong_attribute(context, "m", "is negative");
  return {{attr_or(context.attrs, "dtype", DType::kF64), {n, m}}};
}

void evaluate_band(EvalContext& context, ScalarOp comparison) {
  Tensor& result = context.results[0];
  const std::int64_t k = attr_or<std::int64_t>(context.attrs, "k", 0);
  const std::int64_t rows = result.extents()[0], columns = result.extents()[1];
  Tensor ones(DType::kBool, result.extents());
  bool* at = ones.mutable_as<bool>();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j)
      at[i * columns + j] = comparison == ScalarOp::k_eq ? j - i == k : j - i <= k;
  }
  result = cast_tensor(ones, result.dtype());
}

ExprRef band_element(ElementContext& context, ScalarOp comparison) {
  const ExprRef k = kernel::constant_index(attr_or<std::int64_t>(context.attrs(), "k", 0));
  const ExprRef is_one = compare(comparison, context.index[1] - context.index[0], k);
  return cast_to(is_one, context.result_type().dtype);
}

}  // namespace cohort::ops
