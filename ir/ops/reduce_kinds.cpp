// The four kinds of reduction: arithmetic, extrema, logic, and positions of extrema.
#include <limits>

#include "ir/ops/reduce_support.h"

namespace cohort {

using namespace kernel;

DType sum_dtype(DType dtype) {
  if (is_float(dtype)) return dtype;
  return is_unsigned_int(dtype) ? DType::kU64 : DType::kI64;
}

DType infer_sum_dtype(const InferContext& context) {
  const DType dtype = attr_or(context.attrs, "dtype", sum_dtype(context.inputs[0].dtype));
  if (dtype == DType::kBool)
    fail(DiagId::kWrongAttribute, context.op.name, "dtype", "is no dtype of numbers");
  return dtype;
}

std::vector<Type> infer_arithmetic(const InferContext& context, Arithmetic kind) {
  const Type& x = context.inputs[0];
  const Reduction reduction = infer_reduction(context);
  DType dtype = infer_sum_dtype(context);
  if (kind == Arithmetic::kMean) {
    dtype = attr_or(context.attrs, "dtype", is_float(x.dtype) ? x.dtype : DType::kF64);
    if (!is_float(dtype)) fail(DiagId::kWrongAttribute, context.op.name, "dtype", "is no dtype of floats");
  }
  return {{dtype, reduced_shape(x.shape, reduction)}};
}

namespace {

template <typename T>
void reduce_arithmetic(const Tensor& x, const ReductionOffsets& offsets, Arithmetic kind, T* result) {
  const T* elements = x.as<T>();
  for (std::size_t k = 0; k < offsets.kept.size(); ++k) {
    const T* from = elements + offsets.kept[k];
    const auto element = [&](std::int64_t offset) { return from[offset]; };
    if (kind == Arithmetic::kProduct) {
      result[k] = reduce_in_order<T>(offsets, T(1), element, [](T a, T b) { return a * b; });
      continue;
    }
    const T sum = reduce_in_order<T>(offsets, T(0), element, [](T a, T b) { return a + b; });
    if constexpr (std::is_floating_point_v<T>)
      result[k] = kind == Arithmetic::kMean ? sum / static_cast<T>(offsets.reduced.size()) : sum;
    else
      result[k] = sum;
  }
}

}  // namespace

void evaluate_arithmetic(EvalContext& context, Arithmetic kind) {
  const Tensor& input = context.inputs[0];
  const ReductionOffsets offsets = offsets_of(input.extents(), reduction_of(context.attrs, input.rank()));
  const DType dtype = context.result_types[0].dtype;
  // Wrapping sums and products modulo 2^64 are those of every narrower integer.
  const DType computed = is_float(dtype) ? arithmetic_dtype(dtype) : DType::kU64;
  const Tensor x = converted(converted(input, dtype), computed);
  Tensor result(computed, context.result_extents(0));
  if (computed == DType::kF64)
    reduce_arithmetic(x, offsets, kind, result.mutable_as<double>());
  else if (computed == DType::kF32)
    reduce_arithmetic(x, offsets, kind, result.mutable_as<float>());
  else
    reduce_arithmetic(x, offsets, kind, result.mutable_as<std::uint64_t>());
  context.results[0] = converted(result, dtype);
}

void arithmetic_loops(LoopContext& context, Arithmetic kind) {
  const Type& x = context.input_type(0);
  const Reduction reduction = reduction_of(context.attrs(), x.rank());
  const DType dtype = context.result_type().dtype, computed = arithmetic_dtype(dtype);
  const ScalarOp op = kind == Arithmetic::kProduct ? ScalarOp::k_mul : ScalarOp::k_add;
  for_each_result(context, reduction, [&](const IndexExprs& kept) {
    ExprRef total = accumulated(context, reduction, kept, op, computed, [&](const IndexExprs& index) {
      return converted(converted(context.load(0, index), dtype), computed);
    });
    if (kind == Arithmetic::kMean) {
      const ExprRef count = element_count_expr(pick(x.shape, reduction.reduced));
      total = apply(ScalarOp::k_true_div, {total, converted(count, computed)});
    }
    return converted(total, dtype);
  });
}

std::vector<Type> infer_extremum(const InferContext& context) {
  const Reduction reduction = infer_reduction(context);
  refuse_empty(context, reduction);
  return {{context.inputs[0].dtype, reduced_shape(context.inputs[0].shape, reduction)}};
}

namespace {

// Of zeros the greater is +0, so that the order of elements does not matter.
template <typename T>
T extremum(T a, T b, bool greatest) {
  if (is_nan(a) || is_nan(b)) return is_nan(a) ? a : b;
  if constexpr (std::is_floating_point_v<T>)
    if (a == b) return std::signbit(a) == greatest ? b : a;
  return (a < b) == greatest ? b : a;
}

}  // namespace

void evaluate_extremum(EvalContext& context, bool greatest) {
  const Tensor& input = context.inputs[0];
  const Reduction reduction = reduction_of(context.attrs, input.rank());
  refuse_empty(context, reduction);
  const ReductionOffsets offsets = offsets_of(input.extents(), reduction);
  const Tensor x = widened(input);
  Tensor result(x.dtype(), context.result_extents(0));
  visit_wide(x, [&](const auto* elements) {
    using T = std::remove_cvref_t<decltype(*elements)>;
    T* out = result.mutable_as<T>();
    for (std::size_t k = 0; k < offsets.kept.size(); ++k) {
      T best = elements[offsets.kept[k] + offsets.reduced[0]];
      for (const std::int64_t offset : offsets.reduced)
        best = extremum(best, elements[offsets.kept[k] + offset], greatest);
      out[k] = best;
    }
  });
  context.results[0] = converted(result, input.dtype());
}

void extremum_loops(LoopContext& context, bool greatest) {
  const Type& x = context.input_type(0);
  const Reduction reduction = reduction_of(context.attrs(), x.rank());
  check_not_empty(context, reduction);
  const DType computed = arithmetic_dtype(x.dtype);
  ScalarOp op = greatest ? ScalarOp::k_max : ScalarOp::k_min;
  if (x.dtype == DType::kBool) op = greatest ? ScalarOp::k_or : ScalarOp::k_and;
  for_each_result(context, reduction, [&](const IndexExprs& kept) {
    const ExprRef best = accumulated(context, reduction, kept, op, computed, [&](const IndexExprs& index) {
      return converted(context.load(0, index), computed);
    });
    return converted(best, x.dtype);
  });
}

void extremum_gradient(GradientContext& context) {
  using namespace symbols;
  const Symbol x = context.input(), best = with_reduced_axes(context, context.result());
  const std::vector<int> axes = reduction_of(context.attrs(), x.type().rank()).reduced;
  const Symbol is_best = x == best;
  const Symbol count = ops::reduced(context, "reduce_sum", is_best, axes, x.type().dtype);
  const Symbol share = with_reduced_axes(context, context.cotangent()) / count;
  context.add(0, when(is_best, context.broadcasted(share, x.type().shape)));
}

std::vector<Type> infer_logic(const InferContext& context) {
  return {{DType::kBool, reduced_shape(context.inputs[0].shape, infer_reduction(context))}};
}

void evaluate_logic(EvalContext& context, bool all) {
  const Tensor& input = context.inputs[0];
  const ReductionOffsets offsets = offsets_of(input.extents(), reduction_of(context.attrs, input.rank()));
  const Tensor truth = converted(input, DType::kBool);
  const auto* elements = truth.as<std::uint8_t>();
  auto* out = context.results[0].mutable_as<std::uint8_t>();
  for (std::size_t k = 0; k < offsets.kept.size(); ++k) {
    bool result = all;
    for (const std::int64_t offset : offsets.reduced) {
      const bool element = elements[offsets.kept[k] + offset] != 0;
      result = all ? result && element : result || element;
    }
    out[k] = result;
  }
}

void logic_loops(LoopContext& context, bool all) {
  const Reduction reduction = reduction_of(context.attrs(), context.input_type(0).rank());
  const ScalarOp op = all ? ScalarOp::k_and : ScalarOp::k_or;
  for_each_result(context, reduction, [&](const IndexExprs& kept) {
    return accumulated(context, reduction, kept, op, DType::kBool, [&](const IndexExprs& index) {
      return converted(context.load(0, index), DType::kBool);
    });
  });
}

namespace {

Reduction arg_reduction(const Attrs& attrs, int rank) {
  std::optional<int> axis;
  if (const Attr* given = find_attr(attrs, "axis")) {
    const auto number = static_cast<int>(std::get<std::int64_t>(*given));
    axis = number < 0 ? number + rank : number;
  }
  return reduction_along(axis, rank, attr_or(attrs, "keepdims", false));
}

}  // namespace

namespace {

// The value that no other is worse than; if all elements have it, the first is the answer.
Scalar worst(DType dtype, bool greatest) {
  if (is_float(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return make_scalar(dtype, greatest ? -infinity : infinity);
  }
  const auto bits = static_cast<unsigned>(8 * dtype_bytes(dtype));
  const std::uint64_t all = UINT64_MAX >> (64 - bits), sign = std::uint64_t{1} << (bits - 1);
  if (is_signed_int(dtype)) return {dtype, greatest ? sign : all ^ sign};
  return {dtype, greatest ? 0 : all};
}

}  // namespace

std::vector<Type> infer_arg(const InferContext& context) {
  const Type& x = context.inputs[0];
  if (const Attr* axis = find_attr(context.attrs, "axis"))
    (void)normalized_axis(context, std::get<std::int64_t>(*axis), x.rank());
  const Reduction reduction = arg_reduction(context.attrs, x.rank());
  refuse_empty(context, reduction);
  return {{DType::kI64, reduced_shape(x.shape, reduction)}};
}

void evaluate_arg(EvalContext& context, bool greatest) {
  const Tensor& input = context.inputs[0];
  const Reduction reduction = arg_reduction(context.attrs, input.rank());
  refuse_empty(context, reduction);
  const ReductionOffsets offsets = offsets_of(input.extents(), reduction);
  auto* out = context.results[0].mutable_as<std::int64_t>();
  const Tensor wide = widened(input);
  visit_wide(wide, [&](const auto* elements) {
    for (std::size_t k = 0; k < offsets.kept.size(); ++k) {
      const auto* from = elements + offsets.kept[k];
      std::size_t best = 0;
      for (std::size_t r = 1; r < offsets.reduced.size(); ++r) {
        const auto a = from[offsets.reduced[best]], b = from[offsets.reduced[r]];
        if (!is_nan(a) && (is_nan(b) || (greatest ? b > a : b < a))) best = r;
      }
      out[k] = static_cast<std::int64_t>(best);
    }
  });
}

void arg_loops(LoopContext& context, bool greatest) {
  const Type& x = context.input_type(0);
  const Reduction reduction = arg_reduction(context.attrs(), x.rank());
  check_not_empty(context, reduction);
  // Bools are compared as numbers.
  const DType computed = x.dtype == DType::kBool ? DType::kU8 : arithmetic_dtype(x.dtype);
  const std::vector<ExprRef> strides = stride_exprs(pick(x.shape, reduction.reduced));
  for_each_result(context, reduction, [&](const IndexExprs& kept) {
    const ExprRef best = context.declare(constant(worst(computed, greatest)));
    const ExprRef position = context.declare(constant_index(0));
    for_each_reduced(context, reduction, kept, [&](const IndexExprs& index, const ExprRef&) {
      const ExprRef value = context.let(converted(context.load(0, index), computed));
      ExprRef better = apply(greatest ? ScalarOp::k_gt : ScalarOp::k_lt, {value, best});
      if (is_float(computed)) {
        const ExprRef not_nan = apply(ScalarOp::k_eq, {best, best});
        const ExprRef worse = apply(greatest ? ScalarOp::k_le : ScalarOp::k_ge, {value, best});
        better = apply(ScalarOp::k_and, {not_nan, apply(ScalarOp::k_not, {worse})});
      }
      ExprRef here = constant_index(0);
      for (std::size_t i = 0; i < strides.size(); ++i)
        here = here + index[static_cast<std::size_t>(reduction.reduced[i])] * strides[i];
      context.if_then(better, [&] {
        context.assign(best, value);
        context.assign(position, here);
      });
    });
    return position;
  });
}

}  // namespace cohort
