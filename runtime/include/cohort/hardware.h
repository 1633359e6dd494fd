// Fused multiply-add, square root and rounding: the instructions that vector extensions have no operator for.
// rt_native<T, Bytes> wraps the target's builtins for the vector sizes it has; other sizes are padded or
// halved.
#pragma once
#include "arithmetic.h"

inline namespace cohort_rt {

enum rt_rounding { rt_to_nearest = 0, rt_to_floor = 1, rt_to_ceil = 2, rt_to_zero = 3 };

template <class T, int Bytes>
struct rt_native {
  static constexpr bool present = false;
};

#if defined(RT_AVX512)
#define RT_NATIVE_512(T, mask_type, suffix)                                            \
  template <>                                                                          \
  struct rt_native<T, 64> {                                                            \
    static constexpr bool present = true;                                              \
    typedef T Vec __attribute__((vector_size(64)));                                    \
    RT_MEMBER Vec fma(Vec a, Vec b, Vec c) {                                           \
      return __builtin_ia32_vfmadd##suffix##512_mask(a, b, c, (mask_type)-1, 4);       \
    }                                                                                  \
    RT_MEMBER Vec sqrt(Vec x) { return RT_SQRT_512(suffix)(x); }                       \
    template <rt_rounding Mode>                                                        \
    RT_MEMBER Vec round(Vec x) {                                                       \
      return __builtin_ia32_rndscale##suffix##_mask(x, 8 | Mode, x, (mask_type)-1, 4); \
    }                                                                                  \
    RT_MEMBER Vec scale(Vec x, Vec n) {                                                \
      return __builtin_ia32_scalef##suffix##512_mask(x, n, x, (mask_type)-1, 4);       \
    }                                                                                  \
  };
#if defined(__clang__)
#define RT_SQRT_512(suffix) rt_sqrt_512
RT_INLINE rt_vec<float, 16> rt_sqrt_512(rt_vec<float, 16> x) { return __builtin_ia32_sqrtps512(x, 4); }
RT_INLINE rt_vec<double, 8> rt_sqrt_512(rt_vec<double, 8> x) { return __builtin_ia32_sqrtpd512(x, 4); }
#else
#define RT_SQRT_512(suffix) rt_sqrt_512
RT_INLINE rt_vec<float, 16> rt_sqrt_512(rt_vec<float, 16> x) {
  return __builtin_ia32_sqrtps512_mask(x, x, (uint16_t)-1, 4);
}
RT_INLINE rt_vec<double, 8> rt_sqrt_512(rt_vec<double, 8> x) {
  return __builtin_ia32_sqrtpd512_mask(x, x, (uint8_t)-1, 4);
}
#endif
RT_NATIVE_512(float, uint16_t, ps)
RT_NATIVE_512(double, uint8_t, pd)
#undef RT_NATIVE_512
#undef RT_SQRT_512
#endif

#if defined(RT_SSE2)
#if defined(RT_FMA)
#define RT_NATIVE_FMA(suffix) \
  RT_MEMBER Vec fma(Vec a, Vec b, Vec c) { return __builtin_ia32_vfmadd##suffix(a, b, c); }
#else
#define RT_NATIVE_FMA(suffix)
#endif
#if defined(__SSE4_1__)
#define RT_NATIVE_ROUND(suffix)                       \
  template <rt_rounding Mode>                         \
  RT_MEMBER Vec round(Vec x) {                        \
    return __builtin_ia32_round##suffix(x, 8 | Mode); \
  }
#else
#define RT_NATIVE_ROUND(suffix)
#endif
#if defined(RT_AVX512)
#define RT_NATIVE_SCALE(name) \
  RT_MEMBER Vec scale(Vec x, Vec n) { return __builtin_ia32_scalef##name##_mask(x, n, x, (uint8_t)-1); }
#else
#define RT_NATIVE_SCALE(name)
#endif
#define RT_NATIVE(T, bytes, suffix, name)                                \
  template <>                                                            \
  struct rt_native<T, bytes> {                                           \
    static constexpr bool present = true;                                \
    typedef T Vec __attribute__((vector_size(bytes)));                   \
    RT_MEMBER Vec sqrt(Vec x) { return __builtin_ia32_sqrt##suffix(x); } \
    RT_NATIVE_FMA(suffix)                                                \
    RT_NATIVE_ROUND(suffix)                                              \
    RT_NATIVE_SCALE(name)                                                \
  };
RT_NATIVE(float, 16, ps, ps128)
RT_NATIVE(double, 16, pd, pd128)
#if defined(__AVX__)
RT_NATIVE(float, 32, ps256, ps256)
RT_NATIVE(double, 32, pd256, pd256)
#endif
#undef RT_NATIVE
#undef RT_NATIVE_FMA
#undef RT_NATIVE_ROUND
#undef RT_NATIVE_SCALE

#elif defined(RT_NEON)
#define RT_NATIVE(T, shape)                                                             \
  template <>                                                                           \
  struct rt_native<T, 16> {                                                             \
    static constexpr bool present = true;                                               \
    typedef T Vec __attribute__((vector_size(16)));                                     \
    RT_MEMBER Vec fma(Vec a, Vec b, Vec c) {                                            \
      __asm__("fmla %0." shape ", %1." shape ", %2." shape : "+w"(c) : "w"(a), "w"(b)); \
      return c;                                                                         \
    }                                                                                   \
    RT_MEMBER Vec sqrt(Vec x) {                                                         \
      Vec r;                                                                            \
      __asm__("fsqrt %0." shape ", %1." shape : "=w"(r) : "w"(x));                      \
      return r;                                                                         \
    }                                                                                   \
    template <rt_rounding Mode>                                                         \
    RT_MEMBER Vec round(Vec x) {                                                        \
      Vec r;                                                                            \
      if constexpr (Mode == rt_to_nearest)                                              \
        __asm__("frintn %0." shape ", %1." shape : "=w"(r) : "w"(x));                   \
      else if constexpr (Mode == rt_to_floor)                                           \
        __asm__("frintm %0." shape ", %1." shape : "=w"(r) : "w"(x));                   \
      else if constexpr (Mode == rt_to_ceil)                                            \
        __asm__("frintp %0." shape ", %1." shape : "=w"(r) : "w"(x));                   \
      else                                                                              \
        __asm__("frintz %0." shape ", %1." shape : "=w"(r) : "w"(x));                   \
      return r;                                                                         \
    }                                                                                   \
  };
RT_NATIVE(float, "4s")
RT_NATIVE(double, "2d")
#undef RT_NATIVE
#endif

#if !defined(__CUDACC__)
// The lower and upper half of a vector, and the two joined.
template <int From, class V, int... L>
RT_INLINE rt_vec<rt_elem<V>, sizeof...(L)> rt_slice(V v, rt_seq<L...>) {
  return __builtin_shufflevector(v, v, (From + L)...);
}
template <class V>
RT_INLINE auto rt_low_half(V v) {
  return rt_slice<0>(v, rt_make_seq<rt_traits<V>::lanes / 2>{});
}
template <class V>
RT_INLINE auto rt_high_half(V v) {
  return rt_slice<rt_traits<V>::lanes / 2>(v, rt_make_seq<rt_traits<V>::lanes / 2>{});
}
template <class V, int... L>
RT_INLINE rt_vec<rt_elem<V>, sizeof...(L)> rt_concat_lanes(V low, V high, rt_seq<L...>) {
  return __builtin_shufflevector(low, high, L...);
}
template <class V>
RT_INLINE auto rt_concat(V low, V high) {
  return rt_concat_lanes(low, high, rt_make_seq<2 * rt_traits<V>::lanes>{});
}
#endif

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

// Zeros above a short vector or beside a scalar, up to 16 bytes, and the way back.
template <class V>
RT_INLINE rt_vec<rt_elem<V>, 16 / sizeof(rt_elem<V>)> rt_pad(V x) {
  rt_vec<rt_elem<V>, 16 / sizeof(rt_elem<V>)> padded{};
  if constexpr (rt_traits<V>::is_vector)
    __builtin_memcpy(&padded, &x, sizeof(x));
  else
    padded[0] = x;
  return padded;
}
template <class V, class P>
RT_INLINE V rt_unpad(P padded) {
  if constexpr (rt_traits<V>::is_vector) {
    V x;
    __builtin_memcpy(&x, &padded, sizeof(x));
    return x;
  } else {
    return padded[0];
  }
}

// f on vectors of a size the machine has.
template <class F, class V, class... More>
RT_INLINE V rt_on_native(F f, V x, More... more) {
  if constexpr (sizeof(V) < 16)
    return rt_unpad<V>(f(rt_pad(x), rt_pad(more)...));
  else if constexpr (rt_native<rt_elem<V>, sizeof(V)>::present)
    return f(x, more...);
  else
    return rt_concat(rt_on_native(f, rt_low_half(x), rt_low_half(more)...),
                     rt_on_native(f, rt_high_half(x), rt_high_half(more)...));
}
template <class V>
using rt_native_of = rt_native<rt_elem<V>, sizeof(V)>;
template <class T>
inline constexpr bool rt_has_native = rt_native<T, 16>::present;

// Correctly rounded.
template <class V>
RT_INLINE V rt_sqrt(V x) {
  static_assert(rt_traits<V>::is_float, "sqrt is of floats");
  if constexpr (rt_has_native<rt_elem<V>>) {
    return rt_on_native([](auto v) { return rt_native_of<decltype(v)>::sqrt(v); }, x);
  } else if constexpr (rt_traits<V>::is_vector) {
    for (int lane = 0; lane < rt_traits<V>::lanes; ++lane) x[lane] = rt_sqrt(x[lane]);
    return x;
  } else if constexpr (sizeof(V) == 4) {
    return __builtin_sqrtf(x);
  } else {
    return __builtin_sqrt(x);
  }
}

#if (defined(RT_SSE2) && defined(__SSE4_1__)) || defined(RT_NEON)
#define RT_ROUND 1
#endif

// To an integral value; -0 and the sign of what rounds to 0 are kept.
template <rt_rounding Mode, class V>
RT_INLINE V rt_round_to(V x) {
  if constexpr (!rt_traits<V>::is_float) {
    return x;
  } else {
#if defined(RT_ROUND)
    return rt_on_native([](auto v) { return rt_native_of<decltype(v)>::template round<Mode>(v); }, x);
#else
    // Beyond 2^23 (2^52) every value is integral; below, adding and subtracting that rounds to nearest even.
    const V big = rt_fill<V>(sizeof(rt_elem<V>) == 4 ? rt_elem<V>(8388608) : rt_elem<V>(4503599627370496));
    const V one = rt_fill<V>(1), zero = rt_fill<V>(0), size = rt_abs(x);
    V r = rt_copysign((size + big) - big, x);
    if constexpr (Mode == rt_to_floor) r = r - rt_select(RT_MASK(V, r > x), one, zero);
    if constexpr (Mode == rt_to_ceil) r = r + rt_select(RT_MASK(V, r < x), one, zero);
    if constexpr (Mode == rt_to_zero) {
      r = rt_abs(r);
      r = r - rt_select(RT_MASK(V, r > size), one, zero);
    }
    return rt_select(RT_MASK(V, size < big), rt_copysign(r, x), x);
#endif
  }
}
template <class V>
RT_INLINE V rt_floor(V x) {
  return rt_round_to<rt_to_floor>(x);
}
template <class V>
RT_INLINE V rt_ceil(V x) {
  return rt_round_to<rt_to_ceil>(x);
}
template <class V>
RT_INLINE V rt_trunc(V x) {
  return rt_round_to<rt_to_zero>(x);
}
template <class V>
RT_INLINE V rt_rint(V x) {
  return rt_round_to<rt_to_nearest>(x);
}
template <class V>
RT_INLINE V rt_round(V x) {
  return rt_rint(x);
}

}  // namespace cohort_rt
