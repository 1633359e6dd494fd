// sin, cos, tan, over the whole range of their arguments.
#pragma once
#include "math_core.h"

inline namespace cohort_rt {

// x = n pi/2 + high + low with |high| <= pi/4 (and a little); n mod 4 counts.
template <class V>
struct rt_quarter_turns {
  V high, low;
  rt_ubits<V> n;
};

// Payne and Hanek for finite |x| >= 2^16: x is an integer m times 2^e, and of 2/pi only the 192 bits count
// whose product with m is neither a multiple of 4 nor too small. Returns n.
RT_CALL int rt_reduce_huge(double x, double* high, double* low) {
  __extension__ typedef unsigned __int128 Wide;
  static constexpr uint64_t two_over_pi[] = {
      0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
      0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
      0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
  const uint64_t bits = rt_bit_cast<uint64_t>(x);
  const uint64_t m = (bits & ((1ull << 52) - 1)) | (1ull << 52);
  const int e = static_cast<int>((bits >> 52) & 0x7ff) - 1075;
  const int first = e + 62, word = first / 64, shift = first % 64;
  uint64_t window[3];
  for (int k = 0; k < 3; ++k)
    window[k] = shift ? two_over_pi[word + k] << shift | two_over_pi[word + k + 1] >> (64 - shift)
                      : two_over_pi[word + k];
  // The product modulo 2^192: two bits of integer, 190 of fraction.
  const Wide bottom = static_cast<Wide>(m) * window[2];
  const Wide top =
      (static_cast<Wide>(m * window[0]) << 64) + static_cast<Wide>(m) * window[1] + (bottom >> 64);
  const int whole = static_cast<int>(top >> 126);
  Wide fraction = top << 2 | static_cast<uint64_t>(bottom) >> 62;
  const bool up = (fraction >> 127) != 0;  // round to the nearest quarter
  if (up) fraction = ~fraction + 1;
  if (fraction == 0) fraction = 1;
  int zeros = 0;
  for (; (fraction >> 127) == 0; fraction <<= 1) ++zeros;
  const double unit = rt_exp2_of<double>(static_cast<uint64_t>(-53 - zeros));
  const double f = static_cast<double>(static_cast<uint64_t>(fraction >> 75)) * unit;
  const double rest = static_cast<double>(static_cast<uint64_t>(fraction >> 11)) * (unit * 0x1p-64);
  const auto product = rt_two_product(f, 0x1.921fb54442d18p+0);
  const double tail = product.low + (f * 0x1.1a62633145c07p-54 + rest * 0x1.921fb54442d18p+0);
  const bool negative = up != (x < 0);
  *high = negative ? -product.high : product.high;
  *low = negative ? -tail : tail;
  return x < 0 ? -(whole + up) : whole + up;
}

// The lanes that `hard` names, done one by one.
template <class V>
RT_CALL rt_quarter_turns<V> rt_reduce_hard_lanes(V x, rt_quarter_turns<V> turns, rt_mask_of<V> hard) {
  using T = rt_elem<V>;
  const auto reduce = [](T one, T& high, T& low) {
    double h, l;
    const int n = rt_reduce_huge(one, &h, &l);
    high = static_cast<T>(h);
    low = static_cast<T>((h - static_cast<double>(high)) + l);
    return n;
  };
  if constexpr (rt_traits<V>::is_vector) {
    for (int lane = 0; lane < rt_traits<V>::lanes; ++lane) {
      if (!hard.lanes[lane]) continue;
      T high, low;
      turns.n[lane] = static_cast<rt_uint<T>>(reduce(x[lane], high, low));
      turns.high[lane] = high;
      turns.low[lane] = low;
    }
  } else if (hard) {
    turns.n = static_cast<rt_uint<T>>(reduce(x, turns.high, turns.low));
  }
  return turns;
}

// Cody and Waite with pi/2 in three parts. The first difference is exact, as both terms are multiples of the
// last place of the first part; the second keeps its error.
template <class V>
RT_INLINE rt_quarter_turns<V> rt_reduce_quarters(V x) {
  const V first = rt_number<V>(0x1.921fb6p+0f, 0x1.921fb54442d18p+0);
  const V second = rt_number<V>(-0x1.777a5cp-25f, 0x1.1a62633145c07p-54);
  const V third = rt_number<V>(-0x1.ee59dap-50f, -0x1.f1976b7ed8fbcp-110);
  const V rounder = rt_rounder<V>();
  const V rounded = rt_mad(x, rt_number<V>(0x1.45f306p-1f, 0x1.45f306dc9c883p-1), rounder);
  const V n = rounded - rounder;
#if defined(RT_FMA)
  const V rest = rt_fma_same(-n, first, x);
#else
  const auto whole = rt_two_product(n, first);
  const V rest = (x - whole.high) - whole.low;
#endif
  const auto product = rt_two_product(n, second);
  const auto difference = rt_two_sum(rest, -product.high);
  const V low = (difference.low - product.low) - n * third;
  rt_quarter_turns<V> turns{difference.high, low, rt_rounded_bits<V>(rounded)};
  const V size = rt_abs(x);
  const auto hard =
      rt_and(RT_MASK(V, size >= rt_number<V>(0x1p17f, 0x1p29)), RT_MASK(V, size < rt_infinity<V>()));
  if (RT_UNLIKELY(rt_any_lane(hard))) turns = rt_reduce_hard_lanes(x, turns, hard);
  return turns;
}

// sin and cos of high + low.
template <class V>
RT_INLINE V rt_sin_poly(V high, V low) {
  const V z = high * high;
  const V rest = rt_mad(high * z, rt_poly(z, rt_by_type<V>(rt_sin_f32, rt_sin_f64)), low);
  return high + rest;
}
template <class V>
RT_INLINE V rt_cos_poly(V high, V low) {
  const V one = rt_fill<V>(1), z = high * high, half = z * rt_fill<V>(rt_elem<V>(0.5)), head = one - half;
  const V rest = rt_mad(z * z, rt_poly(z, rt_by_type<V>(rt_cos_f32, rt_cos_f64)), -(high * low));
  return head + (((one - head) - half) + rest);
}

template <class V>
RT_INLINE V rt_flip_sign(V x, rt_ubits<V> n, int bit) {  // -x where that bit of n is set
  using U = rt_ubits<V>;
  constexpr int top = 8 * static_cast<int>(sizeof(rt_elem<V>)) - 1;
  const U sign = U(n >> bit) << top;
  return rt_bit_cast<V>(U(rt_bit_cast<U>(x) ^ sign));
}
template <class V>
RT_INLINE auto rt_is_odd(rt_ubits<V> n) {
  using U = rt_ubits<V>;
  return RT_MASK(V, (n & rt_fill<U>(1)) != rt_fill<U>(0));
}

template <class V>
RT_CALL V rt_sin(V x) {
  const auto turns = rt_reduce_quarters(x);
  const V sine = rt_sin_poly(turns.high, turns.low), cosine = rt_cos_poly(turns.high, turns.low);
  const V y = rt_flip_sign(rt_select(rt_is_odd<V>(turns.n), cosine, sine), turns.n, 1);
  return rt_near_zero(x, rt_number<V>(0x1p-13f, 0x1p-27), y);
}
template <class V>
RT_CALL V rt_cos(V x) {
  const auto turns = rt_reduce_quarters(x);
  const V sine = rt_sin_poly(turns.high, turns.low), cosine = rt_cos_poly(turns.high, turns.low);
  const rt_ubits<V> n = turns.n + rt_fill<rt_ubits<V>>(1);
  return rt_flip_sign(rt_select(rt_is_odd<V>(n), cosine, sine), n, 1);
}
template <class V>
RT_CALL V rt_tan(V x) {
  const auto turns = rt_reduce_quarters(x);
  const V sine = rt_sin_poly(turns.high, turns.low), cosine = rt_cos_poly(turns.high, turns.low);
  const auto odd = rt_is_odd<V>(turns.n);
  const V y = rt_select(odd, cosine, sine) / rt_select(odd, -sine, cosine);
  return rt_near_zero(x, rt_number<V>(0x1p-13f, 0x1p-27), y);
}

}  // namespace cohort_rt
