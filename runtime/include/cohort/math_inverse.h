// Inverse trigonometric and hyperbolic functions. Those of float are computed in double.
#pragma once
#include "math_log.h"

inline namespace cohort_rt {

// rt_NAME from rt_NAME_double: of double a call, of float that call on converted values.
#define RT_DOUBLE_FUNCTION(name)                                                  \
  template <class V>                                                              \
  RT_INLINE V rt_##name(V x) {                                                    \
    static_assert(rt_traits<V>::is_float, #name " is of floats");                 \
    if constexpr (sizeof(rt_elem<V>) == 4)                                        \
      return rt_in_double([](auto wide) { return rt_##name##_double(wide); }, x); \
    else                                                                          \
      return rt_##name##_double(x);                                               \
  }
#define RT_DOUBLE_FUNCTION_2(name)                                                        \
  template <class A, class B>                                                             \
  RT_INLINE rt_join<A, B> rt_##name(A left, B right) {                                    \
    using V = rt_join<A, B>;                                                              \
    static_assert(rt_traits<V>::is_float, #name " is of floats");                         \
    const V a = rt_as<V>(left), b = rt_as<V>(right);                                      \
    if constexpr (sizeof(rt_elem<V>) == 4)                                                \
      return rt_in_double([](auto x, auto y) { return rt_##name##_double(x, y); }, a, b); \
    else                                                                                  \
      return rt_##name##_double(a, b);                                                    \
  }

template <class V>
RT_INLINE V rt_pi(double scale) {
  return rt_fill<V>(0x1.921fb54442d18p+1 * scale);
}
// base - x, where base is pi times a power of two and has the low part it needs.
template <class V>
RT_INLINE V rt_pi_minus(double scale, V x) {
  return rt_pi<V>(scale) - (x - rt_fill<V>(0x1.1a62633145c07p-53 * scale));
}

// asin(s) for 0 <= s <= 1/2 is s + what this gives.
template <class V>
RT_INLINE V rt_asin_rest(V s, V z) {
  return s * z * rt_poly(z, rt_asin_f64);
}
// Above 1/2 by asin(x) = pi/2 - 2 asin(sqrt((1 - x)/2)).
template <class V>
RT_CALL V rt_asin_double(V x) {
  const V size = rt_abs(x), half = rt_fill<V>(0.5), one = rt_fill<V>(1);
  const auto near = RT_MASK(V, size <= half);
  const V z = rt_select(near, x * x, (one - size) * half);
  const V s = rt_select(near, size, rt_sqrt(z)), y = s + rt_asin_rest(s, z);
  return rt_copysign(rt_select(near, y, rt_pi_minus(0.5, y + y)), x);
}
RT_DOUBLE_FUNCTION(asin)

template <class V>
RT_CALL V rt_acos_double(V x) {
  const V size = rt_abs(x), half = rt_fill<V>(0.5), one = rt_fill<V>(1);
  const auto near = RT_MASK(V, size <= half);
  const V z = rt_select(near, x * x, (one - size) * half);
  const V s = rt_select(near, x, rt_sqrt(z)), rest = rt_asin_rest(s, z), far = s + rest;
  const V middle = rt_pi<V>(0.5) - (s + (rest - rt_fill<V>(0x1.1a62633145c07p-54)));
  const V y = rt_select(RT_MASK(V, x < rt_fill<V>(0)), rt_pi_minus(1, far + far), far + far);
  return rt_select(near, middle, y);
}
RT_DOUBLE_FUNCTION(acos)

// atan(t) + offset: t = x up to tan(pi/8), (x - 1)/(x + 1) up to its reciprocal, then -1/x.
template <class V>
RT_INLINE V rt_atan_positive(V x) {
  const V one = rt_fill<V>(1), zero = rt_fill<V>(0);
  const auto far = RT_MASK(V, x > rt_fill<V>(2.414213562373095)),
             some = RT_MASK(V, x > rt_fill<V>(0.4142135623730951));
  const V numerator = rt_select(far, -one, rt_select(some, x - one, x));
  const V denominator = rt_select(far, x, rt_select(some, x + one, one));
  const V turns = rt_select(far, rt_fill<V>(2), rt_select(some, one, zero));  // of pi/4
  const V t = numerator / denominator, z = t * t;
  const V rest = rt_mad(turns, rt_fill<V>(0x1.1a62633145c07p-55), t * z * rt_poly(z, rt_atan_f64));
  return turns * rt_pi<V>(0.25) + (t + rest);
}
template <class V>
RT_CALL V rt_atan_double(V x) {
  return rt_copysign(rt_atan_positive(rt_abs(x)), x);
}
RT_DOUBLE_FUNCTION(atan)

template <class V>
RT_CALL V rt_atan2_double(V y, V x) {
  const V ax = rt_abs(x), ay = rt_abs(y), one = rt_fill<V>(1), zero = rt_fill<V>(0);
  const auto steep = RT_MASK(V, ay > ax);
  V low = rt_select(steep, ax, ay), high = rt_select(steep, ay, ax);
  const auto equal = RT_MASK(V, ax == ay);  // also both 0 or both infinite
  const V ratio = rt_select(equal, rt_select(RT_MASK(V, high == zero), zero, one), low / high);
  V angle = rt_atan_positive(ratio);
  angle = rt_select(steep, rt_pi_minus(0.5, angle), angle);
  const auto left = RT_MASK(V, rt_copysign(one, x) < zero);
  angle = rt_copysign(rt_select(left, rt_pi_minus(1, angle), angle), y);
  return rt_select(rt_or(rt_isnan(x), rt_isnan(y)), x + y, angle);
}
RT_DOUBLE_FUNCTION_2(atan2)

// log1p(x + x^2/(1 + sqrt(x^2 + 1))); from 2^100 on log(2x).
template <class V>
RT_CALL V rt_asinh_double(V x) {
  const V size = rt_abs(x), one = rt_fill<V>(1), square = size * size;
  const auto far = RT_MASK(V, size > rt_fill<V>(0x1p100));
  const V inner = size + square / (one + rt_sqrt(square + one));
  V y = rt_log1p_inside(rt_select(far, size, inner));
  y = y + rt_select(far, rt_fill<V>(0.69314718055994531), rt_fill<V>(0));
  y = rt_select(RT_MASK(V, size < rt_infinity<V>()), y, size);
  return rt_near_zero(x, rt_fill<V>(0x1p-28), rt_copysign(y, x));
}
RT_DOUBLE_FUNCTION(asinh)

// With t = x - 1: log1p(t + sqrt(t (x + 1))).
template <class V>
RT_CALL V rt_acosh_double(V x) {
  const V one = rt_fill<V>(1), t = x - one;
  const auto far = RT_MASK(V, x > rt_fill<V>(0x1p100));
  V y = rt_log1p_inside(rt_select(far, x, t + rt_sqrt(t * (x + one))));
  y = y + rt_select(far, rt_fill<V>(0.69314718055994531), rt_fill<V>(0));
  y = rt_select(RT_MASK(V, x < rt_infinity<V>()), y, x);
  return rt_select(RT_MASK(V, x < one), rt_not_a_number<V>(), y);
}
RT_DOUBLE_FUNCTION(acosh)

// log1p(2x/(1 - x))/2.
template <class V>
RT_CALL V rt_atanh_double(V x) {
  const V size = rt_abs(x), one = rt_fill<V>(1);
  V y = rt_log1p_inside((size + size) / (one - size)) * rt_fill<V>(0.5);
  y = rt_select(RT_MASK(V, size == one), rt_infinity<V>(), y);
  y = rt_select(RT_MASK(V, size <= one), y, rt_not_a_number<V>());
  return rt_near_zero(x, rt_fill<V>(0x1p-28), rt_copysign(y, x));
}
RT_DOUBLE_FUNCTION(atanh)

}  // namespace cohort_rt
