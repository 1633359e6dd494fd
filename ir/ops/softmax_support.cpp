#include "ir/ops/softmax_support.h"

#include <limits>

namespace cohort {

using namespace kernel;

namespace {

Reduction softmax_axis(const Attrs& attrs, int rank) {
  const std::int64_t axis = attr_or<std::int64_t>(attrs, "axis", -1);
  return reduction_along(static_cast<int>(axis < 0 ? axis + rank : axis), rank, true);
}

void require_float(const InferContext& context) {
  const DType dtype = context.inputs[0].dtype;
  if (!is_float(dtype)) fail(DiagId::kWrongDType, context.op.name, dtype_name(dtype), 0);
}

template <typename T>
constexpr DType kDTypeOf = sizeof(T) == 4 ? DType::kF32 : DType::kF64;

// The operator's own function of every element, so that interpreter and constant folding agree.
template <typename T>
void map_in_place(ScalarOp op, T* values, std::size_t count) {
  const void* const operand = values;
  const std::int64_t stride = 1;
  if (count > 0)
    evaluate_array(op, kDTypeOf<T>, kDTypeOf<T>, static_cast<std::int64_t>(count), {&operand, 1},
                   {&stride, 1}, values);
}

// The greatest of the elements that go into result `k`; NaN if any is, -inf of none.
template <typename T>
T greatest(const T* from, const ReductionOffsets& offsets) {
  T best = -std::numeric_limits<T>::infinity();
  for (const std::int64_t offset : offsets.reduced)
    if (!is_nan(best) && !(from[offset] <= best)) best = from[offset];
  return best;
}

// exp(x - shift) of those elements, in order, and their sum.
template <typename T>
T shifted_exponentials(const T* from, const ReductionOffsets& offsets, T shift,
                       std::vector<T>& exponentials) {
  const std::size_t count = offsets.reduced.size();
  exponentials.resize(count);
  for (std::size_t r = 0; r < count; ++r) exponentials[r] = from[offsets.reduced[r]] - shift;
  map_in_place(ScalarOp::k_exp, exponentials.data(), count);
  std::size_t next = 0;
  return reduce_in_order<T>(
      offsets, T(0), [&](std::int64_t) { return exponentials[next++]; }, [](T a, T b) { return a + b; });
}

template <typename T>
void softmax(const Tensor& x, const ReductionOffsets& offsets, bool logarithm, Tensor& result) {
  std::vector<T> exponentials;
  T* out = result.mutable_as<T>();
  for (const std::int64_t start : offsets.kept) {
    const T* from = x.as<T>() + start;
    const T shift = greatest(from, offsets);
    T sum = shifted_exponentials(from, offsets, shift, exponentials);
    if (logarithm) map_in_place(ScalarOp::k_log, &sum, 1);
    for (std::size_t r = 0; r < offsets.reduced.size(); ++r) {
      const std::int64_t offset = offsets.reduced[r];
      out[start + offset] = logarithm ? (from[offset] - shift) - sum : exponentials[r] / sum;
    }
  }
}

template <typename T>
void logsumexp(const Tensor& x, const ReductionOffsets& offsets, Tensor& result) {
  std::vector<T> exponentials;
  T* out = result.mutable_as<T>();
  for (std::size_t k = 0; k < offsets.kept.size(); ++k) {
    const T* from = x.as<T>() + offsets.kept[k];
    const T best = greatest(from, offsets);
    // An infinite or NaN maximum is not subtracted: inf - inf would make a NaN of an infinite result.
    const T shift = std::isfinite(best) ? best : T(0);
    T sum = shifted_exponentials(from, offsets, shift, exponentials);
    map_in_place(ScalarOp::k_log, &sum, 1);
    out[k] = sum + shift;
  }
}

}  // namespace

std::vector<Type> infer_softmax(const InferContext& context) {
  require_float(context);
  const Type& x = context.inputs[0];
  (void)normalized_axis(context, attr_or<std::int64_t>(context.attrs, "axis", -1), x.rank());
  return {x};
}

void evaluate_softmax(EvalContext& context, bool logarithm) {
  const Tensor& input = context.inputs[0];
  const ReductionOffsets offsets = offsets_of(input.extents(), softmax_axis(context.attrs, input.rank()));
  const Tensor x = converted(input, arithmetic_dtype(input.dtype()));
  Tensor result(x.dtype(), input.extents());
  if (x.dtype() == DType::kF64)
    softmax<double>(x, offsets, logarithm, result);
  else
    softmax<float>(x, offsets, logarithm, result);
  context.results[0] = converted(result, input.dtype());
}

std::vector<Type> infer_logsumexp(const InferContext& context) {
  require_float(context);
  return {{context.inputs[0].dtype, reduced_shape(context.inputs[0].shape, infer_reduction(context))}};
}

void evaluate_logsumexp(EvalContext& context) {
  const Tensor& input = context.inputs[0];
  const ReductionOffsets offsets = offsets_of(input.extents(), reduction_of(context.attrs, input.rank()));
  const Tensor x = converted(input, arithmetic_dtype(input.dtype()));
  Tensor result(x.dtype(), context.result_extents(0));
  if (x.dtype() == DType::kF64)
    logsumexp<double>(x, offsets, result);
  else
    logsumexp<float>(x, offsets, result);
  context.results[0] = converted(result, input.dtype());
}

namespace {

struct SoftmaxLoops {
  LoopContext& context;
  Reduction along;
  DType computed;

