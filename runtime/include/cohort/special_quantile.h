// Quantiles: the inverses of gammainc and betainc in x, and of the distributions of Poisson and binomial
// counts.
//
// The distribution functions of log(x), log(x / (1 - x)) and their complements have concave logarithms, so
// Newton's iteration on the logarithm of the tail that is less than a half converges from everywhere: after
// its first step it rises to the root.
#pragma once
#include "special_beta.h"
#include "special_gamma.h"
#include "special_normal.h"

inline namespace cohort_rt {

// log(gamma(1 + a)).
template <class T>
RT_INLINE T rt_gammaln_after(T a) {
  return a < 0.5 ? a * rt_poly(a, rt_lgamma1_f64) : rt_gammaln(1 + a);
}
// A place from which Newton's iteration for gammaincinv is short: Wilson and Hilferty's, below it the first
// term of the series.
template <class T>
RT_CALL T rt_gammaincinv_guess(T a, T p) {
  const T root = rt_sqrt(a) * 3, cube = 1 - 1 / (root * root) + rt_ndtri(p) / root;
  if (a > 0.5 && cube > 0.3) return a * cube * cube * cube;
  const T x = rt_exp((rt_log(p) + rt_gammaln_after(a)) / a);
  return x < a + 1 ? x : a + 1;
}
template <class T>
RT_CALL T rt_gammaincinv_one(T a, T p) {
  if (!(a > 1e-30 && a < 1e30 && p >= 0 && p <= 1)) return rt_not_a_number<T>();
  if (p == 0 || p == 1) return p == 0 ? 0 : rt_infinity<T>();
  const bool below = p <= 0.5;
  // Where x is so small that the series' first term is all.
  const T first = (rt_log(p) + rt_gammaln_after(a)) / a;
  if (first < -40) return rt_exp(first);
  const T target = rt_log(below ? p : 1 - p);
  T x = rt_gammaincinv_guess(a, p), last = a + 1;
  for (int k = 0; k < 60 && x > 0; ++k) {
    const T tail = below ? rt_gammainc_one(a, x) : rt_gammaincc_one(a, x);
    const T density = a * rt_gamma_density(a, x);
    if (!(tail > 0 && density > 0)) {  // a step too far
      x = rt_sqrt(x) * rt_sqrt(last);
      continue;
    }
    last = x;
    const T slope = density / tail;
    const T step = below ? (target - rt_log(tail)) / slope : (rt_log(tail) - target) / slope;
    const T bounded = rt_clamp(step, T(-30), T(3));
    x *= rt_abs(bounded) < 1e-3 ? 1 + rt_expm1(bounded) : rt_exp(bounded);
    if (!(rt_abs(step) > 1e-15)) break;
  }
  return x;
}
RT_LANE_FUNCTION_2(gammaincinv)

// The logarithm of the x at which the first term of I_x(a, b) in powers of x is p.
template <class T>
RT_CALL T rt_betaincinv_first(T a, T b, T p) {
  if (a < 10 && b >= 10) {
    const auto ratio = rt_beta_ratio(a, b);
    return (rt_log(p) + rt_gammaln_after(a) - ratio.high - ratio.low) / a - rt_log(a + b);
  }
  const T gammas = rt_gammaln_after(a) + rt_gammaln_after(b) - rt_gammaln_after(a + b);
  return (rt_log(p) + gammas + rt_log1p(a / b)) / a;
}
// The x with I_x(a, b) = p for p <= 1/2, as odds x / (1 - x).
template <class T>
RT_CALL T rt_betaincinv_odds(T a, T b, T p) {
  const T target = rt_log(p);
  const T first = rt_betaincinv_first(a, b, p);
  if (first < -40 - rt_log1p(b)) return rt_exp(first);  // the first term of the series in x
  T odds = rt_clamp(a / b, T(1e-15), T(1e15)), last = odds;
  for (int k = 0; k < 100 && odds > 0 && odds < 1e18; ++k) {
    // Of x and 1 - x the lesser is rounded, the other exact.
    const T least = odds < 1 ? odds / (1 + odds) : 1 / (1 + odds);
    const rt_pair<T> single{least, 0}, rest = rt_two_sum(T(1), -least);
    const auto x = odds < 1 ? single : rest, y = odds < 1 ? rest : single;
    const T tail = rt_beta_inside(a, b, x, y, rt_beta_value);
    const T density = rt_beta_density(a, b, x, y, rt_beta_distance(a, b, x, y), a);
    if (!(tail > 0 && density > 0)) {  // a step too far
      odds = rt_sqrt(odds) * rt_sqrt(last);
      continue;
    }
    last = odds;
    const T step = (target - rt_log(tail)) * (tail / density);
    const T bounded = rt_clamp(step, T(-30), T(30));
    odds *= rt_abs(bounded) < 1e-3 ? 1 + rt_expm1(bounded) : rt_exp(bounded);
    if (!(rt_abs(step) > 1e-15)) break;
  }
  return odds;
}
template <class T>
RT_CALL T rt_betaincinv_one(T a, T b, T p) {
  if (!(a > 1e-30 && a < 1e30 && b > 1e-30 && b < 1e30 && p >= 0 && p <= 1)) return rt_not_a_number<T>();
  if (p == 0 || p == 1) return p;
  if (p > 0.5) {
    const T first = rt_betaincinv_first(a, b, p);
    if (first < -40 - rt_log1p(b)) return rt_exp(first);
  }
  const T odds = p <= 0.5 ? rt_betaincinv_odds(a, b, p) : rt_betaincinv_odds(b, a, 1 - p);
  return p <= 0.5 ? odds / (1 + odds) : 1 / (1 + odds);
}
RT_LANE_FUNCTION_3(betaincinv)

// The least k from 0 to `most` for which the distribution function is at least p, found around a normal
// approximation's value. beyond(k) is the chance of more than k, within(k) of k or less: the lesser of p and
// 1 - p is compared, where the function keeps its relative error.
template <class T, class F, class G>
RT_INLINE T rt_count_quantile(T mean, T deviation, T skew, T most, T p, F beyond, G within) {
  const auto reached = [&](T k) { return p < 0.5 ? within(k) >= p : beyond(k) <= 1 - p; };
  const T z = rt_ndtri(p), guess = rt_floor(mean + deviation * z + skew * (z * z - 1));
  T k = rt_clamp(guess, T(0), most);
  while (k < most && !reached(k)) k += 1;
  while (k > 0 && reached(k - 1)) k -= 1;
  return k;
}
template <class T>
RT_CALL T rt_poisson_quantile_one(T mean, T p) {
  if (!(mean >= 0 && mean < 1e15 && p >= 0 && p <= 1)) return rt_not_a_number<T>();
  if (mean == 0 || p == 0) return 0;
  if (p == 1) return rt_infinity<T>();
  return rt_count_quantile(
      mean, rt_sqrt(mean), T(1) / 6, T(0x1p53), p, [&](T k) { return rt_gammainc_one(k + 1, mean); },
      [&](T k) { return rt_gammaincc_one(k + 1, mean); });
}
RT_LANE_FUNCTION_2(poisson_quantile)
template <class T>
RT_CALL T rt_binomial_quantile_one(T n, T chance, T p) {
  if (!(n >= 0 && n < 1e15 && n == rt_floor(n) && chance >= 0 && chance <= 1 && p >= 0 && p <= 1))
    return rt_not_a_number<T>();
  if (n == 0 || chance == 0 || p == 0) return 0;
  if (chance == 1 || p == 1) return n;
  const rt_pair<T> single{chance, 0}, other = rt_two_sum(T(1), -chance);
  return rt_count_quantile(
      n * chance, rt_sqrt(n * chance * (1 - chance)), (1 - 2 * chance) / 6, n, p,
      [&](T k) { return k >= n ? T(0) : rt_beta_inside(k + 1, n - k, single, other, rt_beta_value); },
      [&](T k) { return k >= n ? T(1) : rt_beta_inside(n - k, k + 1, other, single, rt_beta_value); });
}
RT_LANE_FUNCTION_3(binomial_quantile)

}  // namespace cohort_rt
