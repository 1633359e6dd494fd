// Sixteen partial accumulators that live across loops, for reductions that are no single rt_reduce: several
// at once, or over several axes. The order is that of rt_reduce (README.md): element with index j goes to
// accumulator j mod 16.
#pragma once
#include "vector.h"

#define RT_METHOD __attribute__((always_inline)) inline RT_BOTH

inline namespace cohort_rt {

// V is a scalar, or a vector of which every lane is a reduction of its own.
template <class Op, class V>
struct rt_accumulator {
  V lanes[rt_accumulators];

  RT_METHOD rt_accumulator() {
    const V identity = rt_fill<V>(Op::template identity<rt_elem<V>>());
    for (V& lane : lanes) lane = identity;
  }

  // The element with index j.
  template <class T>
  RT_METHOD void add(int64_t j, T value) {
    V& lane = lanes[j & (rt_accumulators - 1)];
    lane = Op::apply(lane, rt_as<V>(value));
  }
  // W elements from index j.at, a multiple of W; values beyond 16 lanes and truth values go one by one.
  template <int W, class T>
  RT_METHOD void add(rt_lanes<W> j, T value) {
    if constexpr (rt_traits<T>::is_mask && rt_traits<T>::is_vector) {
      for (int k = 0; k < W; ++k) add(j.at + k, static_cast<bool>(value.lanes[k]));
    } else if constexpr (W > rt_accumulators) {
      const rt_vec<V, W> values = rt_as<rt_vec<V, W>>(value);
      for (int k = 0; k < W; ++k) add(j.at + k, V(values[k]));
    } else {
      rt_vec<V, W> now = block<W>(j.at);
      now = Op::apply(now, rt_as<rt_vec<V, W>>(value));
      __builtin_memcpy(&lanes[j.at & (rt_accumulators - 1)], &now, sizeof now);
    }
  }
  template <int W, class T>
  RT_METHOD void add(rt_tail<W> j, T value) {
    if constexpr (rt_traits<T>::is_mask && rt_traits<T>::is_vector) {
      for (int k = 0; k < j.live; ++k) add(j.at + k, static_cast<bool>(value.lanes[k]));
    } else if constexpr (W > rt_accumulators) {
      const rt_vec<V, W> values = rt_as<rt_vec<V, W>>(value);
      for (int k = 0; k < j.live; ++k) add(j.at + k, V(values[k]));
    } else {
      using Block = rt_vec<V, W>;
      Block now = block<W>(j.at);
      now = rt_select(rt_live_lanes<Block>(j.live), Op::apply(now, rt_as<Block>(value)), now);
      __builtin_memcpy(&lanes[j.at & (rt_accumulators - 1)], &now, sizeof now);
    }
  }

  // The sixteen, combined by halves.
  RT_METHOD V finish() const {
#if defined(__CUDACC__)
    constexpr bool in_vectors = false;
#else
    constexpr bool in_vectors = true;
#endif
    if constexpr (!in_vectors || rt_traits<V>::is_vector || rt_traits<V>::is_mask) {
      return combine<V>();
    } else {  // in vectors themselves
      constexpr int width = rt_reduce_width<V>;
      return rt_combine_lanes<Op>(combine<rt_vec<V, width>>());
    }
  }

 private:
  template <class Block>
  RT_METHOD Block combine() const {
    constexpr int count = rt_accumulators * int{sizeof(V)} / int{sizeof(Block)};
    Block blocks[count];
    __builtin_memcpy(blocks, lanes, sizeof blocks);
    return rt_combine<Op, count>(blocks);
  }
  template <int W>
  RT_METHOD rt_vec<V, W> block(int64_t at) const {
    rt_vec<V, W> out;
    __builtin_memcpy(&out, &lanes[at & (rt_accumulators - 1)], sizeof out);
    return out;
  }
};

}  // namespace cohort_rt
