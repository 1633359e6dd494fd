#include "codegen/dialect.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "ir/tensor.h"

namespace cohort {

namespace {

// The shortest digits that read back to the same bits.
template <typename T>
std::string shortest(T value) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string out(digits, end);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string float_literal(std::uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  if (bits == 0x7fc00000u) return "__builtin_nanf(\"\")";
  if (std::isnan(value)) return fmt::format("rt_bit_cast<float>(0x{:08x}u)", bits);
  if (std::isinf(value)) return value > 0 ? "__builtin_inff()" : "-__builtin_inff()";
  return shortest(value) + "f";
}

std::string double_literal(std::uint64_t bits) {
  const double value = std::bit_cast<double>(bits);
  if (bits == 0x7ff8000000000000u) return "__builtin_nan(\"\")";
  if (std::isnan(value)) return fmt::format("rt_bit_cast<double>(uint64_t{{0x{:016x}u}})", bits);
  if (std::isinf(value)) return value > 0 ? "__builtin_inf()" : "-__builtin_inf()";
  return shortest(value);
}

}  // namespace

const Dialect& cpp_dialect() {
  static const Dialect dialect = {
      .name = "c++",
      .prelude = "cohort/prelude.h",
      .kernel = "RT_KERNEL",
      .custom = "static inline",
      .restricted = "__restrict",
      .unroll = "RT_UNROLL",
      .value_types = {"bool", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
                      "uint64_t", "float", "float", "float", "double"},
      .storage_types = {"uint8_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
                        "uint32_t", "uint64_t", "rt_f16", "rt_bf16", "float", "double"},
      .simd = true,
  };
  return dialect;
}

const Dialect& cuda_dialect() {
  static const Dialect dialect = [] {
    Dialect d = cpp_dialect();
    d.name = "cuda";
    d.prelude = "cohort/cuda.h";
    d.kernel = "RT_DEVICE_KERNEL";
    d.custom = "static __device__ inline";
    d.simd = false;
    d.threads = true;
    return d;
  }();
  return dialect;
}

std::string literal(const Dialect& dialect, Scalar value, bool index) {
  const auto braced = [&](const std::string& digits) {
    return fmt::format("{}{{{}}}", dialect.value_type(value.dtype), digits);
  };
  const std::int64_t as_int = static_cast<std::int64_t>(value.bits);
  switch (value.dtype) {
    case DType::kBool:
      return value.bits ? "true" : "false";
    case DType::kI8:
      return braced(std::to_string(static_cast<std::int8_t>(value.bits)));
    case DType::kI16:
      return braced(std::to_string(static_cast<std::int16_t>(value.bits)));
    case DType::kI32: {
      const auto number = static_cast<std::int32_t>(value.bits);
      return number == INT32_MIN ? "INT32_MIN" : std::to_string(number);
    }
    case DType::kI64:
      if (as_int == INT64_MIN) return "INT64_MIN";
      return index ? std::to_string(as_int) : braced(std::to_string(as_int));
    case DType::kU8:
    case DType::kU16:
      return braced(std::to_string(value.bits));
    case DType::kU32:
      return std::to_string(value.bits) + "u";
    case DType::kU64:
      return braced(std::to_string(value.bits) + "u");
    case DType::kF16:
      return float_literal(std::bit_cast<std::uint32_t>(f16_to_f32(static_cast<std::uint16_t>(value.bits))));
    case DType::kBF16:
      return float_literal(static_cast<std::uint32_t>(value.bits) << 16);
    case DType::kF32:
      return float_literal(static_cast<std::uint32_t>(value.bits));
    case DType::kF64:
      return double_literal(value.bits);
  }
  return {};
}

}  // namespace cohort
