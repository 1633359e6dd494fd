// Integer division, remainder, power, shifts and bits: total functions, nothing traps or is undefined.
// Machines have no instruction that divides vectors of integers: those of 32 bits go through double, others
// lane by lane.
#pragma once
#include "hardware.h"

inline namespace cohort_rt {

// f of each lane (or of the scalars).
template <class F, class V>
RT_INLINE V rt_by_lane(F f, V a, V b) {
  if constexpr (rt_traits<V>::is_vector)
    return rt_build<V>([&](int lane) { return f(rt_elem<V>(a[lane]), rt_elem<V>(b[lane])); });
  else
    return f(a, b);
}

// Toward minus infinity; 0 for a zero divisor, the least for least / -1.
template <class T>
RT_INLINE T rt_floor_div_scalar(T a, T b) {
  if (b == 0) return 0;
  if constexpr (rt_traits<T>::is_signed) {
    if (b == -1) return rt_neg(a);
    const T quotient = static_cast<T>(a / b);
    return static_cast<T>(quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0));
  } else {
    return static_cast<T>(a / b);
  }
}
// The remainder that goes with it: the sign of the divisor, 0 for a zero divisor.
template <class T>
RT_INLINE T rt_mod_scalar(T a, T b) {
  if (b == 0) return 0;
  if constexpr (rt_traits<T>::is_signed) {
    if (b == -1) return 0;
    const T rest = static_cast<T>(a % b);
    return static_cast<T>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
  } else {
    return static_cast<T>(a % b);
  }
}
// Wraps; a negative exponent gives 0 but for base 1 and -1.
template <class T>
RT_CALL T rt_pow_scalar(T base, T exponent) {
  using N = typename rt_traits<T>::arith;
  if constexpr (rt_traits<T>::is_signed) {
    if (exponent < 0) return base == 1 ? T(1) : base == -1 ? static_cast<T>(exponent & 1 ? -1 : 1) : T(0);
  }
  N power = 1, square = static_cast<N>(base);
  for (rt_uint<T> rest = static_cast<rt_uint<T>>(exponent); rest != 0;
       rest = static_cast<rt_uint<T>>(rest >> 1)) {
    if (rest & 1) power *= square;
    square *= square;
  }
  return static_cast<T>(power);
}

// The floor of a quotient of 32-bit integers is that of its rounding to double: unless it is whole it lies at
// least 2^-32 of itself from a whole number. b is not 0, nor -1.
template <class V>
RT_INLINE V rt_divide_32(V a, V b) {
  if constexpr (rt_traits<V>::lanes > 2 && sizeof(V) * 2 > rt_vector_bytes) {
    return rt_concat(rt_divide_32(rt_low_half(a), rt_low_half(b)),
                     rt_divide_32(rt_high_half(a), rt_high_half(b)));
  } else {
    using D = rt_like<double, V>;
    return __builtin_convertvector(rt_floor(__builtin_convertvector(a, D) / __builtin_convertvector(b, D)),
                                   V);
  }
}
template <class V>
RT_CALL V rt_integer_floor_div(V a, V b) {
  if constexpr (rt_traits<V>::is_vector && sizeof(rt_elem<V>) == 4) {
    const V one = rt_fill<V>(1), zero = rt_fill<V>(0);
    const auto by_zero = RT_MASK(V, b == zero);
    if constexpr (rt_traits<V>::is_signed) {
      const auto by_minus_one = RT_MASK(V, b == -one);
      const V quotient = rt_divide_32(a, rt_select(rt_or(by_zero, by_minus_one), one, b));
      return rt_select(by_zero, zero, rt_select(by_minus_one, rt_neg(a), quotient));
    } else {
      return rt_select(by_zero, zero, rt_divide_32(a, rt_select(by_zero, one, b)));
    }
  } else {
    return rt_by_lane([](auto x, auto y) { return rt_floor_div_scalar(x, y); }, a, b);
  }
}
template <class V>
RT_CALL V rt_integer_mod(V a, V b) {
  if constexpr (rt_traits<V>::is_vector && sizeof(rt_elem<V>) == 4) {
    const V zero = rt_fill<V>(0), rest = rt_sub(a, rt_mul(rt_integer_floor_div(a, b), b));
    return rt_select(RT_MASK(V, b == zero), zero, rest);
  } else {
    return rt_by_lane([](auto x, auto y) { return rt_mod_scalar(x, y); }, a, b);
  }
}
template <class V>
RT_INLINE V rt_integer_pow(V a, V b) {
  return rt_by_lane([](auto x, auto y) { return rt_pow_scalar(x, y); }, a, b);
}

// --- Bits ---

#define RT_BIT(name, symbol)                        \
  template <class A, class B>                       \
  RT_INLINE rt_join<A, B> rt_bit_##name(A a, B b) { \
    using V = rt_join<A, B>;                        \
    if constexpr (rt_traits<V>::is_mask)            \
      return rt_##name(a, b);                       \
    else                                            \
      return (V)(rt_as<V>(a) symbol rt_as<V>(b));   \
  }
RT_BIT(and, &)
RT_BIT(or, |)
RT_BIT(xor, ^)
#undef RT_BIT
template <class V>
RT_INLINE V rt_bit_not(V x) {
  if constexpr (rt_traits<V>::is_mask)
    return rt_not(x);
  else
    return (V)(~x);
}

// Counts below 0 and from the width on shift everything out: 0, or -1 of a negative number shifted right.
template <class V>
RT_INLINE auto rt_shift_fits(V count) {
  using U = rt_ubits<V>;
  const U n = (U)count;
  return RT_MASK(V, n < rt_fill<U>(8 * sizeof(rt_elem<V>)));
}
template <class A, class B>
RT_INLINE rt_join<A, B> rt_shift_left(A left, B right) {
  using V = rt_join<A, B>;
  using U = rt_ubits<V>;
  const V count = rt_as<V>(right), zero = rt_fill<V>(0);
  const auto fits = rt_shift_fits(count);
  const U n = (U)rt_select(fits, count, zero);
  if constexpr (rt_traits<V>::is_vector)
    return rt_select(fits, (V)((U)rt_as<V>(left) << n), zero);
  else
    return fits ? (V)(static_cast<typename rt_traits<V>::arith>(left) << n) : zero;
}
template <class A, class B>
RT_INLINE rt_join<A, B> rt_shift_right(A left, B right) {
  using V = rt_join<A, B>;
  using U = rt_ubits<V>;
  const V count = rt_as<V>(right), x = rt_as<V>(left), zero = rt_fill<V>(0);
  const auto fits = rt_shift_fits(count);
  if constexpr (rt_traits<V>::is_signed) {
    // Shifting by width - 1 leaves the sign everywhere.
    const V most = rt_fill<V>(static_cast<rt_elem<V>>(8 * sizeof(rt_elem<V>) - 1));
    return (V)(x >> rt_select(fits, count, most));
  } else {
    return rt_select(fits, (V)(x >> (U)rt_select(fits, count, zero)), zero);
  }
}

}  // namespace cohort_rt
