// erf, erfc, log|gamma| and digamma. Those of float are computed in double.
#pragma once
#include "math_inverse.h"
#include "math_trig.h"

inline namespace cohort_rt {

// erfc(x) for x from 0.45 up (29 and more gives 0): a polynomial in (x - 4)/(x + 4) for (1 + 2x) exp(x^2)
// erfc(x), after Shepherd and Laframboise (1981); exp(-x^2) from the square in two parts.
template <class V>
RT_INLINE V rt_erfc_tail(V x) {
  const V most = rt_fill<V>(29), four = rt_fill<V>(4), one = rt_fill<V>(1);
  x = rt_select(RT_MASK(V, x > most), most, x);
  const V head = rt_poly((x - four) / (x + four), rt_erfcx_f64) / rt_mad(rt_fill<V>(2), x, one);
  const auto square = rt_two_product(x, x);
  const auto e = rt_exp_reduce(-square.high);
  return rt_scale(rt_mad(head, rt_expm1_poly(e.r - square.low), head), e.n);
}
template <class V>
RT_INLINE V rt_erf_near(V x) {
  return rt_mad(x, rt_poly(x * x, rt_erf_f64), x);
}
template <class V>
RT_CALL V rt_erf_double(V x) {
  const V size = rt_abs(x), one = rt_fill<V>(1);
  return rt_select(RT_MASK(V, size < one), rt_erf_near(x), rt_copysign(one - rt_erfc_tail(size), x));
}
// 1 - exp(log(erfc(x))) beyond 0.9375; from 4 on the result is 1.
template <class V>
RT_CALL V rt_erf_single(V x) {
  const V most = rt_fill<V>(4), size = rt_abs(x), bounded = rt_select(RT_MASK(V, size > most), most, size);
  const auto e = rt_exp_reduce(-bounded * rt_poly(bounded, rt_erf_far_f32));
  const V tail = rt_scale(rt_fill<V>(1) + rt_expm1_poly(e.r), e.n);
  const V near = rt_mad(x, rt_poly(x * x, rt_erf_f32), x);
  return rt_select(RT_MASK(V, size < rt_fill<V>(0.9375f)), near, rt_copysign(rt_fill<V>(1) - tail, x));
}
template <class V>
RT_INLINE V rt_erf(V x) {
  static_assert(rt_traits<V>::is_float, "erf is of floats");
  if constexpr (sizeof(rt_elem<V>) == 4)
    return rt_erf_single(x);
  else
    return rt_erf_double(x);
}
template <class V>
RT_CALL V rt_erfc_double(V x) {
  const V size = rt_abs(x), one = rt_fill<V>(1), zero = rt_fill<V>(0);
  const V tail = rt_erfc_tail(size);
  const V far = rt_select(RT_MASK(V, x < zero), rt_fill<V>(2) - tail, tail);
  const auto near = rt_and(RT_MASK(V, x < rt_fill<V>(0.5)), RT_MASK(V, x > -one));
  return rt_select(near, one - rt_erf_near(x), far);
}
RT_DOUBLE_FUNCTION(erfc)

// sin(pi x) and cos(pi x) for |x| <= 1/2.
template <class V>
RT_INLINE rt_pair<V> rt_sin_cos_pi(V x) {
  const V size = rt_abs(x), zero = rt_fill<V>(0), pi = rt_pi<V>(1);
  const auto beyond = RT_MASK(V, size > rt_fill<V>(0.25));
  const V angle = pi * rt_select(beyond, rt_fill<V>(0.5) - size, size);
  const V sine = rt_sin_poly(angle, zero), cosine = rt_cos_poly(angle, zero);
  return {rt_copysign(rt_select(beyond, cosine, sine), x), rt_select(beyond, sine, cosine)};
}

// log|gamma(x)|. Below 10: t P(t) around the zeros 1 and 2, where the relative error stays small, and log of
// the product that the recurrence gives between; from 10 on Stirling's series; below -1/2 reflection.
template <class V>
RT_CALL V rt_gammaln_double(V x) {
  const V size = rt_abs(x), one = rt_fill<V>(1), two = rt_fill<V>(2), half = rt_fill<V>(0.5);
  const auto large = RT_MASK(V, size >= rt_fill<V>(10)), small = RT_MASK(V, size < half);
  V y = size, product = one;
  for (int k = 0; k < 8; ++k) {
    const auto above = rt_and(RT_MASK(V, y >= rt_fill<V>(2.5)), rt_not(large));
    y = rt_select(above, y - one, y);
    product = rt_select(above, product * y, product);
  }
  const auto first = RT_MASK(V, y < rt_fill<V>(1.5));
  const V t1 = rt_select(small, x, y - one), t2 = y - two;
  const V base = rt_select(first, t1 * rt_poly(t1, rt_lgamma1_f64), t2 * rt_poly(t2, rt_lgamma2_f64));
  const V log = rt_log_lanes(rt_select(large, size, rt_select(small, size, product)));
  const V near = base + rt_select(small, -log, log);
  static constexpr double stirling[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                        1.0 / 1188, -691.0 / 360360, 1.0 / 156};
  const V inverse = one / size;
  const V series = rt_mad(inverse, rt_poly(inverse * inverse, stirling), rt_fill<V>(0x1.acfe390c97d69p-2));
  const V far = rt_mad(size - half, log - one, series);
  const V above = rt_select(large, far, near);
  const auto reflect = RT_MASK(V, x <= -half);
  V value = above;
  if (rt_any_lane(reflect)) {
    // log(pi) - log|x sin(pi x)| - log|gamma(|x|)|
    const V sine = rt_abs(rt_sin_cos_pi(size - rt_rint(size)).high);
    const V below = rt_fill<V>(0x1.250d048e7a1bdp+0) - rt_log_lanes(size * sine) - above;
    value = rt_select(reflect, rt_select(RT_MASK(V, sine == rt_fill<V>(0)), rt_infinity<V>(), below), value);
  }
  return rt_select(RT_MASK(V, size < rt_infinity<V>()), value, size);
}
RT_DOUBLE_FUNCTION(gammaln)

// (x - root) P(x) from 1 to 2, which keeps the relative error at the root; the recurrence up to 10, the
// asymptotic series from there; reflection below 0.
template <class V>
RT_CALL V rt_digamma_double(V x) {
  const V zero = rt_fill<V>(0), one = rt_fill<V>(1), two = rt_fill<V>(2);
  const auto negative = RT_MASK(V, x < zero);
  const V start = rt_select(negative, one - x, x);
  const auto large = RT_MASK(V, start >= rt_fill<V>(10)), small = RT_MASK(V, start < one);
  V y = rt_select(small, start + one, start), sum = rt_select(small, -one / start, zero);
  for (int k = 0; k < 8; ++k) {
    const auto above = rt_and(RT_MASK(V, y > two), rt_not(large));
    y = rt_select(above, y - one, y);
    sum = rt_select(above, sum + one / y, sum);
  }
  const V distance = (y - rt_fill<V>(rt_digamma_root[0])) - rt_fill<V>(rt_digamma_root[1]);
  const V near = rt_mad(distance, rt_poly(y - rt_fill<V>(1.5), rt_digamma_f64), sum);
  static constexpr double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                      1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const V inverse = one / start, z = inverse * inverse;
  const V far = rt_log_lanes(start) - (inverse * rt_fill<V>(0.5) + z * rt_poly(z, series));
  V value = rt_select(large, far, near);
  if (rt_any_lane(negative)) {
    const V rest = x - rt_rint(x);
    const auto part = rt_sin_cos_pi(rest);
    const V reflected = value - rt_pi<V>(1) * part.low / part.high;
    value = rt_select(negative, rt_select(RT_MASK(V, rest == zero), rt_not_a_number<V>(), reflected), value);
  }
  value = rt_select(RT_MASK(V, x == zero), rt_copysign(rt_infinity<V>(), -x), value);
  value = rt_select(RT_MASK(V, x == rt_infinity<V>()), x, value);
  return rt_select(RT_MASK(V, x == -rt_infinity<V>()), rt_not_a_number<V>(), value);
}
RT_DOUBLE_FUNCTION(digamma)

}  // namespace cohort_rt
