// The incomplete beta function and its slopes in the parameters, after the plan of special_gamma.h: an
// integral over w, the distance in log(t / (1 - t)) from x, of the tail on the side of x. A first parameter
// below 12 is raised by I_x(a, b) = I_x(a + 1, b) + x^a (1 - x)^b / (a B(a, b)), whose terms are positive.
#pragma once
#include "special_parts.h"

inline namespace cohort_rt {

enum rt_beta_part { rt_beta_value, rt_beta_slope_a, rt_beta_slope_b };

// The exponent of gamma(a + b) / gamma(b) (a + b)^-a for a < 10 <= b, but for the parts that are small.
template <class T>
RT_CALL rt_pair<T> rt_beta_ratio(T a, T b) {
  auto exponent = rt_power_excess(b, rt_two_sum(b, a), rt_pair<T>{a, 0});
  exponent.low += T(-0.5) * rt_log1p(a / b) + rt_stirling_rest(a + b) - rt_stirling_rest(b);
  return exponent;
}
// a y - b x, which is a - (a + b) x.
template <class T>
RT_INLINE rt_pair<T> rt_beta_distance(T a, T b, rt_pair<T> x, rt_pair<T> y) {
  return rt_pair_add(rt_pair_times(y, rt_pair<T>{a, 0}), rt_pair_times(x, rt_pair<T>{-b, 0}));
}
// factor x^a y^b gamma(a + b) / (gamma(1 + a) gamma(b)), for y = 1 - x.
template <class T>
RT_CALL T rt_beta_density(T a, T b, rt_pair<T> x, rt_pair<T> y, rt_pair<T> distance, T factor) {
  const rt_pair<T> first{a, 0}, second{b, 0};
  if (a >= 10 && b >= 10) {
    const rt_pair<T> minus{-distance.high, -distance.low};
    auto exponent = rt_pair_add(rt_power_excess(a, rt_pair_add(first, minus), minus),
                                rt_power_excess(b, rt_pair_add(second, distance), distance));
    exponent.low += rt_stirling_rest(a + b) - rt_stirling_rest(a) - rt_stirling_rest(b);
    return rt_pair_exp(exponent) * (factor * rt_sqrt(b / (a * (a + b))) * T(0.3989422804014327));
  }
  auto exponent = rt_pair_add(rt_pair_times(rt_pair_log(x), first), rt_pair_times(rt_pair_log(y), second));
  if (a < 10 && b < 10) {
    const T gammas = rt_gamma_after(a + b) / (rt_gamma_after(a) * rt_gamma_after(b));
    return rt_pair_exp(exponent) * (factor * gammas * (b / (a + b)));
  }
  const T small = a < 10 ? a : b, large = a < 10 ? b : a;
  const auto all = rt_pair_log(rt_two_sum(a, b));
  exponent = rt_pair_add(exponent, rt_pair_times(all, rt_pair<T>{small, 0}));
  exponent = rt_pair_add(exponent, rt_beta_ratio(small, large));
  return rt_pair_exp(exponent) * (factor / rt_gamma_after(small) * (a < 10 ? T(1) : b / a));
}

// log(t) - digamma(a) + digamma(a + b) and log(1 - t) - digamma(b) + digamma(a + b) at t = x, a >= 12.
template <class T>
RT_CALL T rt_beta_slope_at(T a, T b, T x, T y, T distance, rt_beta_part part) {
  const T all = rt_digamma_rest(a + b);
  if (part == rt_beta_slope_a) {
    const T ratio = -distance / a;
    return (ratio > T(-0.9) ? rt_log1p(ratio) : rt_log(x) + rt_log1p(b / a)) + rt_digamma_rest(a) - all;
  }
  if (b < 12 || distance > b) return rt_log(y) + rt_digamma_change(b, a);
  return rt_log1p(distance / b) + rt_digamma_rest(b) - all;
}

// The integral of the lower tail relative to x^a y^b / B(a, b), with the factor of a slope or without.
template <class T>
RT_CALL T rt_beta_integral(T a, T b, T x, T y, T distance, rt_beta_part part) {
  const bool near = x <= 0.5;
  const T all = a + b;
  const auto exponent = [=](auto w) RT_ALWAYS {
    using V = decltype(w);
    const V turned = near ? -w : w;
    const V unit = rt_fill<V>(near ? x : y);
    const V bent = unit * rt_expm1_excess(turned) + rt_log1p_excess(unit * rt_expm1_lanes(turned));
    return rt_fill<V>(-distance) * w - rt_fill<V>(all) * bent;
  };
  const T root = rt_sqrt(80 / (all * x * y)) + T(0.5), linear = distance > 0 ? 40 / distance : T(1e300);
  const T odds = rt_log(x / y), most = (odds > 0 ? odds : T(0)) + 4;
  T start = root < linear ? root : linear;
  start = distance < 0 ? most : start < most + 40 / a ? start : most + 40 / a;
  const T length = rt_fall(start, 4, [&](double w) {
    const double t = x / (x + y * rt_exp(w));
    return rt_pair<double>{exponent(w), b * t - a * (1 - t)};
  });
  const T constant = part == rt_beta_value ? T(0) : rt_beta_slope_at(a, b, x, y, distance, part);
  const auto integral =
      rt_integrate(length, 1 + static_cast<int>(length / 5), [&](auto w, auto& factor) RT_ALWAYS {
        using V = decltype(w);
        if (part != rt_beta_value) {
          const V moved = -rt_log1p_lanes(rt_fill<V>(y) * rt_expm1_lanes(w));
          factor = rt_fill<V>(constant) + (part == rt_beta_slope_a ? moved : moved + w);
        }
        return exponent(w);
      });
  return part == rt_beta_value ? integral.high : integral.low;
}

// I_x(a, b) or a slope of it, from below.
template <class T>
RT_CALL T rt_beta_lower(T a, T b, rt_pair<T> x, rt_pair<T> y, rt_pair<T> distance, rt_beta_part part) {
  const bool raised = a < 12;
  T density = rt_beta_density(a, b, x, y, distance, raised ? T(1) : a), sum = 0, slope = 0;
  if (part == rt_beta_slope_a && a < 12) slope = rt_log(x.high) - rt_digamma(a + 1) + rt_digamma(a + b);
  if (part == rt_beta_slope_b && a < 12) slope = rt_pair_log(y).high + rt_digamma_change(b, a);
  while (a < 12) {
    sum += part == rt_beta_value ? density : density * slope;
    slope += 1 / (a + b) - (part == rt_beta_slope_a ? 1 / (a + 1) : T(0));
    density *= x.high * (a + b) / (a + 1);
    distance = rt_pair_add(distance, y);
    a += 1;
  }
  return sum + (raised ? density * a : density) * rt_beta_integral(a, b, x.high, y.high, distance.high, part);
}

// For x > 0 and y = 1 - x > 0.
template <class T>
RT_CALL T rt_beta_inside(T a, T b, rt_pair<T> x, rt_pair<T> y, rt_beta_part part) {
  const auto distance = rt_beta_distance(a, b, x, y);
  if (distance.high >= 0 || (part == rt_beta_value && b < 1))
    return rt_beta_lower(a, b, x, y, distance, part);
  const rt_pair<T> minus{-distance.high, -distance.low};
  const auto other = part == rt_beta_value     ? rt_beta_value
                     : part == rt_beta_slope_a ? rt_beta_slope_b
                                               : rt_beta_slope_a;
  const T upper = rt_beta_lower(b, a, y, x, minus, other);
  return part == rt_beta_value ? 1 - upper : -upper;
}

template <class T>
RT_CALL T rt_beta_anywhere(T a, T b, T x, rt_beta_part part) {
  if (!(a > 0 && a < 1e100 && b > 0 && b < 1e100 && x >= 0 && x <= 1)) return rt_not_a_number<T>();
  if (x == 0 || (x == 1 && part != rt_beta_value)) return 0;
  if (x == 1) return 1;
  // Slopes where they are those of 0.
  if (part == rt_beta_slope_a && a < 1e-290) a = 1e-290;
  if (part == rt_beta_slope_b && b < 1e-290) b = 1e-290;
  return rt_beta_inside(a, b, rt_pair<T>{x, 0}, rt_two_sum(T(1), -x), part);
}
template <class T>
RT_CALL T rt_betainc_one(T a, T b, T x) {
  return rt_beta_anywhere(a, b, x, rt_beta_value);
}
RT_LANE_FUNCTION_3(betainc)
template <class T>
RT_CALL T rt_betainc_grad_a_one(T a, T b, T x) {
  return rt_beta_anywhere(a, b, x, rt_beta_slope_a);
}
RT_LANE_FUNCTION_3(betainc_grad_a)
template <class T>
RT_CALL T rt_betainc_grad_b_one(T a, T b, T x) {
  return rt_beta_anywhere(a, b, x, rt_beta_slope_b);
}
RT_LANE_FUNCTION_3(betainc_grad_b)

}  // namespace cohort_rt
