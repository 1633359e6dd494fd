// Functions around the normal distribution: erfcx, erfinv, erfcinv, ndtr, log_ndtr, ndtri. Those of float are
// computed in double.
#pragma once
#include "special_parts.h"

inline namespace cohort_rt {

// exp(x^2) erfc(x) for x >= 0.45: the polynomial of erfc's tail, from 29 on the asymptotic series.
template <class V>
RT_INLINE V rt_erfcx_tail(V x) {
  const V most = rt_fill<V>(29), four = rt_fill<V>(4), one = rt_fill<V>(1), two = rt_fill<V>(2);
  const auto far = RT_MASK(V, x > most);
  const V inside = rt_select(far, most, x);
  const V near = rt_poly((inside - four) / (inside + four), rt_erfcx_f64) / rt_mad(two, inside, one);
  static constexpr double series[] = {1, -1, 3, -15, 105, -945};
  const V inverse = one / x, t = rt_fill<V>(0.5) * inverse * inverse;
  return rt_select(far, rt_fill<V>(0x1.20dd750429b6dp-1) * inverse * rt_poly(t, series), near);
}
// exp(x^2).
template <class V>
RT_INLINE V rt_exp_of_square(V x) {
  const V most = rt_fill<V>(27), size = rt_abs(x);
  const V bounded = rt_select(RT_MASK(V, size > most), most, size);
  return rt_pair_exp(rt_two_product(bounded, bounded));
}
template <class V>
RT_CALL V rt_erfcx_double(V x) {
  const V half = rt_fill<V>(0.45), size = rt_abs(x);
  const auto near = RT_MASK(V, size < half);
  const V tail = rt_erfcx_tail(rt_select(near, half, size));
  V square = rt_fill<V>(1);
  if (rt_any_lane(RT_MASK(V, x < half))) square = rt_exp_of_square(x);
  const V inside = square * (rt_fill<V>(1) - rt_erf_near(rt_select(near, x, half)));
  V value = rt_select(RT_MASK(V, x < rt_fill<V>(0)), rt_fill<V>(2) * square - tail, tail);
  value = rt_select(near, inside, value);
  return rt_select(RT_MASK(V, x == x), value, x);
}
RT_DOUBLE_FUNCTION(erfcx)

// A first guess at x with erf(x) = y (Giles, Approximating the erfinv function, 2010), from w = -log(1 - y^2)
// to 2e-6 or so, x/y given.
template <class V>
RT_INLINE V rt_erfinv_guess(V w) {
  static constexpr double near[] = {1.50140941,     0.246640727,    -0.00417768164,
                                    -0.00125372503, 0.00021858087,  -4.39150654e-06,
                                    -3.5233877e-06, 3.43273939e-07, 2.81022636e-08};
  static constexpr double far[] = {2.83297682,    1.00167406,     0.00943887047,
                                   -0.0076224613, 0.00573950773,  -0.00367342844,
                                   0.00134934322, 0.000100950558, -0.000200214257};
  const auto is_near = RT_MASK(V, w < rt_fill<V>(5));
  const V root = rt_sqrt(w);
  const V middle = rt_poly(w - rt_fill<V>(2.5), near), tail = rt_poly(root - rt_fill<V>(3), far);
  return rt_select(is_near, middle, tail);
}
// x with erf(x) = y for |y| <= 1/2: the guess, and a step of Halley's iteration.
template <class V>
RT_INLINE V rt_erfinv_middle(V y) {
  const V one = rt_fill<V>(1);
  const V x = y * rt_erfinv_guess(-rt_log1p_lanes(-y * y));
  const V slope = rt_fill<V>(0x1.20dd750429b6dp+0) * rt_exp_lanes(-x * x);
  // erf(x) = x + x r; the difference from y is taken before it is rounded.
  const V rest = x * rt_poly(x * x, rt_erf_f64), step = ((x - y) + rest) / slope;
  return x - step / rt_mad(x, step, one);
}
// x >= 0.45 or so with erfc(x) = q, for 0 < q <= 1/2. Beyond the guess's range by the tail's leading terms;
// steps of Halley's iteration on log(erfc(x)), to whose derivative erfc's ratio is known.
template <class V>
RT_INLINE V rt_erfcinv_tail(V q) {
  const V one = rt_fill<V>(1), log = -rt_log_lanes(q);
  const V near = rt_erfinv_guess(-rt_log_lanes(q * (rt_fill<V>(2) - q))) * (one - q);
  V far = rt_sqrt(log);
  for (int k = 0; k < 2; ++k)
    far = rt_sqrt(log - rt_log_lanes(far * rt_fill<V>(0x1.c5bf891b4ef6bp+0)) - rt_fill<V>(0.5) / (far * far));
  V x = rt_select(RT_MASK(V, log > rt_fill<V>(12)), far, near);
  for (int k = 0; k < 2; ++k) {
    // log(erfc(x) / q) over its slope -2/sqrt(pi) / erfcx(x).
    const V scaled = rt_erfcx_tail(x);
    const auto square = rt_two_product(x, x);
    const auto e = rt_exp_reduce(-square.high);
    const V ratio = rt_scale(scaled * (one + rt_expm1_poly(e.r - square.low)), e.n + rt_fill<V>(60)) /
                    (q * rt_fill<V>(0x1p60));
    const V step = (ratio - one) * (scaled / ratio) * rt_fill<V>(0x1.c5bf891b4ef6bp-1);
    x = x + step / rt_mad(-x, step, one);
  }
  return x;
}
template <class V>
RT_CALL V rt_erfinv_double(V y) {
  const V size = rt_abs(y), one = rt_fill<V>(1), half = rt_fill<V>(0.5);
  const auto middle = RT_MASK(V, size <= half);
  const V tail = rt_erfcinv_tail(rt_select(middle, half, one - size));
  V x = rt_select(middle, rt_erfinv_middle(rt_select(middle, y, half)), rt_copysign(tail, y));
  x = rt_select(RT_MASK(V, y == rt_fill<V>(0)), y, x);
  x = rt_select(RT_MASK(V, size == one), rt_copysign(rt_infinity<V>(), y), x);
  return rt_select(RT_MASK(V, size <= one), x, rt_not_a_number<V>());
}
RT_DOUBLE_FUNCTION(erfinv)

// x with erfc(x) = q for 0 <= q <= 2.
template <class V>
RT_INLINE V rt_erfcinv_lanes(V q) {
  const V one = rt_fill<V>(1), two = rt_fill<V>(2), half = rt_fill<V>(0.5), zero = rt_fill<V>(0);
  const auto upper = RT_MASK(V, q > one);
  const V least = rt_select(upper, two - q, q);
  const auto middle = RT_MASK(V, least >= half), inside = RT_MASK(V, least > zero);
  const V tail = rt_erfcinv_tail(rt_select(inside, least, half));
  V x = rt_select(upper, -tail, tail);
  x = rt_select(middle, rt_erfinv_middle(rt_select(middle, one - q, zero)), x);
  x = rt_select(RT_MASK(V, least == zero), rt_copysign(rt_infinity<V>(), one - q), x);
  return rt_select(RT_MASK(V, least >= zero), x, rt_not_a_number<V>());
}
template <class V>
RT_CALL V rt_erfcinv_double(V q) {
  return rt_erfcinv_lanes(q);
}
RT_DOUBLE_FUNCTION(erfcinv)
// The normal quantile: -sqrt(2) erfcinv(2 p).
template <class V>
RT_CALL V rt_ndtri_double(V p) {
  const V root = rt_fill<V>(-0x1.6a09e667f3bcdp+0), x = rt_erfcinv_lanes(p + p);
  return rt_select(RT_MASK(V, p == rt_fill<V>(0.5)), rt_fill<V>(0), x * root);
}
RT_DOUBLE_FUNCTION(ndtri)

// x / sqrt(2) in two parts.
template <class V>
RT_INLINE rt_pair<V> rt_over_root_two(V x) {
  const V high = rt_fill<V>(0x1.6a09e667f3bcdp-1), low = rt_fill<V>(-0x1.bdd3413b26456p-55);
  const auto product = rt_two_product(x, high);
  return {product.high, product.low + x * low};
}
// The normal distribution's probability below x: erfc(-x / sqrt(2)) / 2.
template <class V>
RT_INLINE V rt_ndtr_lanes(V x) {
  const V most = rt_fill<V>(40);
  const V bounded = rt_clamp(x, -most, most);
  const auto z = rt_over_root_two(-bounded);
  const V change = z.low * rt_fill<V>(0x1.20dd750429b6dp+0) * rt_exp_lanes(-z.high * z.high);
  return rt_fill<V>(0.5) * (rt_erfc_double(z.high) - change);
}
template <class V>
RT_CALL V rt_ndtr_double(V x) {
  return rt_ndtr_lanes(x);
}
RT_DOUBLE_FUNCTION(ndtr)
// Its logarithm: log(erfcx(-x / sqrt(2)) / 2) - x^2 / 2 below -1.
template <class V>
RT_CALL V rt_log_ndtr_double(V x) {
  const V one = rt_fill<V>(1), half = rt_fill<V>(0.5), size = rt_abs(x);
  const auto below = RT_MASK(V, x < -one);
  const V upper = rt_log1p_lanes(-rt_ndtr_lanes(-rt_select(below, one, x)));
  const V tail = rt_erfcx_tail(rt_select(below, rt_over_root_two(size).high, one));
  const V lower = rt_log_lanes(half * tail) - half * x * x;
  return rt_select(below, rt_select(RT_MASK(V, x == -rt_infinity<V>()), x, lower), upper);
}
RT_DOUBLE_FUNCTION(log_ndtr)

}  // namespace cohort_rt
