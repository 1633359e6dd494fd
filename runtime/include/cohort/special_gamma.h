// The incomplete gamma functions, their slope in the parameter, and polygamma.
//
// Both tails are x^a exp(-x) / gamma(a) times an integral over w = |log(t / x)| (t the variable of the
// definition), whose integrand falls from 1 and has no sign: no cancellation, and the same work for every a.
// The slope has a factor log(t) - digamma(a) more; it has one sign below a + 1/2 and one above, so that the
// tail on the side of x keeps the relative error small. Below a = 16 the lower tail is a Taylor series.
#pragma once
#include "special_parts.h"

inline namespace cohort_rt {

enum rt_gamma_part { rt_gamma_below, rt_gamma_above, rt_gamma_slope };

// x^a exp(-x) / gamma(1 + a).
template <class T>
RT_CALL T rt_gamma_density(T a, T x) {
  if (a < 10) {
    const auto power = rt_pair_times(rt_log_exact(x), rt_pair<T>{a, 0});
    return rt_pair_exp(rt_pair_add(power, rt_pair<T>{-x, 0})) / rt_gamma_after(a);
  }
  auto exponent = rt_power_excess(a, rt_pair<T>{x, 0}, rt_two_sum(x, -a));
  exponent.low -= rt_stirling_rest(a);
  return rt_pair_exp(exponent) / (rt_sqrt(a) * 2.5066282746310002);
}

// The lower tail by its series in x, for x <= a + 1/2 and a < 16: x^a exp(-x) / gamma(1 + a) times
// 1 + x/(a+1) + x^2/((a+1)(a+2)) + ...
template <class T>
RT_CALL T rt_gamma_series(T a, T x, bool slope) {
  T term = 1, sum = 1, harmonic = 0, slopes = 0;
  for (int k = 1; k < 200; ++k) {
    const T inverse = 1 / (a + k);
    term *= x * inverse;
    harmonic += inverse;
    sum += term;
    slopes += term * harmonic;
    if (term * (1 + harmonic) < sum * 1e-18) break;
  }
  const T density = rt_gamma_density(a, x);
  return slope ? density * ((rt_log(x) - rt_digamma(1 + a)) * sum - slopes) : density * sum;
}

// log(x) - digamma(a).
template <class T>
RT_CALL T rt_log_minus_digamma(T a, T x) {
  if (a < 16) return rt_log(x) - rt_digamma(a);
  return (x < 0.5 * a ? rt_log(x / a) : rt_log1p((x - a) / a)) + rt_digamma_rest(a);
}

// Where exp(exponent(w)) has fallen to 2^-57; the exponent is concave, and Newton's steps come from above.
template <class F>
RT_INLINE double rt_fall(double w, int steps, F exponent) {
  for (int k = 0; k < steps; ++k) {
    const auto e = exponent(w);  // value and derivative
    if (e.low < 0) w -= (e.high + 39) / e.low;
  }
  return w;
}

// The tail on the side of x, `sign` -1 below and 1 above: its value, or the size of its slope in a.
template <class T>
RT_CALL T rt_gamma_tail(T a, T x, int sign, bool slope) {
  const T distance = sign * (x - a), turn = sign;
  const T root = rt_sqrt(80 / x), linear = distance > 0 ? 40 / distance : T(1e300);
  T start = root < linear ? root : linear;
  if (sign > 0 && a < 16) {
    const T log = rt_log(x), needed = 60 + (x < 1 ? -1.1 * a * log : 0);
    const T most = x < 1e-9 ? rt_log(needed) - log : rt_log1p(needed / x);
    start = most < start || distance <= 0 ? most : start;
  }
  const T length = rt_fall(start, 3, [&](double w) {
    const double excess = rt_expm1_excess(turn * w);
    return rt_pair<double>{-distance * w - x * excess, -distance - x * turn * (excess + turn * w)};
  });
  const auto integral =
      rt_integrate(length, 1 + static_cast<int>(length / 6), [&](auto w, auto& factor) RT_ALWAYS {
        using V = decltype(w);
        factor = w;
        return rt_fill<V>(-distance) * w - rt_fill<V>(x) * rt_expm1_excess(rt_fill<V>(turn) * w);
      });
  const T density = rt_gamma_density(a, x);
  if (!slope) return density * a * integral.high;
  const T factor = turn * rt_log_minus_digamma(a, x);
  return density * (a * factor * integral.high + a * integral.low);
}

template <class T>
RT_CALL T rt_gamma_inside(T a, T x, rt_gamma_part part) {
  const bool below = x <= a + 0.5, slope = part == rt_gamma_slope;
  if (slope) {
    if (below && a < 16) return rt_gamma_series(a, x, true);
    return -rt_gamma_tail(a, x, below ? -1 : 1, true);
  }
  if (!below) {
    const T tail = rt_gamma_tail(a, x, 1, false);
    return part == rt_gamma_above ? tail : 1 - tail;
  }
  const T tail = a < 16 ? rt_gamma_series(a, x, false) : rt_gamma_tail(a, x, -1, false);
  if (part == rt_gamma_below) return tail;
  return tail < 0.6 || a >= 1 ? 1 - tail : rt_gamma_tail(a, x, 1, false);
}

template <class T>
RT_CALL T rt_gamma_anywhere(T a, T x, rt_gamma_part part) {
  const T nan = rt_not_a_number<T>(), inf = rt_infinity<T>();
  const T none = part == rt_gamma_above ? T(1) : T(0), all = part == rt_gamma_below ? T(1) : T(0);
  if (!(a >= 0) || !(x >= 0)) return nan;
  if (a == 0) return x == 0 || part == rt_gamma_slope ? nan : all;
  if (a == inf) return x == inf ? nan : none;
  if (x == 0) return none;
  if (x == inf) return all;
  if (a > 1e35) {  // a step
    if (x != a) return x < a ? none : all;
    return part == rt_gamma_slope ? T(-0.3989422804014327) / rt_sqrt(a) : T(0.5);
  }
  if (part == rt_gamma_slope && a < 1e-290) a = 1e-290;  // where it is that of 0
  return rt_gamma_inside(a, x, part);
}
template <class T>
RT_CALL T rt_gammainc_one(T a, T x) {
  return rt_gamma_anywhere(a, x, rt_gamma_below);
}
RT_LANE_FUNCTION_2(gammainc)
template <class T>
RT_CALL T rt_gammaincc_one(T a, T x) {
  return rt_gamma_anywhere(a, x, rt_gamma_above);
}
RT_LANE_FUNCTION_2(gammaincc)
template <class T>
RT_CALL T rt_gammainc_grad_one(T a, T x) {
  return rt_gamma_anywhere(a, x, rt_gamma_slope);
}
RT_LANE_FUNCTION_2(gammainc_grad)

// n! x^-(n + 1).
template <class T>
RT_CALL T rt_polygamma_scale(T n, T x) {
  if (n <= 165) {  // greater products overflow where a product is split for want of fused multiply-add
    rt_pair<T> product{1, 0};
    for (T k = 2; k <= n; k += 1) product = rt_pair_times(product, rt_pair<T>{k, 0});
    const T half = rt_pow(x, T(-0.5) * (n + 1));
    return product.high * half * half;
  }
  if (n > 1e15) return x < n * T(0.36787944117144233) ? rt_infinity<T>() : T(0);
  const auto ratio = rt_pair_add(rt_log_exact(n), [&] {
    const auto log = rt_log_exact(x);
    return rt_pair<T>{-log.high, -log.low};
  }());
  const auto power = rt_pair_times(rt_pair_add(ratio, rt_pair<T>{-1, 0}), rt_pair<T>{n, 0});
  const T rest = T(0.5) * rt_log(n) + T(0.91893853320467274) + rt_stirling_rest(n) - rt_log(x);
  return rt_pair_exp(rt_pair_add(power, rt_pair<T>{rest, 0}));
}

// n! times the sum of (x + k)^-(n + 1), by Euler and Maclaurin (DLMF 25.11.28 and what stands before it).
template <class T>
RT_CALL T rt_hurwitz(T n, T x) {
  static constexpr double series[] = {// B(2j) / (2j)!
                                      0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                                      -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
                                      0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
                                      -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58,  -0x1.497d9033a2b5cp-63};
  if (x > 1e20 && n < 1000) return rt_polygamma_scale(n - 1, x);
  const T scale = rt_polygamma_scale(n, x), s = n + 1;
  if (scale == 0 || scale == rt_infinity<T>()) return scale;
  T sum = 0, y = x, power = 1;
  for (; y < s + 10; y += 1) {
    sum += power;
    power = rt_pow(x / (y + 1), s);
    if (power * (y + 1) < sum * 1e-18) return scale * sum;
  }
  const T square = 1 / (y * y);
  T term = s / y, tail = 0;
  for (int j = 0; j < 12; ++j) {
    tail += series[j] * term;
    term *= (s + 2 * j + 1) * (s + 2 * j + 2) * square;
  }
  return scale * (sum + power * (y / n + T(0.5) + tail));
}

// (-1)^(n + 1) times the derivative. Below 0 the terms are those above 0 of both sides of x.
template <class T>
RT_CALL T rt_polygamma_size(T n, T x) {
  const bool even = rt_rint(n * T(0.5)) == n * T(0.5);
  if (x > 0) return x == rt_infinity<T>() ? 0 : rt_hurwitz(n, x);
  if (x == 0) return even ? rt_copysign(rt_infinity<T>(), x) : rt_infinity<T>();
  if (x == -rt_infinity<T>()) return rt_not_a_number<T>();
  const T up = rt_floor(x), part = x - up;
  if (part == 0) return even ? rt_not_a_number<T>() : rt_infinity<T>();
  const T rest = rt_rint(x) - x;  // exact, 1 - part where it is small
  const T other = rest > 0 ? rest : 1 - part;
  const T above = rt_hurwitz(n, part), below = rt_hurwitz(n, other), beyond = rt_hurwitz(n, 1 - x);
  if (even && (above == rt_infinity<T>() || below == rt_infinity<T>()))
    return part < other ? rt_infinity<T>() : -rt_infinity<T>();
  return even ? (above - below) + beyond : above + (below - beyond);
}
template <class T>
RT_CALL T rt_polygamma_one(T n, T x) {
  if (x != x || !(n >= 0) || n != rt_floor(n) || n == rt_infinity<T>()) return rt_not_a_number<T>();
  if (n == 0) return rt_digamma(x);
  const T size = rt_polygamma_size(n, x);
  return rt_rint(n * T(0.5)) == n * T(0.5) ? -size : size;
}
RT_LANE_FUNCTION_2(polygamma)
template <class T>
RT_CALL T rt_trigamma_one(T x) {
  return x != x ? x : rt_polygamma_size(T(1), x);
}
RT_LANE_FUNCTION(trigamma)

}  // namespace cohort_rt
