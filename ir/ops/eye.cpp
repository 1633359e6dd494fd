// eye() {n, m?, k?, dtype?}: an n x m matrix (default square, f64) that is 1 where column = row + k and 0
// elsewhere.
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

Shape matrix_shape(const InferContext& context) {
  const std::int64_t n = attr<std::int64_t>(context.attrs, "n");
  const std::int64_t m = attr_or(context.attrs, "m", n);
  if (n < 0) ops::wrong_attribute(context, "n", "is negative");
  if (m < 0) ops::wrong_attribute(context, "m", "is negative");
  return {n, m};
}

std::vector<Type> infer(const InferContext& context) {
  return {{attr_or(context.attrs, "dtype", DType::kF64), matrix_shape(context)}};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  const std::int64_t k = attr_or<std::int64_t>(context.attrs, "k", 0);
  const std::int64_t rows = result.extents()[0], columns = result.extents()[1];
  Tensor ones(DType::kBool, result.extents());
  bool* at = ones.mutable_as<bool>();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) at[i * columns + j] = j - i == k;
  }
  result = ops::cast_tensor(ones, result.dtype());
}

kernel::ExprRef element(ElementContext& context) {
  const kernel::ExprRef k = kernel::constant_index(attr_or<std::int64_t>(context.attrs(), "k", 0));
  const kernel::ExprRef is_one = ops::compare(ScalarOp::k_eq, context.index[1] - context.index[0], k);
  return ops::cast_to(is_one, context.result_type().dtype);
}

}  // namespace

const OpDef& op_eye() {
  static const OpDef def{.name = "eye",
                         .op_class = OpClass::kIndexMap,
                         .min_inputs = 0,
                         .max_inputs = 0,
                         .attrs = {{"dtype", AttrKind::kDType, false, DType::kF64},
                                   {"k", AttrKind::kInt, false, std::int64_t{0}},
                                   {"m", AttrKind::kInt},
                                   {"n", AttrKind::kInt, true}},
                         .meaning = "ones on the k-th diagonal, zeros elsewhere",
                         .infer = infer,
                         .evaluate = evaluate,
                         .element = element};
  return def;
}

}  // namespace cohort
