// Element types, vector and mask types. Everything else of the prelude stands on this file.
//
// Vectors are GCC/Clang vector extensions, so the same source serves every instruction set; target builtins
// only appear under #ifdef with a generic form beside them. All functions are static: a module built for
// AVX-512 and one built for a plain machine may share a program, and neither may ever run the other's code.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "target.h"

inline namespace cohort_rt {

inline constexpr int rt_vector_bytes = COHORT_VECTOR_BYTES;

// Storage of the half types; values are computed as float. See half.h.
struct rt_f16 {
  uint16_t bits;
};
struct rt_bf16 {
  uint16_t bits;
};

template <class T, int W>
struct rt_vec_of {
  typedef T type __attribute__((vector_size(sizeof(T) * W)));
};
template <class T, int W>
using rt_vec = typename rt_vec_of<T, W>::type;

// W truth values: -1 or 0 in each lane. Masks of different I are the same values; operators convert.
template <class I, int W>
struct rt_mask {
  rt_vec<I, W> lanes;
};

template <class A, class B>
inline constexpr bool rt_same = false;
template <class A>
inline constexpr bool rt_same<A, A> = true;
template <bool C, class A, class B>
struct rt_if_of {
  using type = A;
};
template <class A, class B>
struct rt_if_of<false, A, B> {
  using type = B;
};
template <bool C, class A, class B>
using rt_if = typename rt_if_of<C, A, B>::type;

template <int Bytes>
struct rt_int_of;
template <>
struct rt_int_of<1> {
  using type = int8_t;
  using utype = uint8_t;
};
template <>
struct rt_int_of<2> {
  using type = int16_t;
  using utype = uint16_t;
};
template <>
struct rt_int_of<4> {
  using type = int32_t;
  using utype = uint32_t;
};
template <>
struct rt_int_of<8> {
  using type = int64_t;
  using utype = uint64_t;
};
template <class T>
using rt_int = typename rt_int_of<sizeof(T)>::type;
template <class T>
using rt_uint = typename rt_int_of<sizeof(T)>::utype;

// rt_traits<V>: what a value type is made of. `arith` is the type in which integer arithmetic cannot overflow
// badly, `bits` the signed integers of the same shape, `mask` what a comparison gives.
template <class T>
struct rt_scalar_traits {
  using elem = T;
  static constexpr int lanes = 1;
  static constexpr bool is_vector = false, is_mask = false;
  static constexpr bool is_float = rt_same<T, float> || rt_same<T, double>;
  static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  using arith = rt_if<is_float, T, rt_if<(sizeof(T) < 8), uint32_t, uint64_t>>;
  using bits = rt_int<T>;
  using ubits = rt_uint<T>;
  using mask = bool;
};
template <class T>
struct rt_unref {
  using type = T;
};
template <class T>
struct rt_unref<T&> {
  using type = T;
};

template <class V>
struct rt_traits {  // a vector, since all else is specialised
  using elem = typename rt_unref<decltype((*static_cast<V*>(nullptr))[0])>::type;
  static constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(elem));
  static constexpr bool is_vector = true, is_mask = false;
  static constexpr bool is_float = rt_scalar_traits<elem>::is_float;
  static constexpr bool is_signed = rt_scalar_traits<elem>::is_signed;
  using arith = rt_if<is_float, V, rt_vec<rt_uint<elem>, lanes>>;
  using bits = rt_vec<rt_int<elem>, lanes>;
  using ubits = rt_vec<rt_uint<elem>, lanes>;
  using mask = rt_mask<rt_int<elem>, lanes>;
};
template <>
struct rt_traits<int8_t> : rt_scalar_traits<int8_t> {};
template <>
struct rt_traits<int16_t> : rt_scalar_traits<int16_t> {};
template <>
struct rt_traits<int32_t> : rt_scalar_traits<int32_t> {};
template <>
struct rt_traits<int64_t> : rt_scalar_traits<int64_t> {};
template <>
struct rt_traits<uint8_t> : rt_scalar_traits<uint8_t> {};
template <>
struct rt_traits<uint16_t> : rt_scalar_traits<uint16_t> {};
template <>
struct rt_traits<uint32_t> : rt_scalar_traits<uint32_t> {};
template <>
struct rt_traits<uint64_t> : rt_scalar_traits<uint64_t> {};
template <>
struct rt_traits<float> : rt_scalar_traits<float> {};
template <>
struct rt_traits<double> : rt_scalar_traits<double> {};
template <>
struct rt_traits<bool> {
  using elem = bool;
  static constexpr int lanes = 1;
  static constexpr bool is_vector = false, is_mask = true, is_float = false, is_signed = false;
  using mask = bool;
};
template <class I, int W>
struct rt_traits<rt_mask<I, W>> {
  using elem = bool;
  static constexpr int lanes = W;
  static constexpr bool is_vector = true, is_mask = true, is_float = false, is_signed = false;
  using mask = rt_mask<I, W>;
};

