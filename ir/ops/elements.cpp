#include "ir/ops/elements.h"

#include <limits>

#include "ir/diagnostics.h"

namespace cohort {

Tensor converted(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  Tensor result(dtype, tensor.extents());
  if (tensor.size() == 0) return result;
  const void* const operand = tensor.data();
  const std::int64_t stride = 1;
  evaluate_array(ScalarOp::k_cast, tensor.dtype(), dtype, tensor.size(), {&operand, 1}, {&stride, 1},
                 result.mutable_data());
  return result;
}

DType arithmetic_dtype(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 ? DType::kF32 : dtype;
}

DType wide_dtype(DType dtype) {
  if (is_float(dtype)) return DType::kF64;
  return is_signed_int(dtype) ? DType::kI64 : DType::kU64;
}

std::vector<std::int64_t> strides_of(const Extents& extents) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= extents[axis];
  }
  return strides;
}

std::vector<std::int64_t> box_offsets(const Extents& extents, std::span<const std::int64_t> strides) {
  std::vector<std::int64_t> offsets{0};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    std::vector<std::int64_t> finer;
    finer.reserve(offsets.size() * static_cast<std::size_t>(extents[axis]));
    for (const std::int64_t offset : offsets)
      for (std::int64_t i = 0; i < extents[axis]; ++i) finer.push_back(offset + i * strides[axis]);
    offsets = std::move(finer);
  }
  return offsets;
}

std::int64_t checked_index(const EvalContext& context, std::int64_t index, std::int64_t size) {
  if (index < -size || index >= size) fail(DiagId::kIndexOutOfRange, context.op.name, index, size);
  return index < 0 ? index + size : index;
}

std::vector<std::int64_t> index_elements(const Tensor& tensor) {
  std::vector<std::int64_t> result;
  result.reserve(static_cast<std::size_t>(tensor.size()));
  const Tensor wide = widened(tensor);
  constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();
  visit_wide(wide, [&](const auto* p) {
    for (std::int64_t i = 0; i < wide.size(); ++i) {
      if constexpr (std::is_same_v<decltype(p), const std::uint64_t*>)
        result.push_back(p[i] > static_cast<std::uint64_t>(kGreatest) ? kGreatest
                                                                      : static_cast<std::int64_t>(p[i]));
      else
        result.push_back(static_cast<std::int64_t>(p[i]));
    }
  });
  return result;
}

}  // namespace cohort
