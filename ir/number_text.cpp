#include "ir/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace cohort {
namespace {

std::uint64_t nan_bits(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return 0x7e00;
    case DType::kBF16:
      return 0x7fc0;
    case DType::kF32:
      return 0x7fc00000;
    default:
      return 0x7ff8000000000000;
  }
}

std::uint64_t magnitude_bits(DType dtype) {
  return dtype == DType::kF64 ? INT64_MAX : (std::uint64_t{1} << (8 * dtype_bytes(dtype) - 1)) - 1;
}

bool is_nan(Scalar value) {
  double d = scalar_as_double(value);
  return d != d;
}

template <typename T>
T bits_as(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
Scalar from_float(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return {DType::kF32, bits};
}
Scalar from_double(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return {DType::kF64, bits};
}

// A decimal fraction that from_chars calls out of range: is it too small rather than too large?
bool is_tiny(std::string_view text) {
  std::size_t e = text.find_first_of("eE");
  if (e != text.npos) return text.substr(e + 1).starts_with('-');
  return text.starts_with("0.") || text.starts_with("-0.");
}

// Decimal or hexadecimal digits (without "0x") to the nearest T.
template <typename T>
NumberFault parse_digits(std::string_view text, std::chars_format format, T& value) {
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value, format);
  if (error == std::errc::invalid_argument || stop != end) return NumberFault::kMalformed;
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(text)) return NumberFault::kTooLarge;
    value = text.starts_with('-') ? T{-0.0} : T{0};
  }
  return std::isinf(value) ? NumberFault::kTooLarge : NumberFault::kNone;
}

bool is_word(std::string_view text) { return text == "nan" || text == "inf" || text == "-inf"; }

// "0x1.8p+1", signed; every digit must be held.
NumberFault parse_hexadecimal(std::string_view text, DType dtype, Scalar& result) {
  bool negative = text.starts_with('-');
  text.remove_prefix(negative ? 3 : 2);
  double value = 0;
  if (text.empty() || text.front() == '-') return NumberFault::kMalformed;
  NumberFault fault = parse_digits(text, std::chars_format::hex, value);
  if (fault != NumberFault::kNone) return fault;
  result = make_scalar(dtype, negative ? -value : value);
  double held = scalar_as_double(result);
  if (std::isinf(held)) return NumberFault::kTooLarge;
  return held == (negative ? -value : value) ? NumberFault::kNone : NumberFault::kInexact;
}

// "nan(0x7ff8000000000001)"
NumberFault parse_nan(std::string_view text, DType dtype, Scalar& result) {
  text.remove_prefix(std::strlen("nan(0x"));
  if (!text.ends_with(')')) return NumberFault::kMalformed;
  text.remove_suffix(1);
  std::uint64_t bits = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, bits, 16);
  if (error != std::errc() || stop != end) return NumberFault::kMalformed;
  result = {dtype, bits};
  bool fits = dtype == DType::kF64 || bits >> (8 * dtype_bytes(dtype)) == 0;
  return fits && is_nan(result) ? NumberFault::kNone : NumberFault::kMalformed;
}

// An integer in the text of a float: does the float hold it?
bool holds_exactly(Scalar value, std::string_view text) {
  std::array<char, 400> digits;
  auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), scalar_as_double(value),
                                    std::chars_format::fixed, 0);
  return error == std::errc() && std::string_view(digits.data(), end - digits.data()) == text;
}

NumberFault parse_float(std::string_view text, DType dtype, Scalar& result) {
  if (text == "nan") {
    result = {dtype, nan_bits(dtype)};
    return NumberFault::kNone;
  }
  if (is_word(text)) {
    double infinity = std::numeric_limits<double>::infinity();
    result = make_scalar(dtype, text.front() == '-' ? -infinity : infinity);
    return NumberFault::kNone;
  }
  if (text.starts_with("nan(0x")) return parse_nan(text, dtype, result);
  if (text.starts_with("0x") || text.starts_with("-0x")) return parse_hexadecimal(text, dtype, result);
  // from_chars knows spellings of nan and inf that we do not.
  std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.front() < '0' || digits.front() > '9') return NumberFault::kMalformed;
  NumberFault fault = NumberFault::kNone;
  if (dtype == DType::kF32) {
    float value = 0;
    fault = parse_digits(text, std::chars_format::general, value);
    result = from_float(value);
  } else {
    double value = 0;
    fault = parse_digits(text, std::chars_format::general, value);
    result = dtype == DType::kF64 ? from_double(value) : make_scalar(dtype, value);
  }
  if (fault != NumberFault::kNone) return fault;
  if (std::isinf(scalar_as_double(result))) return NumberFault::kTooLarge;
  return is_integer_text(text) && !holds_exactly(result, text) ? NumberFault::kInexact : NumberFault::kNone;
}

std::uint64_t largest(DType dtype) {
  int bits = 8 * static_cast<int>(dtype_bytes(dtype));
  return is_unsigned_int(dtype) ? UINT64_MAX >> (64 - bits) : UINT64_MAX >> (65 - bits);
}

