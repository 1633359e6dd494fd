// How the meanings of operators read tensors of any dtype: they widen them to one of few element types first,
// and walk them by lists of element offsets.
#pragma once

#include <cmath>
#include <type_traits>

#include "ir/op_def.h"
#include "ir/scalar_op.h"
#include "ir/tensor.h"

namespace cohort {

// `tensor` in another dtype, as the operator `cast` has it.
Tensor converted(const Tensor& tensor, DType dtype);

// Where sums and functions of `dtype` are computed: halves in f32, all others as they are.
DType arithmetic_dtype(DType dtype);
// The dtype that holds every value of `dtype` and compares alike: f64, i64, or u64 (unsigned and bool).
DType wide_dtype(DType dtype);
inline Tensor widened(const Tensor& tensor) { return converted(tensor, wide_dtype(tensor.dtype())); }

// Calls `f` with a pointer to the elements of a widened tensor.
template <typename F>
void visit_wide(const Tensor& wide, F&& f) {
  if (wide.dtype() == DType::kF64) return f(wide.as<double>());
  if (wide.dtype() == DType::kI64) return f(wide.as<std::int64_t>());
  f(wide.as<std::uint64_t>());
}

template <typename T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(x);
  else
    return false;
}
// The order of sort, argsort and searchsorted: ascending, NaN last, zeros equal.
template <typename T>
bool sorts_before(T a, T b) {
  return a < b || (is_nan(b) && !is_nan(a));
}

// Row-major strides in elements.
std::vector<std::int64_t> strides_of(const Extents& extents);
// Offsets of all elements of a box in row-major order, given the stride of each of its axes.
std::vector<std::int64_t> box_offsets(const Extents& extents, std::span<const std::int64_t> strides);

// Index `index` (maybe negative) into an axis of `size` elements, or fail(kIndexOutOfRange).
std::int64_t checked_index(const EvalContext& context, std::int64_t index, std::int64_t size);
// The elements of an integer tensor as indices; u64 values beyond the range of i64 become its greatest value.
std::vector<std::int64_t> index_elements(const Tensor& tensor);

}  // namespace cohort
