// log, log1p, log2, log10 and what is made of them: softplus, log1mexp, logaddexp, xlogy, asinh, acosh,
// atanh.
#pragma once
#include "math_exp.h"

inline namespace cohort_rt {

// x = 2^e m with m from sqrt(1/2) to sqrt(2); e as a float. For positive normal x.
template <class V>
struct rt_log_parts {
  V e, m;
};
template <class V>
RT_INLINE rt_log_parts<V> rt_log_reduce(V x) {
  using U = rt_ubits<V>;
  using T = rt_elem<U>;
  constexpr int mantissa = rt_mantissa_bits<V>, bias = rt_exponent_bias<V> + 1;
  constexpr T root_half = static_cast<T>(rt_by_type<V>(0x3f3504f3u, 0x3fe6a09e667f3bcdull));
  const U bits = rt_bit_cast<U>(x), base = rt_fill<U>(static_cast<T>(static_cast<T>(bias) << mantissa));
  // The exponent, biased so that it is positive: shifts of unsigned numbers are fast everywhere.
  const U e = (bits - rt_fill<U>(root_half) + base) >> mantissa;
  const V m = rt_bit_cast<V>(U(bits - (e << mantissa) + base));
  const V big = rt_number<V>(8388608.0f, 4503599627370496.0);
  const V number = rt_bit_cast<V>(U(e | rt_bit_cast<U>(big)));
  return {number - (big + rt_fill<V>(bias)), m};
}

// e log(2) + log(1 + f) for 1 + f from sqrt(1/2) to sqrt(2).
template <class V>
RT_INLINE V rt_log_sum(V f, V e) {
  const V half = rt_fill<V>(rt_elem<V>(0.5)), square = f * f;
  if constexpr (sizeof(rt_elem<V>) == 4) {
    V y = rt_poly(f, rt_log_f32) * f * square;
    y = rt_mad(e, rt_fill<V>(-2.12194440e-4f), y);
    y = rt_mad(square, -half, y);
    return rt_mad(e, rt_fill<V>(0.693359375f), f + y);
  } else {  // fdlibm's form
    const V s = f / (f + rt_fill<V>(2)), z = s * s, rest = z * rt_poly(z, rt_log_f64), halved = square * half;
    const V low = rt_mad(s, halved + rest, e * rt_fill<V>(1.90821492927058770002e-10));
    return rt_mad(e, rt_fill<V>(6.93147180369123816490e-01), f - (halved - low));
  }
}

// Denormals scaled up: the scaled x and the exponent to take off again.
template <class V>
RT_INLINE rt_pair<V> rt_log_normal(V x) {
  const auto tiny = RT_MASK(V, x < rt_number<V>(0x1p-126f, 0x1p-1022));
  return {rt_select(tiny, x * rt_number<V>(0x1p23f, 0x1p52), x),
          rt_select(tiny, rt_number<V>(23.0f, 52.0), rt_fill<V>(0))};
}
// y for positive finite x; -inf at 0, NaN below, x at inf and NaN.
template <class V>
RT_INLINE V rt_log_domain(V x, V y) {
  const V zero = rt_fill<V>(0), inf = rt_infinity<V>();
  y = rt_select(RT_MASK(V, x < inf), y, x);
  y = rt_select(RT_MASK(V, x == zero), -inf, y);
  return rt_select(RT_MASK(V, x < zero), rt_not_a_number<V>(), y);
}

template <class V>
RT_INLINE V rt_log_lanes(V x) {
  const auto normal = rt_log_normal(x);
  const auto part = rt_log_reduce(normal.high);
  return rt_log_domain(x, rt_log_sum(part.m - rt_fill<V>(1), part.e - normal.low));
}
RT_HOT_FUNCTION(log)

// log(1 + x) for -1 < x < inf: 1 + x rounded, and what the rounding lost added to the fraction.
template <class V>
RT_INLINE V rt_log1p_inside(V x) {
  const V one = rt_fill<V>(1);
  const auto sum = rt_two_sum(one, x);
  const auto part = rt_log_reduce(sum.high);
  // 2^-e; beyond 2^60 nothing is lost that counts.
  using U = rt_ubits<V>;
  const U e = rt_rounded_bits<V>(part.e + rt_rounder<V>());
  const V down = rt_exp2_of<V>(U(rt_fill<U>(0) - e));
  const V lost = rt_select(RT_MASK(V, x < rt_fill<V>(0x1p60f)), sum.low * down, rt_fill<V>(0));
  return rt_log_sum((part.m - one) + lost, part.e);
}
template <class V>
RT_INLINE V rt_log1p_lanes(V x) {
  const V y = rt_log_domain(rt_fill<V>(1) + x, rt_log1p_inside(x));
  return rt_near_zero(x, rt_number<V>(0x1p-26f, 0x1p-55), y);
}
RT_HOT_FUNCTION(log1p)

// log(1 + x) for 0 <= x <= 1, where 1 + x is 1 + f or 2 (1 + f).
template <class V>
RT_INLINE V rt_log1p_unit(V x) {
  const V one = rt_fill<V>(1), zero = rt_fill<V>(0);
  const auto upper = RT_MASK(V, x > rt_number<V>(0.41421356f, 0.41421356237309503));
  const V f = rt_select(upper, (x - one) * rt_fill<V>(rt_elem<V>(0.5)), x);
  return rt_log_sum(f, rt_select(upper, one, zero));
}
// max(x, 0) + log1p(exp(-|x|)).
template <class V>
RT_INLINE V rt_softplus_lanes(V x) {
  return rt_relu(x) + rt_log1p_unit(rt_exp_minus_abs(x));
}
RT_HOT_FUNCTION(softplus)

// log(1 - exp(x)) for x <= 0: by expm1 above -log(2), by log1p below.
template <class V>
RT_INLINE V rt_log1mexp_lanes(V x) {
  const V near = rt_log_lanes(-rt_expm1_lanes(x)), far = rt_log1p_lanes(-rt_exp_lanes(x));
  return rt_select(RT_MASK(V, x > rt_number<V>(-0.693147181f, -0.69314718055994531)), near, far);
}
RT_HOT_FUNCTION(log1mexp)

template <class V>
RT_CALL V rt_xlogy_call(V x, V y) {
  const auto zero = rt_and(RT_MASK(V, x == rt_fill<V>(0)), RT_MASK(V, y == y));
  return rt_select(zero, rt_fill<V>(0), x * rt_log_lanes(y));
}
template <class A, class B>
RT_INLINE rt_join<A, B> rt_xlogy(A x, B y) {
  using V = rt_join<A, B>;
  return rt_xlogy_call<V>(rt_as<V>(x), rt_as<V>(y));
}

// log(exp(a) + exp(b)): the greater, plus log1p(exp(-distance)). The distance is exact in two parts, as its
// error would become a relative error of the exponential; equal infinities have none.
template <class V>
RT_CALL V rt_logaddexp_call(V a, V b) {
  const V most = rt_max(a, b), least = rt_min(a, b), zero = rt_fill<V>(0);
  const auto difference = rt_two_sum(most, -least);
  const auto near = RT_MASK(V, difference.high < rt_fill<V>(1000));
  const V distance = rt_select(RT_MASK(V, a == b), zero, difference.high),
          low = rt_select(near, difference.low, zero);
  const V e = rt_exp_minus_abs(distance);
  return most + rt_log1p_unit(e - e * low);
}
template <class A, class B>
RT_INLINE rt_join<A, B> rt_logaddexp(A left, B right) {
  using V = rt_join<A, B>;
  const V a = rt_as<V>(left), b = rt_as<V>(right);
  if constexpr (sizeof(rt_elem<V>) == 4)
    return rt_in_double([](auto x, auto y) { return rt_logaddexp_call(x, y); }, a, b);
  else
    return rt_logaddexp_call(a, b);
}

}  // namespace cohort_rt
