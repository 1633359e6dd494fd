// Random numbers from counters: Philox4x32-10 (Salmon and others, Parallel Random Numbers: As Easy as 1, 2,
// 3; SC 2011).
//
// Number `e` of draw `d` under a 64-bit key is a function of these three alone, so results do not depend on
// grouping, placement, width or threads: the block with counter (e low, e high, d low, d high) and key (low,
// high) gives its words.
#pragma once
#include "math.h"
#include "memory.h"

inline namespace cohort_rt {

// Four words for each counter; U is uint32_t or a vector of it.
template <class U>
struct rt_philox_words {
  U x0, x1, x2, x3;
};

// The high and low words of a * m. In a vector, even and odd lanes are the halves of 64-bit lanes.
template <class U>
RT_INLINE void rt_multiply_wide(U a, uint32_t m, U& high, U& low) {
  if constexpr (!rt_traits<U>::is_vector) {
    const uint64_t product = static_cast<uint64_t>(a) * m;
    high = static_cast<uint32_t>(product >> 32);
    low = static_cast<uint32_t>(product);
  } else {
    using Wide = rt_vec<uint64_t, rt_traits<U>::lanes / 2>;
    const Wide words = rt_bit_cast<Wide>(a), mask = rt_fill<Wide>(0xffffffffu), factor = rt_fill<Wide>(m);
    const Wide first = (words & mask) * factor, second = (words >> 32) * factor;
    low = rt_bit_cast<U>(Wide((first & mask) | (second << 32)));
    high = rt_bit_cast<U>(Wide((first >> 32) | (second & ~mask)));
  }
}

// The block function: ten rounds.
template <class U>
RT_INLINE rt_philox_words<U> rt_philox(rt_philox_words<U> c, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    U high0, low0, high2, low2;
    rt_multiply_wide(c.x0, 0xd2511f53u, high0, low0);
    rt_multiply_wide(c.x2, 0xcd9e8d57u, high2, low2);
    c = {U(high2 ^ c.x1 ^ rt_fill<U>(key0)), low2, U(high0 ^ c.x3 ^ rt_fill<U>(key1)), low0};
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
  return c;
}

// The words of the elements at index object i.
template <class I>
RT_INLINE rt_philox_words<rt_at<uint32_t, I>> rt_random_words(uint64_t key, uint64_t draw, I i) {
  using U = rt_at<uint32_t, I>;
  const auto first = static_cast<uint64_t>(rt_first(i));
  const U low = rt_iota<uint32_t>(i), start = rt_fill<U>(static_cast<uint32_t>(first));
  const U carry = rt_select(RT_MASK(U, low < start), rt_fill<U>(1), rt_fill<U>(0));
  const U high = rt_fill<U>(static_cast<uint32_t>(first >> 32)) + carry;
  return rt_philox<U>(
      {low, high, rt_fill<U>(static_cast<uint32_t>(draw)), rt_fill<U>(static_cast<uint32_t>(draw >> 32))},
      static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32));
}

// The first two words of element `element` of draw `draw` as one number, cut to the operands' width: the
// operator philox_bits. The rounds run on 32-bit numbers in 64-bit lanes.
template <class A, class B, class C>
RT_INLINE rt_join3<A, B, C> rt_philox_bits(A key, B draw, C element) {
  using V = rt_join3<A, B, C>;
  using U = rt_like<uint64_t, V>;
  const auto wide = [](auto x) { return rt_cast<uint64_t>(rt_as<V>(x)); };
  const U k = wide(key), d = wide(draw), e = wide(element), word = rt_fill<U>(0xffffffffu);
  U x0 = e & word, x1 = e >> 32, x2 = d & word, x3 = d >> 32, key0 = k & word, key1 = k >> 32;
  for (int round = 0; round < 10; ++round) {
    const U first = x0 * rt_fill<U>(0xd2511f53u), third = x2 * rt_fill<U>(0xcd9e8d57u);
    const U high0 = third >> 32, high2 = first >> 32;
    x0 = high0 ^ x1 ^ key0;
    x2 = high2 ^ x3 ^ key1;
    x1 = third & word;
    x3 = first & word;
    key0 = (key0 + rt_fill<U>(0x9e3779b9u)) & word;
    key1 = (key1 + rt_fill<U>(0xbb67ae85u)) & word;
  }
  return rt_cast<rt_elem<V>>(U(x0 | (x1 << 32)));
}

// [0, 1): the top 24 bits of the first word, or 27 bits of the second over 26 of the first.
template <class T, class U>
RT_INLINE rt_like<T, U> rt_unit_interval(U first, U second) {
  using V = rt_like<T, U>;
  using I = rt_bits<U>;  // conversion from signed integers is one instruction
  if constexpr (sizeof(T) == 4)
    return rt_convert<V>((I)(first >> 8)) * rt_fill<V>(0x1p-24f);
  else
    return rt_convert<V>((I)(second >> 5)) * rt_fill<V>(0x1p-27) +
           rt_convert<V>((I)(first >> 6)) * rt_fill<V>(0x1p-53);
}

// Uniform in [0, 1), T float or double.
template <class T, class I>
RT_INLINE rt_at<T, I> rt_random_uniform(uint64_t key, uint64_t draw, I i) {
  const auto words = rt_random_words(key, draw, i);
  return rt_unit_interval<T>(words.x0, words.x1);
}

// Standard normal by Box and Muller: sqrt(-2 log(1 - u)) cos(2 pi v), u and v uniform from the same block.
template <class T, class I>
RT_INLINE rt_at<T, I> rt_random_normal(uint64_t key, uint64_t draw, I i) {
  using V = rt_at<T, I>;
  const auto words = rt_random_words(key, draw, i);
  const V u = rt_unit_interval<T>(words.x0, words.x1);
  const V v =
      sizeof(T) == 4 ? rt_unit_interval<T>(words.x1, words.x1) : rt_unit_interval<T>(words.x2, words.x3);
  const V radius = rt_sqrt(rt_log(rt_fill<V>(1) - u) * rt_fill<V>(-2));
  return radius * rt_cos(v * rt_fill<V>(static_cast<T>(6.283185307179586)));
}

}  // namespace cohort_rt