template <class V>
using rt_elem = typename rt_traits<V>::elem;
template <class V>
using rt_bits = typename rt_traits<V>::bits;
template <class V>
using rt_ubits = typename rt_traits<V>::ubits;
template <class V>
using rt_mask_of = typename rt_traits<V>::mask;
// T in the shape of V: rt_like<int32_t, rt_vec<float, 8>> is rt_vec<int32_t, 8>, and of a scalar it is
// int32_t.
template <class T, class V, bool Vector = rt_traits<V>::is_vector>
struct rt_like_of {
  using type = T;
};
template <class T, class V>
struct rt_like_of<T, V, true> {
  using type = rt_vec<T, rt_traits<V>::lanes>;
};
template <class V>
struct rt_like_of<bool, V, true> {
  using type = typename rt_traits<V>::mask;
};
template <class T, class V>
using rt_like = typename rt_like_of<T, V>::type;

// Storage T as a value, and the bits it is stored in: the identity but for halves.
template <class T>
inline constexpr bool rt_is_half = rt_same<T, rt_f16> || rt_same<T, rt_bf16>;
template <class T>
using rt_value = rt_if<rt_is_half<T>, float, T>;
template <class T>
using rt_storage = rt_if<rt_is_half<T>, uint16_t, T>;

static constexpr int rt_greatest(int a) { return a; }
template <class... More>
static constexpr int rt_greatest(int a, int b, More... more) {
  return rt_greatest(a > b ? a : b, more...);
}
// The number of lanes at which the widest of the types fills one vector.
template <class... T>
inline constexpr int rt_width = rt_vector_bytes / rt_greatest(static_cast<int>(sizeof(rt_value<T>))...);

// The least and the greatest value of T.
template <class T>
static constexpr T rt_least() {
  if constexpr (rt_traits<T>::is_float)
    return static_cast<T>(-__builtin_inff());
  else if constexpr (rt_traits<T>::is_signed)
    return static_cast<T>(static_cast<rt_uint<T>>(1ull << (8 * sizeof(T) - 1)));
  else
    return 0;
}
template <class T>
static constexpr T rt_most() {
  if constexpr (rt_traits<T>::is_float)
    return static_cast<T>(__builtin_inff());
  else
    return static_cast<T>(~rt_least<T>());
}

// Lane numbers as a pack.
#if defined(__clang__)
template <class I, I... L>
struct rt_seq_of {};
template <int... L>
using rt_seq = rt_seq_of<int, L...>;
template <int W>
using rt_make_seq = __make_integer_seq<rt_seq_of, int, W>;
#else
template <int... L>
struct rt_seq {};
template <int W>
using rt_make_seq = rt_seq<__integer_pack(W)...>;
#endif

// V made of f(0), f(1), ..., each lane once.
template <class V, class F, int... L>
RT_INLINE V rt_build_lanes(F f, rt_seq<L...>) {
  return V{f(L)...};
}
template <class V, class F>
RT_INLINE V rt_build(F f) {
  return rt_build_lanes<V>(f, rt_make_seq<rt_traits<V>::lanes>{});
}

// Reinterprets the bits of a scalar or vector as another type of the same size.
template <class To, class From>
RT_INLINE To rt_bit_cast(From x) {
  static_assert(sizeof(To) == sizeof(From), "rt_bit_cast keeps the size");
  To out;
  __builtin_memcpy(&out, &x, sizeof(To));
  return out;
}

