// Fused multiply-add, exact sums and exact products. Without the instruction fused multiply-add is computed
// in software, exactly. rt_mad is one rounding with the instruction and two without: functions built on it
// differ then, within the bounds stated in the README.
#pragma once
#include "cast.h"
#include "hardware.h"

inline namespace cohort_rt {

// One of two by element type.
template <class V, class A, class B>
static constexpr const auto& rt_by_type(const A& single, const B& both) {
  if constexpr (sizeof(rt_elem<V>) == 4)
    return single;
  else
    return both;
}
template <class V>
RT_INLINE V rt_number(float single, double both) {
  return rt_fill<V>(rt_by_type<V>(single, both));
}

// --- Exact sums and products (Dekker, Knuth) ---

template <class V>
struct rt_pair {
  V high, low;
};
template <class V>
RT_INLINE rt_pair<V> rt_two_sum(V a, V b) {
  const V sum = a + b, back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}
// For |a| >= |b| or a == 0.
template <class V>
RT_INLINE rt_pair<V> rt_quick_two_sum(V a, V b) {
  const V sum = a + b;
  return {sum, b - (sum - a)};
}
// The product as a sum of two numbers. Without fused multiply-add the operands must stay below 2^99 (2^995).
template <class V>
RT_INLINE rt_pair<V> rt_two_product(V a, V b);

#if !defined(RT_FMA)
// A double as sign, 2^exponent and an integer mantissa of 54 bits. After musl's fma (MIT).
struct rt_parts {
  uint64_t mantissa;
  int exponent;
  bool negative;
};
inline constexpr int rt_not_finite_exponent = 0x7ff - 0x3ff - 52 - 1;
RT_CALL rt_parts rt_take_apart(double x) {
  uint64_t bits = rt_bit_cast<uint64_t>(x);
  const bool negative = (bits >> 63) != 0;
  int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  if (exponent == 0) {
    bits = rt_bit_cast<uint64_t>(x * 0x1p63);
    exponent = static_cast<int>((bits >> 52) & 0x7ff);
    exponent = exponent ? exponent - 63 : 0x800;
  }
  bits = ((bits & ((1ull << 52) - 1)) | (1ull << 52)) << 1;
  return {bits, exponent - (0x3ff + 52 + 1), negative};
}
// i * 2^e for 2^62 <= |i| <= 2^63, rounded once.
RT_CALL double rt_put_together(uint64_t size, int e, bool negative) {
  const auto as_double = [&](uint64_t u) {
    const double d = static_cast<double>(static_cast<int64_t>(u));
    return negative ? -d : d;
  };
  double r = as_double(size);
  if (e < -1022 - 62) {  // denormal
    if (e == -1022 - 63) {
      const double top = negative ? -0x1p63 : 0x1p63;
      if (r == top) return negative ? -0x1p-1022 : 0x1p-1022;
      if (size << 53) r = 2 * as_double((size >> 1) | (size & 1) | (1ull << 62)) - top;
    } else {
      r = as_double((size >> 10 | ((size << 54) != 0)) << 10);
    }
  }
  for (; e < -1022; e += 969) {
    if (e < -3000) return r * 0;
    r *= 0x1p-969;
  }
  for (; e > 1023; e -= 1023) {
    if (e > 3000) return r * rt_most<double>();
    r *= 0x1p1023;
  }
  return r * rt_bit_cast<double>(static_cast<uint64_t>(e + 1023) << 52);
}
RT_CALL double rt_fma_soft(double x, double y, double z) {
  __extension__ typedef unsigned __int128 Wide;
  const rt_parts nx = rt_take_apart(x), ny = rt_take_apart(y), nz = rt_take_apart(z);
  if (nx.exponent >= rt_not_finite_exponent || ny.exponent >= rt_not_finite_exponent) return x * y + z;
  if (nz.exponent >= rt_not_finite_exponent) {
    return nz.exponent > rt_not_finite_exponent ? x * y : z;  // z is 0, else infinite or NaN
  }
  Wide product = static_cast<Wide>(nx.mantissa) * ny.mantissa, addend = nz.mantissa;
  int e = nx.exponent + ny.exponent, shift = nz.exponent - e;
  if (shift > 64) {
    addend <<= 64;
    e = nz.exponent - 64;
    shift -= 64;
    const bool lost = shift < 128 ? (product & ((static_cast<Wide>(1) << shift) - 1)) != 0 : true;
    product = shift < 128 ? (product >> shift) | lost : 1;
  } else if (shift >= 0) {
    addend <<= shift;
  } else {
    shift = -shift;
    const bool lost = shift < 64 ? (nz.mantissa & ((1ull << shift) - 1)) != 0 : true;
    addend = shift < 64 ? (addend >> shift) | lost : 1;
  }
  bool negative = nx.negative != ny.negative;
  if (negative == nz.negative) {
    product += addend;
  } else if (product >= addend) {
    product -= addend;
  } else {
    product = addend - product;
    negative = !negative;
  }
  if (product == 0) return x * y + z;
  const uint64_t high = static_cast<uint64_t>(product >> 64), low = static_cast<uint64_t>(product);
  const int zeros = high ? __builtin_clzll(high) : 64 + __builtin_clzll(low);
  // The top 63 bits, the last one sticky.
  const int down = 128 - zeros - 63;
  uint64_t top = 0;
  if (down > 0)
    top = static_cast<uint64_t>(product >> down) | ((product & ((static_cast<Wide>(1) << down) - 1)) != 0);
  else
    top = low << -down;
  return rt_put_together(top, e + down, negative);
}
// The sum of the exact product and c in double, rounded to odd, rounds to float correctly.
RT_CALL float rt_fma_soft(float a, float b, float c) {
  const double product = static_cast<double>(a) * b, addend = c, sum = product + addend;
  const double back = sum - product, error = (product - (sum - back)) + (addend - back);
  uint64_t bits = rt_bit_cast<uint64_t>(sum);
  if (error != 0 && error == error && !(bits & 1) && sum - sum == 0)
    bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  return static_cast<float>(rt_bit_cast<double>(bits));
}

// A vector at a time, where no lane is a hard case.
template <class V>
RT_CALL V rt_fma_each(V a, V b, V c) {
  return rt_build<V>(
      [&](int lane) { return rt_fma_soft(rt_elem<V>(a[lane]), rt_elem<V>(b[lane]), rt_elem<V>(c[lane])); });
}

// Of floats, the sum in double rounds to the right float unless it lies midway between two, or the float is
// denormal.
template <class D>
RT_INLINE auto rt_fma_is_hard_sum(D sum) {
  using Words = rt_vec<int32_t, 2 * rt_traits<D>::lanes>;
  const Words low = rt_build<Words>([](int word) { return word % 2 ? 0 : 0x1fffffff; });
  const Words middle = rt_build<Words>([](int word) { return word % 2 ? 1 : 0x10000000; });
  const auto midway = RT_MASK(Words, (rt_bit_cast<Words>(sum) & low) == middle);
  const D size = rt_abs(sum);
  return rt_any_lane(midway) ||
         rt_any_lane(rt_and(RT_MASK(D, size < rt_fill<D>(0x1p-126)), RT_MASK(D, size > rt_fill<D>(0))));
}
template <class V>
RT_INLINE V rt_fma_lanes_float(V a, V b, V c, bool* hard) {
  if constexpr (rt_traits<V>::lanes > 2 && sizeof(V) * 2 > rt_vector_bytes) {
    return rt_concat(rt_fma_lanes_float(rt_low_half(a), rt_low_half(b), rt_low_half(c), hard),
                     rt_fma_lanes_float(rt_high_half(a), rt_high_half(b), rt_high_half(c), hard));
  } else {
    using D = rt_vec<double, rt_traits<V>::lanes>;
    const D sum = rt_convert<D>(a) * rt_convert<D>(b) + rt_convert<D>(c);
    *hard = *hard || rt_fma_is_hard_sum(sum);
    return rt_convert<V>(sum);
  }
}

// a + b rounded to odd: what a further rounding makes of it is the rounding of the exact sum.
template <class V>
RT_INLINE V rt_sum_to_odd(V a, V b) {
  using U = rt_ubits<V>;
  const auto sum = rt_two_sum(a, b);
  const V zero = rt_fill<V>(0);
  const U bits = rt_bit_cast<U>(sum.high), inexact = (U)(sum.low != zero);
  const U down = (U)(sum.low > zero) ^ (U)(sum.high > zero);
  const U step = (rt_fill<U>(1) - (bits & rt_fill<U>(1))) & inexact;
  return rt_bit_cast<V>(U(bits + ((step ^ down) - down)));
}
// Of doubles, by Boldo and Melquiond (Emulation of a FMA and correctly rounded sums, 2008), where nothing
// overflows or vanishes on the way.
template <class V>
RT_INLINE V rt_fma_lanes_double(V a, V b, V c, bool* hard) {
  const V zero = rt_fill<V>(0), most = rt_fill<V>(0x1p480), product = a * b;
  const auto nothing = rt_or(RT_MASK(V, a == zero), RT_MASK(V, b == zero));
  const auto in_range = rt_and(rt_and(RT_MASK(V, rt_abs(a) < most), RT_MASK(V, rt_abs(b) < most)),
                               RT_MASK(V, rt_abs(c) < rt_fill<V>(0x1p960)));
  const auto easy = rt_and(in_range, rt_or(nothing, RT_MASK(V, rt_abs(product) > rt_fill<V>(0x1p-900))));
  *hard = rt_any_lane(rt_not(easy));
  const auto u = rt_two_product(a, b), t = rt_two_sum(c, u.low), v = rt_two_sum(u.high, t.high);
  return rt_select(nothing, product + c, v.high + rt_sum_to_odd(t.low, v.low));
}
template <class V>
RT_INLINE V rt_fma_lanes(V a, V b, V c) {
  bool hard = false;
  V sum;
  if constexpr (sizeof(rt_elem<V>) == 4)
    sum = rt_fma_lanes_float(a, b, c, &hard);
  else
    sum = rt_fma_lanes_double(a, b, c, &hard);
  return RT_UNLIKELY(hard) ? rt_fma_each(a, b, c) : sum;
}
#endif

template <class V>
RT_INLINE V rt_fma_same(V a, V b, V c) {
#if defined(RT_FMA)
  if constexpr (!rt_traits<V>::is_vector) {
    if constexpr (sizeof(V) == 4)
      return __builtin_fmaf(a, b, c);
    else
      return __builtin_fma(a, b, c);
  } else {
    return rt_on_native([](auto x, auto y, auto z) { return rt_native_of<decltype(x)>::fma(x, y, z); }, a, b,
                        c);
  }
#else
  if constexpr (rt_traits<V>::is_vector)
    return rt_fma_lanes(a, b, c);
  else
    return rt_fma_soft(a, b, c);
#endif
}
// a * b + c with one rounding.
template <class A, class B, class C>
RT_INLINE rt_join3<A, B, C> rt_fma(A a, B b, C c) {
  using V = rt_join3<A, B, C>;
  static_assert(rt_traits<V>::is_float, "fma is of floats");
  return rt_fma_same(rt_as<V>(a), rt_as<V>(b), rt_as<V>(c));
}
// a * b + c with one rounding or two, whichever is fast.
template <class V>
RT_INLINE V rt_mad(V a, V b, V c) {
#if defined(RT_FMA)
  return rt_fma_same(a, b, c);
#else
  return a * b + c;
#endif
}

template <class V>
RT_INLINE rt_pair<V> rt_two_product(V a, V b) {
  const V product = a * b;
#if defined(RT_FMA)
  return {product, rt_fma_same(a, b, -product)};
#else
  const V split = rt_number<V>(4097.0f, 134217729.0);
  const V big_a = a * split, big_b = b * split;
  const V a_high = big_a - (big_a - a), b_high = big_b - (big_b - b);
  const V a_low = a - a_high, b_low = b - b_high;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
#endif
}

}  // namespace cohort_rt
