#include "ir/ops/cumulative.h"

namespace cohort {

using namespace kernel;

namespace {

Reduction cumulative_axis(const Attrs& attrs, int rank) {
  const std::int64_t axis = attr_or<std::int64_t>(attrs, "axis", 0);
  return reduction_along(static_cast<int>(axis < 0 ? axis + rank : axis), rank, true);
}

}  // namespace

std::vector<Type> infer_cumulative(const InferContext& context) {
  const Type& x = context.inputs[0];
  (void)normalized_axis(context, attr_or<std::int64_t>(context.attrs, "axis", 0), x.rank());
  return {{infer_sum_dtype(context), x.shape}};
}

namespace {

template <typename T>
void accumulate_along(const Tensor& x, const ReductionOffsets& offsets, bool product, Tensor& result) {
  const T* in = x.as<T>();
  T* out = result.mutable_as<T>();
  for (const std::int64_t start : offsets.kept) {
    T running = product ? T(1) : T(0);
    for (const std::int64_t offset : offsets.reduced) {
      running = product ? running * in[start + offset] : running + in[start + offset];
      out[start + offset] = running;
    }
  }
}

}  // namespace

void evaluate_cumulative(EvalContext& context, bool product) {
  const Tensor& input = context.inputs[0];
  const ReductionOffsets offsets = offsets_of(input.extents(), cumulative_axis(context.attrs, input.rank()));
  const DType dtype = context.result_types[0].dtype;
  // Wrapping modulo 2^64 is right for every narrower integer.
  const DType computed = is_float(dtype) ? arithmetic_dtype(dtype) : DType::kU64;
  const Tensor x = converted(converted(input, dtype), computed);
  Tensor result(computed, input.extents());
  if (computed == DType::kF64)
    accumulate_along<double>(x, offsets, product, result);
  else if (computed == DType::kF32)
    accumulate_along<float>(x, offsets, product, result);
  else
    accumulate_along<std::uint64_t>(x, offsets, product, result);
  context.results[0] = converted(result, dtype);
}

void cumulative_loops(LoopContext& context, bool product) {
  const Type& x = context.input_type(0);
  const Reduction along = cumulative_axis(context.attrs(), x.rank());
  const DType dtype = context.result_type().dtype, computed = arithmetic_dtype(dtype);
  const ScalarOp op = product ? ScalarOp::k_mul : ScalarOp::k_add;
  context.for_each(pick(x.shape, along.kept), [&](const IndexExprs& kept) {
    const ExprRef running = context.declare(constant(make_scalar_int(computed, product ? 1 : 0)));
    for_each_reduced(context, along, kept, [&](const IndexExprs& index, const ExprRef&) {
      const ExprRef value = converted(converted(context.load(0, index), dtype), computed);
      context.assign(running, apply(op, {running, value}));
      context.store(0, index, converted(running, dtype));
    });
  });
}

void cumsum_gradient(GradientContext& context) {
  const Type& x = context.input_type(0);
  const int axis = cumulative_axis(context.attrs(), x.rank()).reduced[0];
  context.add(0, ops::cast(ops::summed_from_end(context, context.cotangent(), axis), x.dtype));
}

// An element is a factor of every product from its own on: x_i receives the sum over k >= i of g_k y_k / x_i.
// For the first 0 on its way that is 0 / 0: it receives the sum of g_k times the products with a 1 in its
// place. What comes behind it receives nothing, later zeros too. Differentiated again this is right as long
// as at most one element is 0.
void cumprod_gradient(GradientContext& context) {
  using namespace symbols;
  const Type& type = context.input_type(0);
  const DType dtype = context.result_type().dtype;
  const int axis = cumulative_axis(context.attrs(), type.rank()).reduced[0];
  const Attrs along{{"axis", std::int64_t{axis}}};
  const Symbol x = ops::cast(context.input(), dtype), g = context.cotangent();
  const Symbol is_zero = x == 0.0;
  const Symbol is_first = is_zero && (context.emit("cumsum", {is_zero}, along) == 1.0);
  const Symbol others = context.emit("cumprod", {where(is_first, number_like(x, 1), x)}, along);
  const Symbol of_zero = where(is_first, ops::summed_from_end(context, g * others, axis), number_like(x, 0));
  const Symbol of_other = ops::summed_from_end(context, g * context.result(), axis) / x;
  context.add(0, ops::cast(where(is_zero, of_zero, of_other), type.dtype));
}

}  // namespace cohort