// The scalar x in every lane of V (or x itself when V is a scalar).
template <class V>
RT_INLINE V rt_fill(rt_elem<V> x) {
  if constexpr (rt_traits<V>::is_mask) {
    if constexpr (rt_traits<V>::is_vector) {
      using Lanes = decltype(V::lanes);
      return V{rt_fill<Lanes>(static_cast<rt_elem<Lanes>>(-static_cast<int>(x)))};
    } else {
      return x;
    }
  } else if constexpr (rt_traits<V>::is_vector) {
    return x - V{};
  } else {
    return x;
  }
}

// What an operator on A and B works on: vector with vector, or vector with scalar of the same element type.
template <class A, class B, bool AV = rt_traits<A>::is_vector, bool BV = rt_traits<B>::is_vector>
struct rt_join_of {
  static_assert(rt_same<rt_elem<A>, rt_elem<B>>, "operands differ in element type: use rt_cast");
  static_assert(!AV || !BV || rt_traits<A>::lanes == rt_traits<B>::lanes, "operands differ in lanes");
  using type = rt_if<AV || !BV, A, B>;
};
template <class I, class J, int W>
struct rt_join_of<rt_mask<I, W>, rt_mask<J, W>, true, true> {
  using type = rt_mask<rt_if<(sizeof(I) >= sizeof(J)), I, J>, W>;
};
template <class A, class B>
using rt_join = typename rt_join_of<A, B>::type;
template <class A, class B, class C>
using rt_join3 = rt_join<rt_join<A, B>, C>;

template <class J, class I, int W>
RT_INLINE rt_mask<J, W> rt_mask_as(rt_mask<I, W> m) {
  if constexpr (sizeof(I) == sizeof(J))
    return {(rt_vec<J, W>)m.lanes};
  else
    return {__builtin_convertvector(m.lanes, rt_vec<J, W>)};
}

// A as a J, where J is the join of A and others.
template <class J, class A>
RT_INLINE J rt_as(A x) {
  if constexpr (rt_same<J, A>)
    return x;
  else if constexpr (!rt_traits<A>::is_vector)
    return rt_fill<J>(x);
  else
    return rt_mask_as<rt_elem<decltype(J::lanes)>>(x);
}

// m ? a : b where a and b have one type. The mask is a bool or a mask of any width.
template <class M, class V>
RT_INLINE V rt_select(M m, V a, V b) {
  if constexpr (!rt_traits<M>::is_vector) {
    return m ? a : b;
  } else if constexpr (rt_traits<V>::is_mask) {
    using I = rt_elem<decltype(V::lanes)>;
    auto k = rt_mask_as<I>(m).lanes;
    return V{(k & a.lanes) | (~k & b.lanes)};
  } else {
    return rt_mask_as<rt_int<rt_elem<V>>>(m).lanes ? a : b;
  }
}

// The comparison of two values as a mask: RT_MASK(V, a < b).
#define RT_MASK(V, comparison) rt_make_mask<V>(comparison)
template <class V, class C>
RT_INLINE rt_mask_of<V> rt_make_mask(C c) {
  if constexpr (rt_traits<V>::is_vector)
    return {(rt_bits<V>)c};
  else
    return c;
}

// Does any lane hold?
template <class M>
RT_INLINE bool rt_any_lane(M m) {
  if constexpr (!rt_traits<M>::is_vector) {
    return m;
  } else {
    constexpr size_t bytes = sizeof(m);
#if !defined(__CUDACC__)
    typedef char Bytes16 __attribute__((vector_size(16)));
    typedef char Bytes32 __attribute__((vector_size(32)));
    typedef char Bytes64 __attribute__((vector_size(64)));
    (void)sizeof(Bytes16), (void)sizeof(Bytes32), (void)sizeof(Bytes64);
#if defined(RT_AVX512)
    if constexpr (bytes == 64) return __builtin_ia32_cvtb2mask512((Bytes64)m.lanes) != 0;
#endif
#if defined(RT_AVX2)
    if constexpr (bytes == 32) return __builtin_ia32_pmovmskb256((Bytes32)m.lanes) != 0;
#endif
#if defined(RT_SSE2)
    if constexpr (bytes == 16) return __builtin_ia32_pmovmskb128((Bytes16)m.lanes) != 0;
#endif
#endif
    uint64_t words[(bytes + 7) / 8] = {}, all = 0;
    __builtin_memcpy(words, &m, bytes);
    for (size_t k = 0; k < (bytes + 7) / 8; ++k) all |= words[k];
    return all != 0;
  }
}

}  // namespace cohort_rt
