// The values of the scalar operators that are no mathematical functions: what the eval column of ops.def
// calls. T is bool, a fixed-width integer, float (which also stands for the halves) or double. Integers wrap:
// they are computed modulo 2^64 and narrowed, so nothing here traps or overflows.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace cohort::meaning {

template <typename T>
inline constexpr bool kIsBool = std::is_same_v<T, bool>;
template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T>;

template <typename T>
T wrapped(std::uint64_t bits) {
  return static_cast<T>(bits);
}
template <typename T>
std::uint64_t word(T a) {
  return static_cast<std::uint64_t>(a);
}

// The first two words of a block of Philox4x32-10 (Salmon and others, Parallel Random Numbers: As Easy as 1,
// 2, 3; SC 2011) with counter (element, draw) and this key, each in two words, low first.
template <typename T>
T philox_bits(T key, T draw, T element) {
  std::uint32_t k[2] = {static_cast<std::uint32_t>(word(key)), static_cast<std::uint32_t>(word(key) >> 32)};
  std::uint32_t c[4] = {static_cast<std::uint32_t>(word(element)),
                        static_cast<std::uint32_t>(word(element) >> 32),
                        static_cast<std::uint32_t>(word(draw)), static_cast<std::uint32_t>(word(draw) >> 32)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xd2511f53u} * c[0], third = std::uint64_t{0xcd9e8d57u} * c[2];
    c[0] = static_cast<std::uint32_t>(third >> 32) ^ c[1] ^ k[0];
    c[1] = static_cast<std::uint32_t>(third);
    c[2] = static_cast<std::uint32_t>(first >> 32) ^ c[3] ^ k[1];
    c[3] = static_cast<std::uint32_t>(first);
    k[0] += 0x9e3779b9u;
    k[1] += 0xbb67ae85u;
  }
  return wrapped<T>(c[0] | std::uint64_t{c[1]} << 32);
}

template <typename T>
bool is_nan(T a) {
  if constexpr (kIsFloat<T>) return std::isnan(a);
  return false;
}
template <typename T>
bool is_inf(T a) {
  if constexpr (kIsFloat<T>) return std::isinf(a);
  return false;
}
template <typename T>
bool is_finite(T a) {
  if constexpr (kIsFloat<T>) return std::isfinite(a);
  return true;
}

template <typename T>
T add(T a, T b) {
  if constexpr (kIsBool<T>)
    return a || b;
  else if constexpr (kIsFloat<T>)
    return a + b;
  else
    return wrapped<T>(word(a) + word(b));
}
template <typename T>
T sub(T a, T b) {
  if constexpr (kIsFloat<T>)
    return a - b;
  else
    return wrapped<T>(word(a) - word(b));
}
template <typename T>
T mul(T a, T b) {
  if constexpr (kIsBool<T>)
    return a && b;
  else if constexpr (kIsFloat<T>)
    return a * b;
  else
    return wrapped<T>(word(a) * word(b));
}
template <typename T>
T neg(T a) {
  if constexpr (kIsFloat<T>)
    return -a;
  else
    return wrapped<T>(0 - word(a));
}
template <typename T>
T abs(T a) {
  if constexpr (kIsFloat<T>)
    return std::fabs(a);
  else if constexpr (std::is_signed_v<T>)
    return a < 0 ? neg(a) : a;
  else
    return a;
}
// sign(-0) is +0, as NumPy has it.
template <typename T>
T sign(T a) {
  if (is_nan(a)) return a;
  if constexpr (std::is_signed_v<T>) {
    if (a < T(0)) return T(-1);
  }
  return T(a > T(0) ? 1 : 0);
}

template <typename T>
T min(T a, T b) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}
template <typename T>
T max(T a, T b) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

