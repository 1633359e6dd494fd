// Modified Bessel functions: I0 and I1 by polynomials, I and K of any order v >= 0 scaled by exp(-x) and
// exp(x).
//
// With r = sqrt(v^2 + x^2): from 100 on Debye's uniform expansion (DLMF 10.41.3) in powers of 1/r. Below, I
// by its power series, whose terms are positive, and K of an order within 1/2 of 0 by Temme's series or an
// integral, from there by the recurrence in the order, which is stable upwards.
#pragma once
#include "special_gamma.h"

inline namespace cohort_rt {

// I_n(x) exp(-|x|) for n = 0 or 1.
template <int N, class V>
RT_INLINE V rt_bessel_scaled(V x) {
  const V eight = rt_fill<V>(8), size = rt_abs(x);
  const auto near = RT_MASK(V, size <= eight);
  const V small = rt_select(near, size, eight), large = rt_select(near, eight, size);
  const V t = small * small * rt_fill<V>(0.25), inverse = rt_fill<V>(1) / large;
  const V decay = rt_exp_minus_abs(small);
  V inside, outside;
  if constexpr (N == 0) {
    inside = rt_mad(t, rt_poly(t, rt_i0_near_f64), rt_fill<V>(1));
    outside = rt_poly(inverse, rt_i0_far_f64);
  } else {
    inside = small * rt_fill<V>(0.5) * rt_mad(t, rt_poly(t, rt_i1_near_f64), rt_fill<V>(1));
    outside = rt_poly(inverse, rt_i1_far_f64);
  }
  V value = rt_select(near, inside * decay, outside / rt_sqrt(large));
  if constexpr (N == 1) value = rt_copysign(value, x);
  return rt_select(RT_MASK(V, x == x), value, x);
}
template <class V>
RT_CALL V rt_i0e_double(V x) {
  return rt_bessel_scaled<0>(x);
}
RT_DOUBLE_FUNCTION(i0e)
template <class V>
RT_CALL V rt_i1e_double(V x) {
  return rt_bessel_scaled<1>(x);
}
RT_DOUBLE_FUNCTION(i1e)
// The same without the scale; the exponential in halves, as it overflows first.
template <int N, class V>
RT_INLINE V rt_bessel_plain(V x) {
  const V most = rt_fill<V>(1400), size = rt_abs(x);
  const V half = rt_exp_lanes(rt_fill<V>(0.5) * rt_select(RT_MASK(V, size > most), most, size));
  const V value = half * (half * rt_bessel_scaled<N>(x));
  return rt_select(RT_MASK(V, size == rt_infinity<V>()), N == 0 ? size : x, value);
}
template <class V>
RT_CALL V rt_i0_double(V x) {
  return rt_bessel_plain<0>(x);
}
RT_DOUBLE_FUNCTION(i0)
template <class V>
RT_CALL V rt_i1_double(V x) {
  return rt_bessel_plain<1>(x);
}
RT_DOUBLE_FUNCTION(i1)

// sqrt(v^2 + x^2) - x - v asinh(v / x).
template <class T>
RT_CALL rt_pair<T> rt_debye_exponent(T v, T x, T r) {
  if (v < x * 0.02 || r > 1e150) return {v * (v / (r * T(0.5) + x * T(0.5)) * T(0.5) - rt_asinh(v / x)), 0};
  const auto vv = rt_two_product(v, v), xx = rt_two_product(x, x);
  const auto square = rt_pair_add(vv, xx);
  const T root = rt_sqrt(square.high);
  const auto back = rt_two_product(root, root);
  const rt_pair<T> exact{root, ((square.high - back.high) - back.low + square.low) / (2 * root)};
  const auto up = rt_pair_log(rt_pair_add(exact, rt_pair<T>{v, 0})), down = rt_log_exact(x);
  const auto angle = rt_pair_add(up, rt_pair<T>{-down.high, -down.low});
  const auto turned = rt_pair_times(angle, rt_pair<T>{-v, 0});
  return rt_pair_add(rt_pair_add(exact, rt_pair<T>{-x, 0}), turned);
}
// The sum of (sign / r)^k times a polynomial in (v / r)^2.
template <class T>
RT_CALL T rt_debye_sum(T v, T r, T sign) {
  const T ratio = v / r, p = ratio * ratio, step = sign / r;
  T sum = 0;
  int last = static_cast<int>(sizeof(rt_debye_f64) / sizeof(double));
  for (int degree = 10; degree > 0; --degree) {
    T value = 0;
    for (int k = 0; k <= degree; ++k) value = value * p + rt_debye_f64[--last];
    sum = (sum + value) * step;
  }
  return 1 + sum;
}
template <class T>
RT_CALL T rt_ive_positive(T v, T x) {
  const T r = rt_hypot(v, x);
  if (r >= 100) {
    const T start = r == rt_infinity<T>() ? T(0) : rt_debye_sum(v, r, T(1)) / rt_sqrt(r);
    return rt_pair_exp(rt_debye_exponent(v, x, r)) * start * T(0.3989422804014327);
  }
  if (x < 1e-300) {
    const auto log = rt_pair_add(rt_log_exact(x), rt_pair<T>{-0x1.62e42fefa39efp-1, -0x1.abc9e3b39803fp-56});
    return v > 10 ? 0 : rt_pair_exp(rt_pair_times(log, rt_pair<T>{v, 0})) / rt_gamma_after(v);
  }
  const T half = x * T(0.5), t = half * half;
  T term = 1, sum = 1;
  for (int k = 1; k < 300; ++k) {
    term *= t / (k * (v + k));
    sum += term;
    if (term < sum * 1e-18) break;
  }
  return rt_gamma_density(v, half) * (rt_exp(-half) * sum);
}
template <class T>
RT_CALL T rt_ive_one(T v, T x) {
  const T inf = rt_infinity<T>(), size = rt_abs(x);
  if (!(v >= 0) || x != x || (x < 0 && v != rt_floor(v))) return rt_not_a_number<T>();
  if (x == 0) return v == 0 ? 1 : 0;
  if (size == inf || v == inf) return 0;
  const bool odd = x < 0 && rt_rint(v * T(0.5)) != v * T(0.5);
  const T value = rt_ive_positive(v, size);
  return odd ? -value : value;
}
RT_LANE_FUNCTION_2(ive)

// K of orders m and m + 1, |m| <= 1/2, for x <= 2 (Temme, J. Comput. Phys. 19, 1975).
template <class T>
RT_CALL rt_pair<T> rt_temme(T m, T x) {
  const T square = m * m;
  const T first = -rt_poly(square, rt_gamma_odd_f64), second = rt_poly(square, rt_gamma_even_f64);
  const T above = second - m * first, below = second + m * first;  // 1 / gamma(1 + m), 1 / gamma(1 - m)
  const T log = T(0.69314718055994531) - rt_log(x), turn = m * log, angle = m * T(0x1.921fb54442d18p+1);
  const T sine = rt_abs(angle) < 1e-9 ? T(1) : angle / rt_sin(angle);
  const T sinh = rt_abs(turn) < 1e-9 ? T(1) : rt_sinh(turn) / turn;
  T f = sine * (first * rt_cosh(turn) + second * sinh * log);
  const T power = rt_exp(turn);
  T p = T(0.5) * power / above, q = T(0.5) / (power * below), c = 1, sum = f, next = p;
  const T t = x * x * T(0.25);
  for (int k = 1; k < 100; ++k) {
    f = (k * f + p + q) / (T(k) * k - square);
    c *= t / k;
    p /= k - m;
    q /= k + m;
    sum += c * f;
    next += c * (p - k * f);
    if (c * rt_abs(f) < rt_abs(sum) * 1e-18) break;
  }
  return {sum, next * (2 / x)};
}
// The same times exp(x) for 2 <= x: the integrals of exp(-2 x sinh^2(t / 2)) cosh(m t) by the trapezoidal
// rule, which converges exponentially.
template <class T>
RT_CALL rt_pair<T> rt_bessel_k_integral(T m, T x) {
  const T width = T(0.7) / rt_sqrt(x), h = width < T(0.2) ? width : T(0.2);
  T sum = T(0.5), next = T(0.5);
  for (int k = 1; k < 400; ++k) {
    const T t = k * h, s = rt_sinh(T(0.5) * t), e = rt_exp(-2 * x * s * s);
    sum += e * rt_cosh(m * t);
    const T term = e * rt_cosh((m + 1) * t);
    next += term;
    if (term < next * 1e-18) break;
  }
  return {sum * h, next * h};
}
template <class T>
RT_CALL T rt_kve_positive(T v, T x) {
  const T r = rt_hypot(v, x);
  if (r >= 100) {
    const auto exponent = rt_debye_exponent(v, x, r);
    const T rest = r == rt_infinity<T>() ? T(0) : rt_debye_sum(v, r, T(-1)) / rt_sqrt(r);
    if (exponent.high < -720) return rt_infinity<T>();
    return rt_pair_exp(rt_pair<T>{-exponent.high, -exponent.low}) * (rest * T(1.2533141373155003));
  }
  const T order = rt_rint(v), m = v - order;
  auto pair = x <= 2 ? rt_temme(m, x) : rt_bessel_k_integral(m, x);
  const T scale = x <= 2 ? rt_exp(x) : T(1);
  for (T k = 0; k < order; k += 1) {
    const T next = pair.high + 2 * (m + k + 1) / x * pair.low;
    pair = {pair.low, next};
  }
  return pair.high * scale;
}
template <class T>
RT_CALL T rt_kve_one(T v, T x) {
  const T inf = rt_infinity<T>(), order = rt_abs(v);
  if (v != v || !(x >= 0)) return rt_not_a_number<T>();
  if (x == 0) return inf;
  if (order == inf) return x == inf ? rt_not_a_number<T>() : inf;
  if (x == inf) return 0;
  return rt_kve_positive(order, x);
}
RT_LANE_FUNCTION_2(kve)

}  // namespace cohort_rt
