// pow, cbrt, hypot, nextafter, log2, log10.
#pragma once
#include "math_divide.h"
#include "math_inverse.h"

inline namespace cohort_rt {

// log(m 2^e) as high + low, to 2^-67 of itself: 2 atanh(s), s = (m - 1)/(m + 1), the leading terms in
// double-double.
template <class V>
RT_INLINE rt_pair<V> rt_log_exact(V x) {
  const auto normal = rt_log_normal(x);
  const auto part = rt_log_reduce(normal.high);
  const V e = part.e - normal.low, one = rt_fill<V>(1);
  const V f = part.m - one;
  const auto g = rt_two_sum(part.m, one);
  const V inverse = one / g.high, s = f * inverse;
  const auto back = rt_two_product(s, g.high);
  const V s_low = (((f - back.high) - back.low) - s * g.low) * inverse;
  // z = s^2; the cubic term (2/3) s z in two parts, those above it in one.
  const auto square = rt_two_product(s, s);
  const V z_low = square.low + (s + s) * s_low, z = square.high;
  const V third = rt_fill<V>(0x1.5555555555555p-1), third_low = rt_fill<V>(0x1.5555555555555p-55);
  const auto a = rt_two_product(z, third);
  const V a_low = a.low + (z * third_low + z_low * third);
  const auto cubic = rt_two_product(s, a.high);
  const V cubic_low = cubic.low + (s * a_low + s_low * a.high);
  const V above = s * z * (z * rt_poly(z, rt_log_tail_f64));
  const auto first = rt_two_sum(e * rt_fill<V>(6.93147180369123816490e-01), s + s);
  const auto sum = rt_two_sum(first.high, cubic.high);
  const V low = ((first.low + sum.low) + e * rt_fill<V>(1.90821492927058770002e-10)) +
                ((s_low + s_low) + (cubic_low + above));
  return rt_quick_two_sum(sum.high, low);
}

// x^y for 0 < x < inf.
template <class V>
RT_INLINE V rt_pow_exact(V x, V y) {
  const auto log = rt_log_exact(x);
  const auto product = rt_two_product(log.high, y);
  const V low = product.low + log.low * y, high = product.high;
  const V inside = rt_clamp(high, rt_fill<V>(-747), rt_fill<V>(712));
  const auto e = rt_exp_reduce(inside);
  const V r = e.r + rt_select(RT_MASK(V, inside == high), low, rt_fill<V>(0));
  return rt_scale(rt_fill<V>(1) + rt_expm1_poly(r), e.n);
}
// The same in double to well beyond float's precision: 2^(y log2(x)).
template <class V>
RT_INLINE V rt_pow_short(V x, V y) {
  const auto part = rt_log_reduce(x);
  const V f = part.m - rt_fill<V>(1), most = rt_fill<V>(200);
  const V power = rt_clamp(rt_mad(f, rt_poly(f, rt_log2_short), part.e) * y, -most, most);
  const V n = (power + rt_rounder<V>()) - rt_rounder<V>(), r = power - n;
  return rt_scale(rt_mad(r, rt_poly(r, rt_exp2_short), rt_fill<V>(1)), n);
}

// C99 Annex F around a power of positive finite numbers.
template <class V>
RT_CALL V rt_float_pow(V x, V y) {
  const V zero = rt_fill<V>(0), one = rt_fill<V>(1), inf = rt_infinity<V>(), size = rt_abs(x);
  const V bound = rt_fill<V>(0x1p80f),
          bounded = rt_clamp(y, -bound, bound);  // beyond, it is 0, 1 or inf all the same
  V power;
  if constexpr (sizeof(rt_elem<V>) == 4)
    power = rt_in_double([](auto a, auto b) { return rt_pow_short(a, b); }, size, bounded);
  else
    power = rt_pow_exact(size, bounded);
  const auto ends = rt_or(RT_MASK(V, size == zero), RT_MASK(V, size == inf));
  const auto grows = rt_xor(RT_MASK(V, size == zero), RT_MASK(V, y > zero));
  power = rt_select(ends, rt_select(grows, inf, zero), power);
  power = rt_select(RT_MASK(V, size <= inf), power, x);
  power = rt_select(RT_MASK(V, y == y), power, y);

  const auto integral = RT_MASK(V, rt_rint(y) == y);
  const V half = y * rt_fill<V>(0.5);
  const auto odd = rt_and(integral, RT_MASK(V, rt_rint(half) != half));
  const auto below = RT_MASK(V, rt_copysign(one, x) < zero);
  power = rt_select(rt_and(below, odd), -power, power);
  const auto no_power = rt_and(rt_and(RT_MASK(V, x < zero), RT_MASK(V, size < inf)), rt_not(integral));
  power = rt_select(rt_and(no_power, rt_not(RT_MASK(V, y != y))), rt_not_a_number<V>(), power);
  return rt_select(rt_or(RT_MASK(V, y == zero), RT_MASK(V, x == one)), one, power);
}

template <class A, class B>
RT_INLINE rt_join<A, B> rt_pow(A base, B exponent) {
  using V = rt_join<A, B>;
  const V x = rt_as<V>(base), y = rt_as<V>(exponent);
  if constexpr (rt_traits<V>::is_float)
    return rt_float_pow(x, y);
  else
    return rt_integer_pow(x, y);
}

// x = m 2^(3q + r): a polynomial's guess at cbrt(m), times cbrt(2^r), then one step of Halley's (cubic)
// iteration.
template <class V>
RT_CALL V rt_cbrt_double(V x) {
  using U = rt_ubits<V>;
  const V size = rt_abs(x), one = rt_fill<V>(1), two = rt_fill<V>(2);
  const auto tiny = RT_MASK(V, size < rt_fill<V>(0x1p-1022));
  const U bits = rt_bit_cast<U>(V(rt_select(tiny, size * rt_fill<V>(0x1p54), size)));
  const V m = rt_bit_cast<V>(U((bits & rt_fill<U>((1ull << 52) - 1)) | rt_fill<U>(0x3fe0000000000000ull)));
  const V number = rt_bit_cast<V>(U((bits >> 52) | rt_fill<U>(0x4330000000000000ull)));
  const V e = number - rt_select(tiny, rt_fill<V>(0x1p52 + 1076), rt_fill<V>(0x1p52 + 1022));
  const V q = rt_floor((e + rt_fill<V>(0.5)) * rt_fill<V>(1.0 / 3)), r = e - (q + q + q);
  const auto is_one = RT_MASK(V, r == one), is_two = RT_MASK(V, r == two);
  const V target = m * rt_select(is_two, rt_fill<V>(4), rt_select(is_one, two, one));
  V root = rt_poly(m, rt_cbrt_f64);
  root = root * rt_select(is_two, rt_fill<V>(1.5874010519681994),
                          rt_select(is_one, rt_fill<V>(1.2599210498948732), one));
  const V cube = root * root * root;
  root = root - root * ((cube - target) / (cube + cube + target));
  return rt_select(rt_and(RT_MASK(V, size > rt_fill<V>(0)), RT_MASK(V, size < rt_infinity<V>())),
                   rt_copysign(rt_scale(root, q), x), x);
}
RT_DOUBLE_FUNCTION(cbrt)

// Scaled by a power of two so that no square overflows or vanishes; infinite if either is, even beside a NaN.
template <class V>
RT_CALL V rt_hypot_double(V x, V y) {
  const V ax = rt_abs(x), ay = rt_abs(y), inf = rt_infinity<V>(), one = rt_fill<V>(1);
  const V most = rt_select(RT_MASK(V, ax > ay), ax, ay);
  const auto big = RT_MASK(V, most > rt_fill<V>(0x1p500)), small = RT_MASK(V, most < rt_fill<V>(0x1p-400));
  const V down = rt_select(big, rt_fill<V>(0x1p-600), rt_select(small, rt_fill<V>(0x1p600), one));
  const V up = rt_select(big, rt_fill<V>(0x1p600), rt_select(small, rt_fill<V>(0x1p-600), one));
  const V a = ax * down, b = ay * down;
  const V root = rt_sqrt(rt_mad(a, a, b * b)) * up;
  return rt_select(rt_or(RT_MASK(V, ax == inf), RT_MASK(V, ay == inf)), inf, root);
}
RT_DOUBLE_FUNCTION_2(hypot)

// The next number from x toward y.
template <class A, class B>
RT_INLINE rt_join<A, B> rt_nextafter(A from, B toward) {
  using V = rt_join<A, B>;
  using U = rt_ubits<V>;
  const V x = rt_as<V>(from), y = rt_as<V>(toward), zero = rt_fill<V>(0);
  const U bits = rt_bit_cast<U>(x), one = rt_fill<U>(1);
  const auto away = rt_eq(RT_MASK(V, y > x), RT_MASK(V, x > zero));  // the magnitude grows
  V next = rt_bit_cast<V>(U(rt_select(away, U(bits + one), U(bits - one))));
  next = rt_select(RT_MASK(V, x == zero), rt_copysign(rt_bit_cast<V>(one), y), next);
  next = rt_select(RT_MASK(V, x == y), y, next);
  return rt_select(rt_or(rt_isnan(x), rt_isnan(y)), x + y, next);
}

// log in units of log2 or log10, after musl: the head of log(1 + f) cut so that its product with the unit's
// is exact.
template <class V>
RT_INLINE V rt_log_in_units(V x, double unit, double unit_low, double e_unit, double e_unit_low) {
  const auto normal = rt_log_normal(x);
  const auto part = rt_log_reduce(normal.high);
  const V e = part.e - normal.low, f = part.m - rt_fill<V>(1);
  const V s = f / (f + rt_fill<V>(2)), z = s * s, rest = z * rt_poly(z, rt_log_f64),
          half = f * f * rt_fill<V>(0.5);
  using U = rt_ubits<V>;
  const V high = rt_bit_cast<V>(U(rt_bit_cast<U>(V(f - half)) & rt_fill<U>(0xffffffff00000000ull)));
  const V low = (f - high) - half + s * (half + rest);
  const V head = high * rt_fill<V>(unit), whole = e * rt_fill<V>(e_unit);
  const auto sum = rt_two_sum(whole, head);
  const V tail = e * rt_fill<V>(e_unit_low) + ((low + high) * rt_fill<V>(unit_low) + low * rt_fill<V>(unit));
  return rt_log_domain(x, sum.high + (sum.low + tail));
}
template <class V>
RT_CALL V rt_log2_double(V x) {
  return rt_log_in_units(x, 0x1.71547652p+0, 0x1.705fc2eefa200p-33, 1, 0);
}
RT_DOUBLE_FUNCTION(log2)
template <class V>
RT_CALL V rt_log10_double(V x) {
  return rt_log_in_units(x, 0x1.bcb7b15p-2, 0x1.37287195355bbp-33, 0x1.34413509f6p-2, 0x1.9fef311f12b36p-42);
}
RT_DOUBLE_FUNCTION(log10)

}  // namespace cohort_rt