// Python's remainder of floats: it has the sign of b, and fmod is exact. (CPython, float_rem; NumPy,
// npy_divmod.)
template <typename T>
T float_mod(T a, T b) {
  T remainder = std::fmod(a, b);
  if (b == 0) return remainder;
  if (remainder == 0) return std::copysign(T(0), b);
  return (b < 0) != (remainder < 0) ? remainder + b : remainder;
}
template <typename T>
T float_floor_div(T a, T b) {
  if (b == 0) return a / b;
  T remainder = std::fmod(a, b);
  T quotient = (a - remainder) / b;
  if (remainder != 0 && (b < 0) != (remainder < 0)) quotient -= T(1);
  if (quotient == 0) return std::copysign(T(0), a / b);
  T whole = std::floor(quotient);
  return quotient - whole > T(0.5) ? whole + T(1) : whole;
}

template <typename T>
T floor_div(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return float_floor_div(a, b);
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return neg(a);
      bool down = a % b != 0 && (a < 0) != (b < 0);
      return static_cast<T>(a / b - (down ? 1 : 0));
    } else {
      return static_cast<T>(a / b);
    }
  }
}
template <typename T>
T mod(T a, T b) {
  if constexpr (kIsFloat<T>) {
    return float_mod(a, b);
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
      T remainder = static_cast<T>(a % b);
      return remainder != 0 && (a < 0) != (b < 0) ? static_cast<T>(remainder + b) : remainder;
    } else {
      return static_cast<T>(a % b);
    }
  }
}

// Integers: wraps; a negative exponent gives the power truncated to an integer, and 0 for a = 0.
template <typename T>
T integer_pow(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b < 0) {
      if (a == 1) return 1;
      if (a == -1) return b % 2 != 0 ? T(-1) : T(1);
      return 0;
    }
  }
  std::uint64_t power = 1;
  std::uint64_t square = word(a);
  for (std::uint64_t rest = word(b); rest != 0; rest >>= 1, square *= square) {
    if (rest & 1) power *= square;
  }
  return wrapped<T>(power);
}

template <typename T>
T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <typename T>
T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <typename T>
T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <typename T>
T bit_not(T a) {
  if constexpr (kIsBool<T>)
    return !a;
  else
    return static_cast<T>(~a);
}
// A negative count, seen as a word, is beyond every width.
template <typename T>
T shift_left(T a, T b) {
  return word(b) >= sizeof(T) * 8 ? T(0) : wrapped<T>(word(a) << word(b));
}
template <typename T>
T shift_right(T a, T b) {
  if (word(b) >= sizeof(T) * 8) return static_cast<T>(a < T(0) ? -1 : 0);
  return static_cast<T>(a >> b);
}

template <typename T>
T floor(T a) {
  if constexpr (kIsFloat<T>)
    return std::floor(a);
  else
    return a;
}
template <typename T>
T ceil(T a) {
  if constexpr (kIsFloat<T>)
    return std::ceil(a);
  else
    return a;
}
template <typename T>
T trunc(T a) {
  if constexpr (kIsFloat<T>)
    return std::trunc(a);
  else
    return a;
}
template <typename T>
T rint(T a) {
  if constexpr (kIsFloat<T>)
    return std::nearbyint(a);
  else
    return a;
}

// `cast`. To bool: != 0, so NaN is true. Float to integer truncates and saturates; NaN gives 0. The rest
// wraps or rounds.
template <typename To, typename From>
To convert(From a) {
  if constexpr (kIsBool<To>) {
    return a != From(0);
  } else if constexpr (kIsFloat<From> && std::is_integral_v<To>) {
    // As floats the limits are exact or rounded away from 0, so what lies between them converts.
    constexpr To kLeast = std::numeric_limits<To>::min();
    constexpr To kGreatest = std::numeric_limits<To>::max();
    if (std::isnan(a)) return 0;
    if (a <= static_cast<From>(kLeast)) return kLeast;
    if (a >= static_cast<From>(kGreatest)) return kGreatest;
    return static_cast<To>(a);
  } else {
    return static_cast<To>(a);
  }
}

}  // namespace cohort::meaning
