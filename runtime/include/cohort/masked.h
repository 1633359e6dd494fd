// Loads and stores of the first `live` elements of a vector, where the machine has instructions for them. A
// dead element is neither read nor written: it may lie outside memory. Other sizes and machines go through
// memory.h's generic form.
#pragma once
#include "base.h"

inline namespace cohort_rt {

template <int ElementBytes, int Bytes>
struct rt_masked {
  static constexpr bool present = false;
};

#if defined(RT_AVX512)
#if defined(__clang__)
#define RT_MASKED_POINTER(vector, scalar) vector
#else
#define RT_MASKED_POINTER(vector, scalar) scalar
#endif
#define RT_MASKED(element_bytes, bytes, element, mask_type, pointer, name)             \
  template <>                                                                          \
  struct rt_masked<element_bytes, bytes> {                                             \
    static constexpr bool present = true;                                              \
    typedef element Vec __attribute__((vector_size(bytes)));                           \
    RT_MEMBER Vec load(const void* p, int live) {                                      \
      return __builtin_ia32_load##name##_mask(static_cast<const pointer*>(p), Vec{},   \
                                              (mask_type)((uint64_t{1} << live) - 1)); \
    }                                                                                  \
    RT_MEMBER void store(void* p, Vec v, int live) {                                   \
      __builtin_ia32_store##name##_mask(static_cast<pointer*>(p), v,                   \
                                        (mask_type)((uint64_t{1} << live) - 1));       \
    }                                                                                  \
  };
RT_MASKED(4, 64, int, uint16_t, int, dqusi512)
RT_MASKED(8, 64, long long, uint8_t, long long, dqudi512)
RT_MASKED(2, 64, short, uint32_t, RT_MASKED_POINTER(Vec, short), dquhi512)
RT_MASKED(1, 64, char, uint64_t, RT_MASKED_POINTER(Vec, char), dquqi512)
RT_MASKED(4, 32, int, uint8_t, RT_MASKED_POINTER(Vec, int), dqusi256)
RT_MASKED(8, 32, long long, uint8_t, RT_MASKED_POINTER(Vec, long long), dqudi256)
RT_MASKED(2, 32, short, uint16_t, RT_MASKED_POINTER(Vec, short), dquhi256)
RT_MASKED(1, 32, char, uint32_t, RT_MASKED_POINTER(Vec, char), dquqi256)
RT_MASKED(4, 16, int, uint8_t, RT_MASKED_POINTER(Vec, int), dqusi128)
RT_MASKED(8, 16, long long, uint8_t, RT_MASKED_POINTER(Vec, long long), dqudi128)
RT_MASKED(2, 16, short, uint8_t, RT_MASKED_POINTER(Vec, short), dquhi128)
RT_MASKED(1, 16, char, uint16_t, RT_MASKED_POINTER(Vec, char), dquqi128)
#undef RT_MASKED
#undef RT_MASKED_POINTER

#elif defined(RT_AVX2)
// The sign bit of each element of a mask vector says whether it is live.
#define RT_MASKED(element_bytes, bytes, element, name)                                         \
  template <>                                                                                  \
  struct rt_masked<element_bytes, bytes> {                                                     \
    static constexpr bool present = true;                                                      \
    typedef element Vec __attribute__((vector_size(bytes)));                                   \
    template <int... L>                                                                        \
    RT_MEMBER Vec lanes(int live, rt_seq<L...>) {                                              \
      return (Vec)(Vec{L...} < rt_fill<Vec>(live));                                            \
    }                                                                                          \
    RT_MEMBER Vec mask(int live) { return lanes(live, rt_make_seq<bytes / element_bytes>{}); } \
    RT_MEMBER Vec load(const void* p, int live) {                                              \
      return __builtin_ia32_maskload##name(static_cast<const Vec*>(p), mask(live));            \
    }                                                                                          \
    RT_MEMBER void store(void* p, Vec v, int live) {                                           \
      __builtin_ia32_maskstore##name(static_cast<Vec*>(p), mask(live), v);                     \
    }                                                                                          \
  };
RT_MASKED(4, 32, int, d256)
RT_MASKED(8, 32, long long, q256)
RT_MASKED(4, 16, int, d)
RT_MASKED(8, 16, long long, q)
#undef RT_MASKED
#endif

}  // namespace cohort_rt
