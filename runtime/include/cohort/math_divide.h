// floor_div, mod and pow for every type: integers in integer.h, floats as NumPy's divmod and here.
#pragma once
#include "integer.h"
#include "math_core.h"

inline namespace cohort_rt {

// fmod of |a| by |b|, both finite, b != 0, by long division on the bits: exact, a step for each bit of the
// quotient.
template <class T>
RT_CALL T rt_long_fmod(T a, T b) {
  using U = rt_uint<T>;
  constexpr int mantissa = rt_mantissa_bits<T>;
  constexpr U one = 1, top = one << mantissa;
  U x = rt_bit_cast<U>(rt_abs(a)), y = rt_bit_cast<U>(rt_abs(b));
  if (x < y) return rt_abs(a);
  int ex = static_cast<int>(x >> mantissa), ey = static_cast<int>(y >> mantissa);
  const auto normalise = [&](U& bits, int& exponent) {  // a mantissa with its top bit set
    bits &= top - 1;
    if (exponent != 0) {
      bits |= top;
    } else {
      exponent = 1;
      for (; bits < top; bits = static_cast<U>(bits << 1)) --exponent;
    }
  };
  normalise(x, ex);
  normalise(y, ey);
  for (; ex > ey; --ex) {
    if (x >= y) x = static_cast<U>(x - y);
    x = static_cast<U>(x << 1);
  }
  if (x >= y) x = static_cast<U>(x - y);
  if (x == 0) return 0;
  for (; x < top; x = static_cast<U>(x << 1)) --ex;
  if (ex > 0) return rt_bit_cast<T>(static_cast<U>((x & (top - 1)) | (static_cast<U>(ex) << mantissa)));
  return rt_bit_cast<T>(static_cast<U>(x >> (1 - ex)));
}

// C's fmod: the sign of a, exact. NaN for b = 0 or infinite a.
template <class V>
RT_INLINE V rt_fmod(V a, V b) {
  const V x = rt_abs(a), y = rt_abs(b), zero = rt_fill<V>(0);
  const auto defined = rt_and(RT_MASK(V, x < rt_infinity<V>()), RT_MASK(V, y > zero));
#if defined(RT_FMA)
  // x - q y is exact: a multiple of the last place of y, and with q off by at most one, of no more than its
  // size.
  const V quotient = rt_trunc(x / y);
  V rest = rt_fma_same(-quotient, y, x);
  rest = rt_select(RT_MASK(V, rest < zero), rest + y, rest);
  rest = rt_select(RT_MASK(V, rest >= y), rest - y, rest);
  rest = rt_select(RT_MASK(V, x < y), x, rest);
  const auto hard = rt_and(defined, RT_MASK(V, quotient >= rt_number<V>(0x1p23f, 0x1p52)));
#else
  V rest = x;
  const auto hard = rt_and(defined, RT_MASK(V, x >= y));
#endif
  if (RT_UNLIKELY(rt_any_lane(hard))) {
    if constexpr (rt_traits<V>::is_vector) {
      for (int lane = 0; lane < rt_traits<V>::lanes; ++lane)
        if (hard.lanes[lane]) rest[lane] = rt_long_fmod(rt_elem<V>(x[lane]), rt_elem<V>(y[lane]));
    } else {
      rest = rt_long_fmod(x, y);
    }
  }
  const V undefined =
      rt_select(RT_MASK(V, x == x), rt_select(RT_MASK(V, y == y), rt_not_a_number<V>(), y), x);
  return rt_copysign(rt_select(defined, rest, undefined), a);
}

template <class V>
RT_CALL V rt_float_mod(V a, V b) {
  const V rest = rt_fmod(a, b), zero = rt_fill<V>(0);
  const auto other_sign = rt_xor(RT_MASK(V, rest < zero), RT_MASK(V, b < zero));
  return rt_select(RT_MASK(V, rest == zero), rt_copysign(zero, b), rt_select(other_sign, rest + b, rest));
}
template <class V>
RT_CALL V rt_float_floor_div(V a, V b) {
  const V rest = rt_fmod(a, b), zero = rt_fill<V>(0), one = rt_fill<V>(1);
  const auto other_sign =
      rt_and(RT_MASK(V, rest != zero), rt_xor(RT_MASK(V, rest < zero), RT_MASK(V, b < zero)));
  V quotient = (a - rest) / b;
  quotient = rt_select(other_sign, quotient - one, quotient);
  V whole = rt_floor(quotient);
  whole = rt_select(RT_MASK(V, quotient - whole > rt_fill<V>(rt_elem<V>(0.5))), whole + one, whole);
  whole = rt_select(RT_MASK(V, quotient == zero), rt_copysign(zero, a / b), whole);
  return rt_select(RT_MASK(V, b == zero), a / b, whole);
}

template <class A, class B>
RT_INLINE rt_join<A, B> rt_mod(A a, B b) {
  using V = rt_join<A, B>;
  if constexpr (rt_traits<V>::is_float)
    return rt_float_mod<V>(rt_as<V>(a), rt_as<V>(b));
  else
    return rt_integer_mod<V>(rt_as<V>(a), rt_as<V>(b));
}
template <class A, class B>
RT_INLINE rt_join<A, B> rt_floor_div(A a, B b) {
  using V = rt_join<A, B>;
  if constexpr (rt_traits<V>::is_float)
    return rt_float_floor_div<V>(rt_as<V>(a), rt_as<V>(b));
  else
    return rt_integer_floor_div<V>(rt_as<V>(a), rt_as<V>(b));
}

}  // namespace cohort_rt
