// What the mathematical functions are built from: fused multiply-add, exact products, polynomials, scaling by
// 2^n.
//
// Each function is one template, instantiated for scalars and for vectors, so both give the same bits. With
// fused multiply-add in hardware rt_mad is one instruction and one rounding, else two; results then differ
// within the bounds stated in the README.
#pragma once
#include "cast.h"
#include "hardware.h"
#include "math_tables.h"

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

// --- Fused multiply-add ---

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
    return rt_build<V>(
        [&](int lane) { return rt_fma_soft(rt_elem<V>(a[lane]), rt_elem<V>(b[lane]), rt_elem<V>(c[lane])); });
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
// Without fused multiply-add the operands must stay below 2^99 (2^995).
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

// --- Polynomials and powers of two ---

template <int K, class V, class T, int N>
RT_INLINE V rt_horner(V x, const T (&c)[N], V sum) {
  if constexpr (K < 0)
    return sum;
  else
    return rt_horner<K - 1>(x, c, rt_mad(sum, x, rt_fill<V>(c[K])));
}
// c[0] + c[1] x + ... by Horner's rule.
template <class V, class T, int N>
RT_INLINE V rt_poly(V x, const T (&c)[N]) {
  return rt_horner<N - 2>(x, c, rt_fill<V>(c[N - 1]));
}

template <class V>
inline constexpr int rt_mantissa_bits = sizeof(rt_elem<V>) == 4 ? 23 : 52;
template <class V>
inline constexpr int rt_exponent_bias = sizeof(rt_elem<V>) == 4 ? 127 : 1023;

// Adding this rounds to an integer (|x| < 2^22, 2^51) that then stands in the low bits of the sum.
template <class V>
RT_INLINE V rt_rounder() {
  return rt_number<V>(12582912.0f, 6755399441055744.0);
}
template <class V>
RT_INLINE rt_bits<V> rt_rounded_bits(V sum) {
  using I = rt_bits<V>;
  return I(rt_bit_cast<I>(sum) - rt_bit_cast<I>(rt_rounder<V>()));
}
// 2^n for an n that gives a normal number.
template <class V>
RT_INLINE V rt_exp2_of(rt_bits<V> n) {
  using U = rt_ubits<V>;
  const U biased = U(n) + rt_fill<U>(rt_exponent_bias<V>);
  return rt_bit_cast<V>(U(biased << rt_mantissa_bits<V>));
}
// x * 2^n, rounded once, for an integral n; |n| <= 2000 (250 of float).
template <class V>
RT_INLINE V rt_scale(V x, V n) {
#if defined(RT_AVX512)
  return rt_on_native([](auto v, auto k) { return rt_native_of<decltype(v)>::scale(v, k); }, x, n);
#else
  using U = rt_ubits<V>;
  const U k = U(rt_rounded_bits<V>(n + rt_rounder<V>()));
  const U bias = rt_fill<U>(2048);
  const U half = U(((k + bias) >> 1) - (bias >> 1));  // floor(k / 2) by a shift of unsigned numbers
  return x * rt_exp2_of<V>(rt_bits<V>(half)) * rt_exp2_of<V>(rt_bits<V>(k - half));
#endif
}

template <class V>
RT_INLINE V rt_infinity() {
  return rt_number<V>(__builtin_inff(), __builtin_inf());
}
template <class V>
RT_INLINE V rt_not_a_number() {
  return rt_number<V>(__builtin_nanf(""), __builtin_nan(""));
}
// x where |x| < bound, else y: for functions that are x near 0, where it also keeps -0.
template <class V>
RT_INLINE V rt_near_zero(V x, V bound, V y) {
  return rt_select(RT_MASK(V, rt_abs(x) < bound), x, y);
}

// f of double on float values: as one vector where that fits, else by halves.
template <class F, class V, class... More>
RT_INLINE V rt_in_double(F f, V x, More... more) {
  if constexpr (!rt_traits<V>::is_vector || sizeof(V) * 2 <= rt_vector_bytes || rt_traits<V>::lanes == 2) {
    using D = rt_like<double, V>;
    return rt_convert<V>(f(rt_convert<D>(x), rt_convert<D>(more)...));
  } else {
    return rt_concat(rt_in_double(f, rt_low_half(x), rt_low_half(more)...),
                     rt_in_double(f, rt_high_half(x), rt_high_half(more)...));
  }
}

// rt_NAME from rt_NAME_lanes: vectors are inlined into the loop, scalars are a call, which keeps thousands of
// scalar uses cheap to compile.
#define RT_HOT_FUNCTION(name)                                     \
  template <class V>                                              \
  RT_CALL V rt_##name##_scalar(V x) {                             \
    return rt_##name##_lanes(x);                                  \
  }                                                               \
  template <class V>                                              \
  RT_INLINE V rt_##name(V x) {                                    \
    static_assert(rt_traits<V>::is_float, #name " is of floats"); \
    if constexpr (rt_traits<V>::is_vector)                        \
      return rt_##name##_lanes(x);                                \
    else                                                          \
      return rt_##name##_scalar(x);                               \
  }

}  // namespace cohort_rt
