#include "ir/ops/product.h"

#include "ir/diagnostics.h"
#include "ir/ops/product_call.h"

namespace cohort {

using namespace kernel;

std::vector<Type> infer_product(const InferContext& context, const Product& product) {
  const Type &a = context.inputs[0], &b = context.inputs[1];
  if (a.dtype != b.dtype) fail(DiagId::kWrongDType, context.op.name, dtype_name(b.dtype), 1);
  const auto mismatch = [&] {
    fail(DiagId::kShapeMismatch, context.op.name, to_string(a.shape, context.dims),
         to_string(b.shape, context.dims));
  };
  const auto dim = [](const Type& type, int axis) {
    return axis < 0 ? Dim(1) : type.shape[static_cast<std::size_t>(axis)];
  };
  if (dim(a, product.a_sum) != dim(b, product.b_sum)) mismatch();
  Shape shape;
  for (std::size_t axis = 0; axis < product.a_axis.size(); ++axis) {
    const std::optional<Shape> both =
        broadcast(Shape{dim(a, product.a_axis[axis])}, Shape{dim(b, product.b_axis[axis])});
    if (!both) mismatch();
    shape.push_back(both->front());
  }
  return {{a.dtype, std::move(shape)}};
}

namespace {

// The operand's stride along each axis of the result.
std::vector<std::int64_t> strides_along(const Tensor& operand, const std::vector<int>& axes) {
  const std::vector<std::int64_t> own = strides_of(operand.extents());
  std::vector<std::int64_t> strides;
  for (const int axis : axes) {
    const auto a = static_cast<std::size_t>(axis);
    strides.push_back(axis < 0 || operand.extents()[a] == 1 ? 0 : own[a]);
  }
  return strides;
}

std::int64_t stride_of(const Tensor& operand, int axis) {
  return axis < 0 ? 0 : strides_of(operand.extents())[static_cast<std::size_t>(axis)];
}

template <typename T>
void multiply(const Tensor& a, const Tensor& b, Tensor& result, const Product& product) {
  const std::vector<std::int64_t> a_at = box_offsets(result.extents(), strides_along(a, product.a_axis));
  const std::vector<std::int64_t> b_at = box_offsets(result.extents(), strides_along(b, product.b_axis));
  const std::int64_t a_step = stride_of(a, product.a_sum), b_step = stride_of(b, product.b_sum);
  const bool sums = product.a_sum >= 0;
  const std::int64_t count = sums ? a.extents()[static_cast<std::size_t>(product.a_sum)] : 1;
  T* out = result.mutable_as<T>();
  for (std::size_t i = 0; i < a_at.size(); ++i) {
    const T *x = a.as<T>() + a_at[i], *y = b.as<T>() + b_at[i];
    if (!sums) {
      out[i] = *x * *y;
      continue;
    }
    T sum = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      if constexpr (std::is_floating_point_v<T>)
        sum = std::fma(x[k * a_step], y[k * b_step], sum);
      else
        sum += x[k * a_step] * y[k * b_step];
    }
    out[i] = sum;
  }
}

}  // namespace

void evaluate_product(EvalContext& context, const Product& product) {
  // Products modulo 2^64 are those of every narrower integer; of bools a count that is not 0 is true.
  const DType dtype = context.inputs[0].dtype();
  const DType computed = is_float(dtype) ? arithmetic_dtype(dtype) : DType::kU64;
  const Tensor a = converted(context.inputs[0], computed), b = converted(context.inputs[1], computed);
  Tensor result(computed, context.result_extents(0));
  if (computed == DType::kF64)
    multiply<double>(a, b, result, product);
  else if (computed == DType::kF32)
    multiply<float>(a, b, result, product);
  else
    multiply<std::uint64_t>(a, b, result, product);
  context.results[0] = converted(result, dtype);
}

namespace {

ExprRef operand_element(LoopContext& context, int input, const std::vector<int>& axes, int sum_axis,
                        const IndexExprs& index, const ExprRef& k) {
  const Shape& shape = context.input_type(input).shape;
  IndexExprs own(shape.size());
  for (std::size_t r = 0; r < axes.size(); ++r) {
    if (axes[r] < 0) continue;
    const auto axis = static_cast<std::size_t>(axes[r]);
    own[axis] = shape[axis].is_constant(1) ? constant_index(0) : index[r];
  }
  if (sum_axis >= 0) own[static_cast<std::size_t>(sum_axis)] = k;
  return context.load(input, std::move(own));
}

ExprRef multiply_add(const ExprRef& a, const ExprRef& b, const ExprRef& sum) {
  if (is_float(sum->dtype)) return apply(ScalarOp::k_fma, {a, b, sum});
  if (sum->dtype == DType::kBool) return apply(ScalarOp::k_or, {sum, apply(ScalarOp::k_and, {a, b})});
  return sum + a * b;
}

}  // namespace

void product_loops(LoopContext& context, const Product& product) {
  if (is_called(context, product)) return call_product(context, product);
  const DType dtype = context.result_type().dtype, computed = arithmetic_dtype(dtype);
  const auto element = [&](int input, const IndexExprs& index, const ExprRef& k) {
    const bool first = input == 0;
    return converted(operand_element(context, input, first ? product.a_axis : product.b_axis,
                                     first ? product.a_sum : product.b_sum, index, k),
                     computed);
  };
  context.for_each(context.result_type().shape, [&](const IndexExprs& index) {
    if (product.a_sum < 0) {
      const ExprRef a = element(0, index, nullptr), b = element(1, index, nullptr);
      const ScalarOp times = dtype == DType::kBool ? ScalarOp::k_and : ScalarOp::k_mul;
      context.store(0, index, converted(apply(times, {a, b}), dtype));
      return;
    }
    const ExprRef sum = context.declare(constant(make_scalar_int(computed, 0)));
    context.for_each(context.input_type(0).shape[static_cast<std::size_t>(product.a_sum)],
                     [&](const ExprRef& k) {
                       const ExprRef a = element(0, index, k), b = element(1, index, k);
                       context.assign(sum, multiply_add(a, b, sum));
                     });
    context.store(0, index, converted(sum, dtype));
  });
}

std::int64_t product_flops(const InferContext& context, const Product& product, std::int64_t results) {
  if (product.a_sum < 0) return results;
  return 2 * results *
         max_extent(context.inputs[0].shape[static_cast<std::size_t>(product.a_sum)], context.dims);
}

}  // namespace cohort
