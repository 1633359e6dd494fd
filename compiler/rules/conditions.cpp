#include "compiler/rules/conditions.h"

#include <cmath>

namespace cohort {

namespace {

// Mantissa bits with the hidden one, and greatest exponent, of a float dtype.
struct FloatShape {
  int mantissa, exponent;
};
FloatShape float_shape(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return {11, 15};
    case DType::kBF16:
      return {8, 127};
    case DType::kF32:
      return {24, 127};
    default:
      return {53, 1023};
  }
}

int value_bits(DType dtype) {
  if (dtype == DType::kBool) return 1;
  return static_cast<int>(dtype_bytes(dtype) * 8) - (is_signed_int(dtype) ? 1 : 0);
}

// Whether casting to `to` and back gives every value of `from` again.
bool lossless(DType from, DType to) {
  if (from == to) return true;
  if (to == DType::kBool) return false;
  if (is_float(from))
    return is_float(to) && float_shape(to).mantissa >= float_shape(from).mantissa &&
           float_shape(to).exponent >= float_shape(from).exponent;
  if (is_float(to))
    return value_bits(from) <= float_shape(to).mantissa && value_bits(from) <= float_shape(to).exponent;
  return value_bits(from) <= value_bits(to) && (is_signed_int(to) || !is_signed_int(from));
}

// Lossless, and casts from both to a third dtype agree: integers wrap where floats saturate.
bool widens(DType from, DType to) { return lossless(from, to) && is_float(from) == is_float(to); }

bool same(DType a, DType b) { return a == b; }
bool is_f32(DType d) { return d == DType::kF32; }
bool is_f64(DType d) { return d == DType::kF64; }
bool is_bool(DType d) { return d == DType::kBool; }
bool is_number(DType d) { return d != DType::kBool; }
bool is_not_float(DType d) { return !is_float(d); }
bool is_wide(DType d) { return d == DType::kF32 || d == DType::kF64; }

// ±2^k whose reciprocal is a number again, so that dividing by it is multiplying by that, bit for bit.
bool power_of_two(Scalar element) {
  const double value = scalar_as_double(element);
  int exponent = 0;
  if (!std::isfinite(value) || value == 0 || std::fabs(std::frexp(value, &exponent)) != 0.5) return false;
  const double inverse = scalar_as_double(make_scalar(element.dtype, 1 / value));
  return std::isfinite(inverse) && inverse * value == 1;
}

bool no_sign(Scalar element) {
  const double value = scalar_as_double(element);
  return std::isnan(value) || !std::signbit(value);
}
bool above_zero(Scalar element) {
  const double value = scalar_as_double(element);
  return std::isnan(value) || value > 0;
}

bool proven_constant(ValueFacts& facts, ValueId value) { return facts.is_constant(value); }
bool proven_power_of_two(ValueFacts& facts, ValueId value) {
  const auto scalar = facts.uniform_value(value);
  return scalar && power_of_two(*scalar);
}
bool proven_nonnegative(ValueFacts& facts, ValueId value) { return facts.sign(value) >= Sign::kNonNegative; }
bool proven_positive(ValueFacts& facts, ValueId value) { return facts.sign(value) == Sign::kPositive; }

std::int64_t elements(const ValueFacts& facts, ValueId value) {
  return max_element_count(facts.function().type(value).shape, facts.module().dims);
}
bool proven_single(ValueFacts& facts, ValueId value) { return elements(facts, value) == 1; }
bool proven_several(ValueFacts& facts, ValueId value) { return elements(facts, value) > 1; }

constexpr ConditionKind kConditions[] = {
    {.name = "float", .dtype = is_float},
    {.name = "integer", .dtype = is_integer},
    {.name = "signed", .dtype = is_signed_int},
    {.name = "unsigned", .dtype = is_unsigned_int},
    {.name = "boolean", .dtype = is_bool},
    {.name = "number", .dtype = is_number},
    {.name = "discrete", .dtype = is_not_float},
    {.name = "wide", .dtype = is_wide},
    {.name = "f32", .dtype = is_f32},
    {.name = "f64", .dtype = is_f64},
    // Casting x to the dtype and back changes no value.
    {.name = "lossless", .dtypes = lossless},
    // Casting x to the dtype on the way to another changes nothing.
    {.name = "widens", .dtypes = widens},
    {.name = "same_dtype", .dtypes = same},
    // A constant of the module or a literal.
    {.name = "constant", .proven = proven_constant},
    {.name = "power_of_two", .proven = proven_power_of_two, .sample = power_of_two},
    // One element, whatever the rank; may have more than one.
    {.name = "single", .proven = proven_single},
    {.name = "several", .proven = proven_several},
    // Every element is NaN or has no sign: -0.0 is not admitted.
    {.name = "nonnegative", .proven = proven_nonnegative, .sample = no_sign},
    // Every element is NaN or above 0.
    {.name = "positive", .proven = proven_positive, .sample = above_zero},
};

}  // namespace

const ConditionKind* find_condition(std::string_view name) {
  for (const ConditionKind& kind : kConditions)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace cohort
