// exp, exp2, expm1 and what is made of them: tanh, sigmoid, sinh, cosh.
#pragma once
#include "math_core.h"

inline namespace cohort_rt {

// x = n log(2) + r with |r| <= log(2)/2 (Cody and Waite: log(2) in two parts, the first short, so n * first
// is exact).
template <class V>
struct rt_exp_parts {
  V n, r, rounded;
};
template <class V>
RT_INLINE rt_exp_parts<V> rt_exp_reduce(V x) {
  const V rounder = rt_rounder<V>();
  const V rounded = rt_mad(x, rt_number<V>(0x1.715476p+0f, 0x1.71547652b82fep+0), rounder);
  const V n = rounded - rounder;
  V r = rt_mad(n, rt_number<V>(-0.693359375f, -6.93147180369123816490e-01), x);
  r = rt_mad(n, rt_number<V>(2.12194440e-4f, -1.90821492927058770002e-10), r);
  return {n, r, rounded};
}
// exp(r) - 1 for |r| <= log(2)/2.
template <class V>
RT_INLINE V rt_expm1_poly(V r) {
  return rt_mad(r * r, rt_poly(r, rt_by_type<V>(rt_exp_f32, rt_exp_f64)), r);
}
template <class V>
RT_INLINE V rt_clamp(V x, V low, V high) {  // keeps NaN
  x = rt_select(RT_MASK(V, x > high), high, x);
  return rt_select(RT_MASK(V, x < low), low, x);
}

// exp(x) * 2^k, without overflow or underflow between.
template <class V>
RT_INLINE V rt_exp_times(V x, rt_elem<V> k) {
  const V inside = rt_clamp(x, rt_number<V>(-105.0f, -747.0), rt_number<V>(91.0f, 712.0));
  const auto e = rt_exp_reduce(inside);
  return rt_scale(rt_fill<V>(1) + rt_expm1_poly(e.r), k == 0 ? e.n : e.n + rt_fill<V>(k));
}
template <class V>
RT_INLINE V rt_exp_lanes(V x) {
  return rt_exp_times(x, 0);
}
RT_HOT_FUNCTION(exp)

template <class V>
RT_INLINE V rt_exp2_lanes(V x) {
  x = rt_clamp(x, rt_number<V>(-152.0f, -1080.0), rt_number<V>(130.0f, 1030.0));
  const V n = (x + rt_rounder<V>()) - rt_rounder<V>(), r = x - n;
  return rt_scale(rt_mad(r, rt_poly(r, rt_by_type<V>(rt_exp2_f32, rt_exp2_f64)), rt_fill<V>(1)), n);
}
RT_HOT_FUNCTION(exp2)

template <class V>
RT_INLINE V rt_expm1_lanes(V x) {
  const auto e = rt_exp_reduce(rt_clamp(x, rt_number<V>(-40.0f, -60.0), rt_number<V>(89.0f, 710.0)));
  // 2^n p + (2^n - 1), halved so that 2^n does not overflow before the result does.
  const V half = rt_exp2_of<V>(rt_ubits<V>(rt_rounded_bits(e.rounded) - 1u));
  const V y = rt_mad(half, rt_expm1_poly(e.r), half - rt_fill<V>(rt_elem<V>(0.5)));
  return rt_near_zero(x, rt_number<V>(0x1p-26f, 0x1p-55), y + y);
}
RT_HOT_FUNCTION(expm1)

// -expm1(-2|x|) / (2 + expm1(-2|x|)).
template <class V>
RT_INLINE V rt_tanh_lanes(V x) {
  V y = rt_abs(x) * rt_fill<V>(-2);
  const V low = rt_fill<V>(rt_elem<V>(-48));
  y = rt_select(RT_MASK(V, y < low), low, y);
  const auto e = rt_exp_reduce(y);
  const V s = rt_exp2_of<V>(rt_rounded_bits(e.rounded)), one = rt_fill<V>(1);
  const V m = rt_mad(s, rt_expm1_poly(e.r), s - one);
  return rt_copysign(m / (m + rt_fill<V>(2)), x);
}
RT_HOT_FUNCTION(tanh)

// exp(-|x|).
template <class V>
RT_INLINE V rt_exp_minus_abs(V x) {
  const V low = rt_number<V>(-105.0f, -747.0);
  V y = -rt_abs(x);
  y = rt_select(RT_MASK(V, y < low), low, y);
  const auto e = rt_exp_reduce(y);
  return rt_scale(rt_fill<V>(1) + rt_expm1_poly(e.r), e.n);
}
// 1 / (1 + exp(-x)), by exp(-|x|) so that it is right to the last denormal.
template <class V>
RT_INLINE V rt_sigmoid_lanes(V x) {
  const V one = rt_fill<V>(1), e = rt_exp_minus_abs(x);
  return rt_select(RT_MASK(V, x < rt_fill<V>(0)), e, one) / (one + e);
}
RT_HOT_FUNCTION(sigmoid)

// With q = expm1(|x|)/4: 2 (q + q/(4q + 1)), which overflows where sinh does.
template <class V>
RT_INLINE V rt_sinh_lanes(V x) {
  const V one = rt_fill<V>(1), four = rt_fill<V>(4), most = rt_number<V>(89.5f, 710.5);
  V y = rt_abs(x);
  y = rt_select(RT_MASK(V, y > most), most, y);
  const auto e = rt_exp_reduce(y);
  const V quarter = rt_exp2_of<V>(rt_ubits<V>(rt_rounded_bits(e.rounded) - 2u));
  const V q = rt_mad(quarter, rt_expm1_poly(e.r), quarter - rt_fill<V>(rt_elem<V>(0.25)));
  const V half = q + q / rt_mad(q, four, one);
  return rt_near_zero(x, rt_number<V>(0x1p-13f, 0x1p-27), rt_copysign(half + half, x));
}
RT_HOT_FUNCTION(sinh)

template <class V>
RT_INLINE V rt_cosh_lanes(V x) {
  const V t = rt_exp_times(rt_abs(x), -1);
  return t + rt_fill<V>(rt_elem<V>(0.25)) / t;
}
RT_HOT_FUNCTION(cosh)

}  // namespace cohort_rt
