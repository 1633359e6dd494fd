// The half types: storage of 16 bits, values computed as float. Conversions round to nearest even and keep
// infinities, denormals, signs of zero and that a NaN is one (its payload is cut, its quiet bit set), as the
// hardware does.
#pragma once
#include "base.h"

inline namespace cohort_rt {

// float to the bits of the half type and back. V is float or a vector of float; the bits are uint16_t or a
// vector of it.
template <class V>
RT_INLINE rt_like<uint16_t, V> rt_narrow_bits(rt_ubits<V> bits) {
  if constexpr (rt_traits<V>::is_vector)
    return __builtin_convertvector(bits, rt_like<uint16_t, V>);
  else
    return static_cast<uint16_t>(bits);
}
template <class V>
RT_INLINE rt_ubits<V> rt_widen_bits(rt_like<uint16_t, V> bits) {
  if constexpr (rt_traits<V>::is_vector)
    return __builtin_convertvector(bits, rt_ubits<V>);
  else
    return bits;
}

template <class V>
RT_INLINE rt_like<uint16_t, V> rt_to_bf16(V x) {
  using U = rt_ubits<V>;
  const U bits = rt_bit_cast<U>(x);
  const U rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return rt_narrow_bits<V>(rt_select(RT_MASK(V, x != x), (bits >> 16) | 0x40u, rounded));
}
template <class V>
RT_INLINE V rt_from_bf16(rt_like<uint16_t, V> bits) {
  return rt_bit_cast<V>(rt_ubits<V>(rt_widen_bits<V>(bits) << 16));
}

template <class V>
RT_INLINE rt_like<uint16_t, V> rt_to_f16(V x) {
  using U = rt_ubits<V>;
  const U bits = rt_bit_cast<U>(x);
  const U sign = (bits >> 16) & 0x8000u, size = bits & 0x7fffffffu;
  const V positive = rt_bit_cast<V>(size);
  // Below 2^-14 a half is denormal: adding 0.5 leaves its bits, rounded, at the low end of the sum.
  const U denormal = rt_bit_cast<U>(V(positive + 0.5f)) - 0x3f000000u;
  const U normal = (size - 0x38000000u + 0xfffu + ((size >> 13) & 1u)) >> 13;
  U half = rt_select(RT_MASK(V, size < 0x38800000u), denormal, normal);
  half = rt_select(RT_MASK(V, size >= 0x477ff000u), rt_fill<U>(0x7c00u), half);
  half = rt_select(RT_MASK(V, x != x), 0x7e00u | ((size >> 13) & 0x3ffu), half);
  return rt_narrow_bits<V>(half | sign);
}
template <class V>
RT_INLINE V rt_from_f16(rt_like<uint16_t, V> half) {
  using U = rt_ubits<V>;
  const U bits = rt_widen_bits<V>(half);
  const U sign = (bits & 0x8000u) << 16, size = bits & 0x7fffu;
  const U normal = (size << 13) + 0x38000000u;
  const U special =
      ((size << 13) | 0x7f800000u) | rt_select(RT_MASK(V, size > 0x7c00u), rt_fill<U>(0x400000u), U{});
  // A denormal half is size * 2^-24: 0.5 with the size as low bits, less 0.5.
  const U denormal = rt_bit_cast<U>(V(rt_bit_cast<V>(U(size | 0x3f000000u)) - 0.5f));
  U wide = rt_select(RT_MASK(V, size >= 0x7c00u), special, normal);
  wide = rt_select(RT_MASK(V, size < 0x400u), denormal, wide);
  return rt_bit_cast<V>(U(wide | sign));
}

// x rounded to the precision of the half type, still a float.
template <class V>
RT_INLINE V rt_round_f16(V x) {
  return rt_from_f16<V>(rt_to_f16(x));
}
template <class V>
RT_INLINE V rt_round_bf16(V x) {
  return rt_from_bf16<V>(rt_to_bf16(x));
}

}  // namespace cohort_rt
