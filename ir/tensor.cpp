#include "ir/tensor.h"

#include <bit>
#include <cmath>

#include "ir/scalar_op.h"

namespace cohort {

Tensor::Tensor(DType dtype, Extents extents)
    : dtype_(dtype), extents_(std::move(extents)), size_(element_count(extents_)) {
  storage_ = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes()));
}

std::byte* Tensor::mutable_data() {
  if (!storage_) storage_ = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes()));
  if (storage_.use_count() > 1) storage_ = std::make_shared<std::vector<std::byte>>(*storage_);
  return storage_->data();
}

Tensor Tensor::reshaped(Extents extents) const {
  Tensor result = *this;
  result.extents_ = std::move(extents);
  return result;
}

bool Tensor::operator==(const Tensor& other) const {
  if (dtype_ != other.dtype_ || extents_ != other.extents_) return false;
  if (bytes() == 0 || storage_ == other.storage_) return true;
  return std::memcmp(data(), other.data(), static_cast<std::size_t>(bytes())) == 0;
}

namespace {

Scalar element(const Tensor& tensor, std::int64_t index) {
  Scalar scalar{tensor.dtype(), 0};
  const std::int64_t width = dtype_bytes(tensor.dtype());
  std::memcpy(&scalar.bits, tensor.data() + index * width, static_cast<std::size_t>(width));
  return scalar;
}

void put(Tensor& tensor, std::int64_t index, Scalar scalar) {
  const std::int64_t width = dtype_bytes(tensor.dtype());
  std::memcpy(tensor.mutable_data() + index * width, &scalar.bits, static_cast<std::size_t>(width));
}

}  // namespace

double element_as_double(const Tensor& tensor, std::int64_t index) {
  return scalar_as_double(element(tensor, index));
}
std::int64_t element_as_int(const Tensor& tensor, std::int64_t index) {
  return scalar_as_int(element(tensor, index));
}
void set_element(Tensor& tensor, std::int64_t index, double value) {
  put(tensor, index, make_scalar(tensor.dtype(), value));
}
void set_element_int(Tensor& tensor, std::int64_t index, std::int64_t value) {
  put(tensor, index, make_scalar_int(tensor.dtype(), value));
}
Tensor scalar_tensor(DType dtype, double value) {
  Tensor tensor(dtype, {});
  set_element(tensor, 0, value);
  return tensor;
}
Tensor scalar_tensor_int(DType dtype, std::int64_t value) {
  Tensor tensor(dtype, {});
  set_element_int(tensor, 0, value);
  return tensor;
}

float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu, mantissa = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

std::uint16_t f32_to_f16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x477ff000u)
    return static_cast<std::uint16_t>(sign | 0x7c00u);  // rounds to 65536 or beyond
  if (magnitude < 0x38800000u) {  // below the least normal number: the sum rounds to a multiple of 2^-24
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

float bf16_to_f32(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

std::uint16_t f32_to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace cohort
