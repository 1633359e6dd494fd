// What the special functions are built from: numbers as sums of two doubles, logarithms and powers in them,
// and the integral of a tail.
//
// The functions of special_*.h are scalar code on doubles, templates only so that a module that uses none
// compiles none. A vector goes through them lane by lane, floats are computed in double.
#pragma once
#include "math_power.h"
#include "math_special.h"
#include "special_tables.h"
#include "vector.h"

inline namespace cohort_rt {

#define RT_LANE_DOUBLE(name, parameters, arguments, lanes)                      \
  template <class V>                                                            \
  RT_INLINE V rt_##name##_double parameters {                                   \
    if constexpr (rt_traits<V>::is_vector)                                      \
      return rt_build<V>([&](int k) { return rt_##name##_one<double> lanes; }); \
    else                                                                        \
      return rt_##name##_one<double> arguments;                                 \
  }
// rt_NAME of vectors and scalars from rt_NAME_one of doubles.
#define RT_LANE_FUNCTION(name)             \
  RT_LANE_DOUBLE(name, (V x), (x), (x[k])) \
  RT_DOUBLE_FUNCTION(name)
#define RT_LANE_FUNCTION_2(name)                         \
  RT_LANE_DOUBLE(name, (V a, V b), (a, b), (a[k], b[k])) \
  RT_DOUBLE_FUNCTION_2(name)
#define RT_LANE_FUNCTION_3(name)                                                                        \
  RT_LANE_DOUBLE(name, (V a, V b, V c), (a, b, c), (a[k], b[k], c[k]))                                  \
  template <class A, class B, class C>                                                                  \
  RT_INLINE rt_join3<A, B, C> rt_##name(A first, B second, C third) {                                   \
    using V = rt_join3<A, B, C>;                                                                        \
    static_assert(rt_traits<V>::is_float, #name " is of floats");                                       \
    const V a = rt_as<V>(first), b = rt_as<V>(second), c = rt_as<V>(third);                             \
    if constexpr (sizeof(rt_elem<V>) == 4)                                                              \
      return rt_in_double([](auto x, auto y, auto z) { return rt_##name##_double(x, y, z); }, a, b, c); \
    else                                                                                                \
      return rt_##name##_double(a, b, c);                                                               \
  }

// --- Sums of two doubles ---

template <class V>
RT_INLINE rt_pair<V> rt_pair_add(rt_pair<V> a, rt_pair<V> b) {
  const auto sum = rt_two_sum(a.high, b.high);
  return rt_quick_two_sum(sum.high, sum.low + (a.low + b.low));
}
template <class V>
RT_INLINE rt_pair<V> rt_pair_times(rt_pair<V> a, rt_pair<V> b) {
  const auto product = rt_two_product(a.high, b.high);
  return rt_quick_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
template <class V>
RT_INLINE rt_pair<V> rt_pair_over(rt_pair<V> a, rt_pair<V> b) {
  const V q = a.high / b.high;
  const auto back = rt_two_product(q, b.high);
  return rt_quick_two_sum(q, (((a.high - back.high) - back.low) + a.low - q * b.low) / b.high);
}
template <class V>
RT_INLINE rt_pair<V> rt_pair_log(rt_pair<V> x) {
  const auto log = rt_log_exact(x.high);
  return rt_quick_two_sum(log.high, log.low + x.low / x.high);
}
template <class V>
RT_INLINE V rt_pair_exp(rt_pair<V> x) {
  const V inside = rt_clamp(x.high, rt_fill<V>(-747), rt_fill<V>(712));
  const auto e = rt_exp_reduce(inside);
  const V r = e.r + rt_select(RT_MASK(V, inside == x.high), x.low, rt_fill<V>(0));
  return rt_scale(rt_fill<V>(1) + rt_expm1_poly(r), e.n);
}

// --- Differences that cancel ---

// exp(x) - 1 - x.
template <class V>
RT_INLINE V rt_expm1_excess(V x) {
  const V near = x * x * rt_poly(x, rt_exp_f64);
  return rt_select(RT_MASK(V, rt_abs(x) < rt_fill<V>(0.34)), near, rt_expm1_lanes(x) - x);
}
// log(1 + x) - x = -s x + 2 (atanh(s) - s), s = x / (2 + x).
template <class V>
RT_INLINE V rt_log1p_excess(V x) {
  const V s = x / (x + rt_fill<V>(2)), z = s * s;
  const V near = s * (z * rt_poly(z, rt_log_f64)) - s * x;
  return rt_select(RT_MASK(V, rt_abs(s) < rt_fill<V>(0.17)), near, rt_log1p_lanes(x) - x);
}
// a log(to / a) - change, where to = a + change: what is left of a log-density's exponent around its mode
// (Loader, Fast and Accurate Computation of Binomial Probabilities, 2000).
template <class T>
RT_CALL rt_pair<T> rt_power_excess(T a, rt_pair<T> to, rt_pair<T> change) {
  const rt_pair<T> whole{a, 0}, s = rt_pair_over(change, rt_pair_add(to, whole));
  if (rt_abs(s.high) < 0.15) {
    const auto square = rt_pair_times(s, change);
    const T z = s.high * s.high, cubic = a * (s.high * z * rt_poly(z, rt_log_f64));
    return rt_pair_add(rt_pair<T>{-square.high, -square.low}, rt_pair<T>{cubic, 0});
  }
  const auto log = rt_pair_log(to), own = rt_log_exact(a);
  const auto ratio = rt_pair_add(log, rt_pair<T>{-own.high, -own.low});
  return rt_pair_add(rt_pair_times(ratio, whole), rt_pair<T>{-change.high, -change.low});
}

// --- Gamma functions of positive numbers ---

// gamma(1 + a) for 0 <= a <= 20 or so.
template <class T>
RT_CALL T rt_gamma_after(T a) {
  T product = 1;
  for (; a > 0.5; a -= 1) product *= a;
  return product * rt_exp(a * rt_poly(a, rt_lgamma1_f64));
}
// log(gamma(a)) less Stirling's (a - 1/2) log(a) - a + log(2 pi)/2, for a >= 10.
template <class V>
RT_INLINE V rt_stirling_rest(V a) {
  static constexpr double series[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                      1.0 / 1188, -691.0 / 360360, 1.0 / 156};
  const V inverse = rt_fill<V>(1) / a;
  return inverse * rt_poly(inverse * inverse, series);
}
// log(a) - digamma(a) for a >= 10.
template <class V>
RT_INLINE V rt_digamma_rest(V a) {
  static constexpr double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                      1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const V inverse = rt_fill<V>(1) / a, z = inverse * inverse;
  return inverse * rt_fill<V>(0.5) + z * rt_poly(z, series);
}
// digamma(a + change) - digamma(a), which keeps its relative error where the change is small.
template <class T>
RT_CALL T rt_digamma_change(T a, T change) {
  static constexpr double series[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                      1.0 / 132, -691.0 / 32760, 1.0 / 12};
  T sum = 0;
  for (; a < 10; a += 1) sum += change / a / (a + change);
  const T end = a + change, z = 1 / (a * a), end_z = 1 / (end * end);
  // (P(z) - P(end_z)) / (z - end_z) for P(z) = z series(z), by Horner's rule for both.
  T value = series[6], slope = 0;
  for (int k = 5; k >= 0; --k) {
    slope = slope * z + value;
    value = value * end_z + series[k];
  }
  slope = slope * z + value;
  const T ratio = change / a;
  return sum + (rt_log1p(ratio) + T(0.5) * ratio / end + ratio * (2 * a + change) * slope * (z * a) * end_z);
}

// --- Integrals ---

// On a lambda that gives vectors: they must not pass through a call.
#define RT_ALWAYS __attribute__((always_inline))

// The integrals of exp(f(w)) and of exp(f(w)) g(w) for w from 0 to `length`, by Gauss and Legendre in 32
// points for each of `panels` pieces. f takes a vector of w and a reference in which it leaves g.
template <class F>
RT_INLINE rt_pair<double> rt_integrate(double length, int panels, F f) {
  const double width = length / panels;
#if defined(__CUDACC__)  // the same eight sums, one element after the other
  double sum[8] = {}, moment[8] = {};
  for (int panel = 0; panel < panels; ++panel) {
    for (int k = 0; k < 32; ++k) {
      double factor = 0;
      const double exponent = f((rt_gauss_nodes[k] + panel) * width, factor);
      const double value = rt_gauss_weights[k] * rt_exp(exponent);
      sum[k % 8] += value;
      moment[k % 8] += value * factor;
    }
  }
  return {rt_combine<rt_op_sum, 8>(sum) * width, rt_combine<rt_op_sum, 8>(moment) * width};
#else
  using V = rt_vec<double, 8>;
  V sum = {}, moment = {};
  for (int panel = 0; panel < panels; ++panel) {
    for (int k = 0; k < 32; k += 8) {
      const rt_lanes<8> at{k};
      V factor = {};
      const V w = (rt_load(rt_gauss_nodes, at) + rt_fill<V>(static_cast<double>(panel))) * rt_fill<V>(width);
      const V exponent = f(w, factor);
      const V value = rt_load(rt_gauss_weights, at) * rt_exp_lanes(exponent);
      sum += value;
      moment += value * factor;
    }
  }
  return {rt_combine_lanes<rt_op_sum>(sum) * width, rt_combine_lanes<rt_op_sum>(moment) * width};
#endif
}

}  // namespace cohort_rt
