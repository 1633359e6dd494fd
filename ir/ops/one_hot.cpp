// one_hot(i) {depth, dtype?}: a new last axis of extent `depth` that is 1 at the index i; an i outside gives
// zeros.
#include "ir/ops/list.h"
#include "ir/ops/support.h"

namespace cohort {

namespace {

std::vector<Type> infer(const InferContext& context) {
  const Type& i = context.inputs[0];
  if (!is_integer(i.dtype)) fail(DiagId::kWrongDType, context.op.name, dtype_name(i.dtype), 0);
  const std::int64_t depth = attr<std::int64_t>(context.attrs, "depth");
  if (depth < 0) ops::wrong_attribute(context, "depth", "is negative");
  Type result{attr_or(context.attrs, "dtype", DType::kF64), i.shape};
  result.shape.push_back(depth);
  return {result};
}

void evaluate(EvalContext& context) {
  Tensor& result = context.results[0];
  const std::int64_t depth = result.extents().back();
  const std::vector<std::int64_t> indices = ops::integers(context.inputs[0]);
  Tensor ones(DType::kBool, result.extents());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= depth) continue;
    ones.mutable_as<bool>()[static_cast<std::int64_t>(i) * depth + indices[i]] = true;
  }
  result = ops::cast_tensor(ones, result.dtype());
}

// u64 indices beyond 2^63 become negative and so match no position.
kernel::ExprRef element(ElementContext& context) {
  ops::Index leading(context.index.begin(), context.index.end() - 1);
  const kernel::ExprRef i = ops::cast_to(context.load(0, std::move(leading)), DType::kI64);
  return ops::cast_to(ops::compare(ScalarOp::k_eq, i, context.index.back()), context.result_type().dtype);
}

}  // namespace

const OpDef& op_one_hot() {
  static const OpDef def{
      .name = "one_hot",
      .op_class = OpClass::kIndexMap,
      .attrs = {{"depth", AttrKind::kInt, true}, {"dtype", AttrKind::kDType, false, DType::kF64}},
      .meaning = "1 at position i of a new last axis, 0 elsewhere",
      .infer = infer,
      .evaluate = evaluate,
      .element = element,
      .gradient = no_gradient};
  return def;
}

}  // namespace cohort