NumberFault set_integer(bool negative, std::uint64_t magnitude, DType dtype, Scalar& result) {
  std::uint64_t limit = largest(dtype);
  if (negative) limit = is_unsigned_int(dtype) ? 0 : limit + 1;
  if (magnitude > limit) return NumberFault::kTooLarge;
  std::uint64_t bits = negative ? 0 - magnitude : magnitude;
  result = {dtype, bits & (UINT64_MAX >> (64 - 8 * dtype_bytes(dtype)))};
  return NumberFault::kNone;
}

NumberFault parse_integer(std::string_view text, DType dtype, Scalar& result) {
  if (is_integer_text(text)) {
    bool negative = text.front() == '-';
    std::string_view digits = text.substr(negative ? 1 : 0);
    std::uint64_t magnitude = 0;
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
    if (error == std::errc::result_out_of_range) return NumberFault::kTooLarge;
    return set_integer(negative, magnitude, dtype, result);
  }
  Scalar real;
  NumberFault fault = parse_float(text, DType::kF64, real);
  if (fault != NumberFault::kNone) return fault;
  double value = scalar_as_double(real);
  if (std::trunc(value) != value || std::isinf(value)) return NumberFault::kNotIntegral;
  // Beyond 2^53 a fraction's digits no longer say which integer is meant.
  if (std::fabs(value) > 9007199254740992.0) return NumberFault::kInexact;
  return set_integer(value < 0, static_cast<std::uint64_t>(std::fabs(value)), dtype, result);
}

// The shortest digits that read back: to_chars for f32 and f64, by trial for the two 16-bit dtypes.
std::string shortest(Scalar value) {
  std::array<char, 64> text;
  char* last = text.data() + text.size();
  if (value.dtype == DType::kF64) {
    return {text.data(), std::to_chars(text.data(), last, bits_as<double>(value.bits)).ptr};
  }
  if (value.dtype == DType::kF32) {
    return {text.data(), std::to_chars(text.data(), last, bits_as<float>(value.bits)).ptr};
  }
  double wanted = scalar_as_double(value);
  for (int digits = 1;; ++digits) {
    char* end = std::to_chars(text.data(), last, wanted, std::chars_format::general, digits).ptr;
    Scalar read;
    NumberFault fault = parse_float({text.data(), end}, value.dtype, read);
    if (digits >= 17 || (fault == NumberFault::kNone && read == value)) return {text.data(), end};
  }
}

}  // namespace

NumberFault parse_number(std::string_view text, DType dtype, Scalar& result) {
  if (dtype == DType::kBool) {
    if (text != "true" && text != "false") return NumberFault::kMalformed;
    result = {dtype, text == "true" ? 1U : 0U};
    return NumberFault::kNone;
  }
  return is_float(dtype) ? parse_float(text, dtype, result) : parse_integer(text, dtype, result);
}

bool is_integer_text(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::optional<std::int64_t> parse_int64(std::string_view text) {
  Scalar value;
  if (!is_integer_text(text) || parse_integer(text, DType::kI64, value) != NumberFault::kNone) return {};
  return static_cast<std::int64_t>(value.bits);
}

std::string number_text(Scalar value) {
  if (value.dtype == DType::kBool) return value.bits != 0 ? "true" : "false";
  if (value.dtype == DType::kU64) return std::to_string(value.bits);
  if (is_integer(value.dtype)) return std::to_string(scalar_as_int(value));
  if (is_nan(value)) {
    return value.bits == nan_bits(value.dtype) ? "nan" : fmt::format("nan(0x{:x})", value.bits);
  }
  bool negative = value.bits > magnitude_bits(value.dtype);
  if (std::isinf(scalar_as_double(value))) return negative ? "-inf" : "inf";
  std::string text = shortest(value);
  if (is_integer_text(text)) text += ".0";
  return text;
}

Scalar tensor_element(const Tensor& tensor, std::int64_t index) {
  auto width = static_cast<std::size_t>(dtype_bytes(tensor.dtype()));
  Scalar value{tensor.dtype(), 0};
  std::memcpy(&value.bits, tensor.data() + index * static_cast<std::int64_t>(width), width);
  return value;
}

void set_tensor_element(Tensor& tensor, std::int64_t index, Scalar value) {
  auto width = static_cast<std::size_t>(dtype_bytes(tensor.dtype()));
  std::memcpy(tensor.mutable_data() + index * static_cast<std::int64_t>(width), &value.bits, width);
}

Diagnostic number_diagnostic(NumberFault fault, const Location& location, std::string_view text,
                             DType dtype) {
  std::string_view name = dtype_name(dtype);
  switch (fault) {
    case NumberFault::kNotIntegral:
      return diagnostic(DiagId::kNotIntegral, location, text, name);
    case NumberFault::kTooLarge:
      return diagnostic(DiagId::kNumberTooLarge, location, text, name);
    case NumberFault::kInexact: {
      Diagnostic inexact = diagnostic(DiagId::kNumberInexact, location, text, name);
      if (is_float(dtype) && is_integer_text(text)) inexact.hint = fmt::format("`{}.0` is rounded", text);
      return inexact;
    }
    default:
      return diagnostic(DiagId::kNoNumber, location, text, name);
  }
}

}  // namespace cohort
