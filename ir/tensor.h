// A dense value with its elements: row-major, contiguous, immutable once shared. Constants, initial values
// and the interpreter's values are tensors. bool elements are bytes 0 and 1; f16 and bf16 elements are their
// 16 bits.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "ir/type.h"

namespace cohort {

class Tensor {
 public:
  Tensor() = default;
  // Zero-filled.
  Tensor(DType dtype, Extents extents);

  DType dtype() const { return dtype_; }
  const Extents& extents() const { return extents_; }
  int rank() const { return static_cast<int>(extents_.size()); }
  std::int64_t size() const { return size_; }  // elements
  std::int64_t bytes() const { return size_ * dtype_bytes(dtype_); }
  const std::byte* data() const { return storage_ ? storage_->data() : nullptr; }
  std::byte* mutable_data();  // copies first if the storage is shared

  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data());
  }
  template <typename T>
  T* mutable_as() {
    return reinterpret_cast<T*>(mutable_data());
  }

  // Same elements, other extents (equal count).
  Tensor reshaped(Extents extents) const;
  // Bit for bit, extents and dtype included.
  bool operator==(const Tensor& other) const;

 private:
  DType dtype_ = DType::kF64;
  Extents extents_;
  std::int64_t size_ = 1;
  std::shared_ptr<std::vector<std::byte>> storage_;
};

// One element converted exactly where possible: doubles for every float and small integers, bits for the
// rest.
double element_as_double(const Tensor& tensor, std::int64_t index);
std::int64_t element_as_int(const Tensor& tensor, std::int64_t index);  // u64 beyond 2^63 wraps
void set_element(Tensor& tensor, std::int64_t index, double value);     // rounds or saturates as `cast` does
void set_element_int(Tensor& tensor, std::int64_t index, std::int64_t value);
Tensor scalar_tensor(DType dtype, double value);
Tensor scalar_tensor_int(DType dtype, std::int64_t value);

// IEEE half and bfloat16 <-> float, round to nearest even.
float f16_to_f32(std::uint16_t bits);
std::uint16_t f32_to_f16(float value);
float bf16_to_f32(std::uint16_t bits);
std::uint16_t f32_to_bf16(float value);

}  // namespace cohort
