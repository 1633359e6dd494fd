// What the mathematical functions are built from: polynomials, scaling by 2^n, calls in double.
//
// Each function is one template, instantiated for scalars and for vectors, so both give the same bits.
#pragma once
#include "cast.h"
#include "fma.h"
#include "math_tables.h"

inline namespace cohort_rt {

// --- Polynomials and powers of two ---

// sum x^(2k) + c[K] x^(2k-2) + c[K-2] x^(2k-4) + ..., every other coefficient.
template <int K, class V, class T, int N>
RT_INLINE V rt_horner(V x, const T (&c)[N], V sum) {
  if constexpr (K < 0)
    return sum;
  else
    return rt_horner<K - 2>(x, c, rt_mad(sum, x, rt_fill<V>(c[K])));
}
// c[0] + c[1] x + ...: even and odd powers by Horner's rule each, in half the latency of one chain.
template <class V, class T, int N>
RT_INLINE V rt_poly(V x, const T (&c)[N]) {
  const V square = x * x;
  const V last = rt_horner<N - 3>(square, c, rt_fill<V>(c[N - 1]));
  if constexpr (N == 1) return last;
  const V other = rt_horner<N - 4>(square, c, rt_fill<V>(c[N - 2]));
  return N % 2 == 0 ? rt_mad(last, x, other) : rt_mad(other, x, last);
}

template <class V>
inline constexpr int rt_mantissa_bits = sizeof(rt_elem<V>) == 4 ? 23 : 52;
template <class V>
inline constexpr int rt_exponent_bias = sizeof(rt_elem<V>) == 4 ? 127 : 1023;

// Adding this rounds to an integer (|x| < 2^22, 2^51) that then stands in the low bits of the sum.
template <class V>
RT_INLINE V rt_rounder() {
  return rt_number<V>(12582912.0f, 6755399441055744.0);
}
template <class V>
RT_INLINE rt_ubits<V> rt_rounded_bits(V sum) {
  using U = rt_ubits<V>;
  return U(rt_bit_cast<U>(sum) - rt_bit_cast<U>(rt_rounder<V>()));
}
// 2^n for an n that gives a normal number.
template <class V>
RT_INLINE V rt_exp2_of(rt_ubits<V> n) {
  using U = rt_ubits<V>;
  const U biased = U(n) + rt_fill<U>(rt_exponent_bias<V>);
  return rt_bit_cast<V>(U(biased << rt_mantissa_bits<V>));
}
// x * 2^n, rounded once, for an integral n; |n| <= 2000 (250 of float).
template <class V>
RT_INLINE V rt_scale(V x, V n) {
#if defined(RT_AVX512)
  return rt_on_native([](auto v, auto k) { return rt_native_of<decltype(v)>::scale(v, k); }, x, n);
#else
  using U = rt_ubits<V>;
  const U k = U(rt_rounded_bits<V>(n + rt_rounder<V>()));
  const U bias = rt_fill<U>(2048);
  const U half = U(((k + bias) >> 1) - (bias >> 1));  // floor(k / 2) by a shift of unsigned numbers
  return x * rt_exp2_of<V>(half) * rt_exp2_of<V>(U(k - half));
#endif
}

template <class V>
RT_INLINE V rt_infinity() {
  return rt_number<V>(__builtin_inff(), __builtin_inf());
}
template <class V>
RT_INLINE V rt_not_a_number() {
  return rt_number<V>(__builtin_nanf(""), __builtin_nan(""));
}
// x where |x| < bound, else y: for functions that are x near 0, where it also keeps -0.
template <class V>
RT_INLINE V rt_near_zero(V x, V bound, V y) {
  return rt_select(RT_MASK(V, rt_abs(x) < bound), x, y);
}

// rt_NAME from rt_NAME_lanes: vectors are inlined into the loop, scalars are a call, which keeps thousands of
// scalar uses cheap to compile.
#define RT_HOT_FUNCTION(name)                                     \
  template <class V>                                              \
  RT_CALL V rt_##name##_scalar(V x) {                             \
    return rt_##name##_lanes(x);                                  \
  }                                                               \
  template <class V>                                              \
  RT_INLINE V rt_##name(V x) {                                    \
    static_assert(rt_traits<V>::is_float, #name " is of floats"); \
    if constexpr (rt_traits<V>::is_vector)                        \
      return rt_##name##_lanes(x);                                \
    else                                                          \
      return rt_##name##_scalar(x);                               \
  }

}  // namespace cohort_rt