  ExprRef element(const IndexExprs& index) const { return converted(context.load(0, index), computed); }
  ExprRef maximum(const IndexExprs& kept) const {
    return accumulated(context, along, kept, ScalarOp::k_max, computed,
                       [&](const IndexExprs& index) { return element(index); });
  }
  ExprRef exponential(const IndexExprs& index, const ExprRef& shift) const {
    return apply(ScalarOp::k_exp, {element(index) - shift});
  }
};

}  // namespace

void softmax_loops(LoopContext& context, bool logarithm) {
  const Type& x = context.input_type(0);
  const SoftmaxLoops loops{context, softmax_axis(context.attrs(), x.rank()), arithmetic_dtype(x.dtype)};
  // Exponentials are kept in the result between the passes, unless it would round them.
  const bool kept_in_result = !logarithm && loops.computed == x.dtype;
  context.for_each(pick(x.shape, loops.along.kept), [&](const IndexExprs& kept) {
    const ExprRef shift = loops.maximum(kept);
    ExprRef sum = accumulated(context, loops.along, kept, ScalarOp::k_add, loops.computed,
                              [&](const IndexExprs& index) {
                                ExprRef value = loops.exponential(index, shift);
                                if (!kept_in_result) return value;
                                value = context.let(std::move(value));
                                context.store(0, index, value);
                                return value;
                              });
    if (logarithm) sum = context.let(apply(ScalarOp::k_log, {sum}));
    for_each_reduced(context, loops.along, kept, [&](const IndexExprs& index, const ExprRef&) {
      ExprRef value;
      if (logarithm)
        value = (loops.element(index) - shift) - sum;
      else
        value =
            apply(ScalarOp::k_true_div,
                  {kept_in_result ? context.load_result(0, index) : loops.exponential(index, shift), sum});
      context.store(0, index, converted(value, x.dtype));
    });
  });
}

void logsumexp_loops(LoopContext& context) {
  const Type& x = context.input_type(0);
  const SoftmaxLoops loops{context, reduction_of(context.attrs(), x.rank()), arithmetic_dtype(x.dtype)};
  for_each_result(context, loops.along, [&](const IndexExprs& kept) {
    const ExprRef best = loops.maximum(kept);
    const ExprRef finite = apply(ScalarOp::k_isfinite, {best});
    const ExprRef shift = context.let(apply(ScalarOp::k_where, {finite, best, scalar(loops.computed, 0)}));
    const ExprRef sum = accumulated(context, loops.along, kept, ScalarOp::k_add, loops.computed,
                                    [&](const IndexExprs& index) { return loops.exponential(index, shift); });
    return converted(apply(ScalarOp::k_log, {sum}) + shift, x.dtype);
  });
}

void softmax_gradient(GradientContext& context, bool logarithm) {
  using namespace symbols;
  const Symbol g = context.cotangent(), r = context.result();
  const std::vector<int> axis = softmax_axis(context.attrs(), r.type().rank()).reduced;
  const auto sum = [&](const Symbol& x) {
    return ops::reduced(context, "reduce_sum", x, axis, r.type().dtype);
  };
  context.add(0, logarithm ? g - exp(r) * sum(g) : r * (g - sum(g * r)));
}

void logsumexp_gradient(GradientContext& context) {
  using namespace symbols;
  const Symbol g = with_reduced_axes(context, context.cotangent()),
               r = with_reduced_axes(context, context.result());
  const std::vector<int> axes = reduction_of(context.attrs(), context.input_type(0).rank()).reduced;
  // Far from 0 the result's rounding is a factor that all these have in common.
  const Symbol shares = exp(context.input() - r);
  const Symbol total = ops::reduced(context, "reduce_sum", shares, axes, r.type().dtype);
  context.add(0, g * (shares / total));
}

}  // namespace cohort
