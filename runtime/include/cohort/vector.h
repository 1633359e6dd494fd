// SIMD loops and reductions over them. Types are in base.h, loads and stores in memory.h.
#pragma once
#include "arithmetic.h"
#include "hardware.h"
#include "memory.h"

inline namespace cohort_rt {

// body(i) for i in [begin, end): rt_lanes<W> for whole vectors, one rt_tail<W> for the rest, int64_t when W
// is 1.
template <int W, class Body>
RT_INLINE void rt_simd_for(int64_t begin, int64_t end, Body body) {
  if constexpr (W == 1) {
    for (int64_t i = begin; i < end; ++i) body(i);
  } else {
    int64_t i = begin;
    for (; i + W <= end; i += W) body(rt_lanes<W>{i});
    if (i < end) body(rt_tail<W>{i, static_cast<int>(end - i)});
  }
}
template <int W, class Body>
RT_INLINE void rt_simd_for(int64_t n, Body body) {
  rt_simd_for<W>(0, n, body);
}

// --- Reductions: 16 accumulators, element j into j mod 16, combined by halves; see the README ---

inline constexpr int rt_accumulators = 16;
template <class T>
inline constexpr int rt_reduce_width = rt_width<T> < rt_accumulators ? rt_width<T> : rt_accumulators;

struct rt_op_sum {
  template <class T>
  RT_MEMBER constexpr T identity() {
    return T(0);
  }
  template <class V>
  RT_MEMBER V apply(V a, V b) {
    return rt_add(a, b);
  }
};
struct rt_op_prod {
  template <class T>
  RT_MEMBER constexpr T identity() {
    return T(1);
  }
  template <class V>
  RT_MEMBER V apply(V a, V b) {
    return rt_mul(a, b);
  }
};
struct rt_op_min {
  template <class T>
  RT_MEMBER constexpr T identity() {
    return rt_most<T>();
  }
  template <class V>
  RT_MEMBER V apply(V a, V b) {
    return rt_min(a, b);
  }
};
struct rt_op_max {
  template <class T>
  RT_MEMBER constexpr T identity() {
    return rt_least<T>();
  }
  template <class V>
  RT_MEMBER V apply(V a, V b) {
    return rt_max(a, b);
  }
};
struct rt_op_any {
  template <class T>
  RT_MEMBER constexpr T identity() {
    return T(false);
  }
  template <class V>
  RT_MEMBER V apply(V a, V b) {
    return rt_or(a, b);
  }
};
struct rt_op_all {
  template <class T>
  RT_MEMBER constexpr T identity() {
    return T(true);
  }
  template <class V>
  RT_MEMBER V apply(V a, V b) {
    return rt_and(a, b);
  }
};

// One vector's lanes, combined by halves.
template <class Op, class V>
RT_INLINE auto rt_combine_lanes(V v) {
  if constexpr (!rt_traits<V>::is_vector)
    return v;
  else if constexpr (rt_traits<V>::lanes == 2)
    return Op::apply(rt_elem<V>(v[0]), rt_elem<V>(v[1]));
  else
    return rt_combine_lanes<Op>(Op::apply(rt_low_half(v), rt_high_half(v)));
}
// Count accumulators, combined by halves into the first.
template <class Op, int Count, class V>
RT_INLINE V rt_combine(V* acc) {
  if constexpr (Count > 1) {
    RT_UNROLL
    for (int k = 0; k < Count / 2; ++k) acc[k] = Op::apply(acc[k], acc[k + Count / 2]);
    return rt_combine<Op, Count / 2>(acc);
  } else {
    return acc[0];
  }
}

// True in the lanes below live.
template <class V>
RT_INLINE auto rt_live_lanes(int live) {
  using I = rt_int<rt_elem<V>>;
  using Number = rt_like<I, V>;
  const Number number = rt_lane_numbers<Number>(rt_make_seq<rt_traits<V>::lanes>{});
  return RT_MASK(Number, number < rt_fill<Number>(static_cast<I>(live)));
}

// The reduction of body(0), body(1), ... body(n - 1), each a V, lane by lane.
template <class Op, class V, class Body>
RT_INLINE V rt_reduce_each(int64_t n, Body body) {
  const V identity = rt_fill<V>(Op::template identity<rt_elem<V>>());
  V acc[rt_accumulators];
  RT_UNROLL
  for (int k = 0; k < rt_accumulators; ++k) acc[k] = identity;
  int64_t j = 0;
  for (; j + rt_accumulators <= n; j += rt_accumulators) {
    RT_UNROLL
    for (int k = 0; k < rt_accumulators; ++k) acc[k] = Op::apply(acc[k], body(j + k));
  }
  if (j < n) {
    V rest[rt_accumulators];  // indexed at run time, which would keep acc itself out of registers
    __builtin_memcpy(rest, acc, sizeof(rest));
    for (int k = 0; j < n; ++j, ++k) rest[k] = Op::apply(rest[k], body(j));
    __builtin_memcpy(acc, rest, sizeof(rest));
  }
  return rt_combine<Op, rt_accumulators>(acc);
}

// The reduction of n consecutive elements; body(i) gives those at index object i.
template <class Op, class T, int W = rt_reduce_width<T>, class Body>
RT_INLINE T rt_reduce(int64_t n, Body body) {
  static_assert(W <= rt_accumulators, "a reduction takes at most 16 lanes");
  if constexpr (W == 1) {
    return rt_reduce_each<Op, T>(n, body);
  } else {
    using V = rt_vec<T, W>;
    constexpr int count = rt_accumulators / W;
    V acc[count];
    RT_UNROLL
    for (int k = 0; k < count; ++k) acc[k] = rt_fill<V>(Op::template identity<T>());
    int64_t j = 0;
    for (; j + rt_accumulators <= n; j += rt_accumulators) {
      RT_UNROLL
      for (int k = 0; k < count; ++k) acc[k] = Op::apply(acc[k], rt_as<V>(body(rt_lanes<W>{j + k * W})));
    }
    if (j < n) {
      V rest[count];  // indexed at run time, which would keep acc itself out of registers
      __builtin_memcpy(rest, acc, sizeof(rest));
      int k = 0;
      for (; j + W <= n; j += W, ++k) rest[k] = Op::apply(rest[k], rt_as<V>(body(rt_lanes<W>{j})));
      if (j < n) {  // the last vector, in which only some lanes count
        const int live = static_cast<int>(n - j);
        const V next = Op::apply(rest[k], rt_as<V>(body(rt_tail<W>{j, live})));
        rest[k] = rt_select(rt_live_lanes<V>(live), next, rest[k]);
      }
      __builtin_memcpy(acc, rest, sizeof(rest));
    }
    return rt_combine_lanes<Op>(rt_combine<Op, count>(acc));
  }
}

template <class T, int W = rt_reduce_width<T>, class Body>
RT_INLINE T rt_reduce_sum(int64_t n, Body body) {
  return rt_reduce<rt_op_sum, T, W>(n, body);
}
template <class T, int W = rt_reduce_width<T>, class Body>
RT_INLINE T rt_reduce_prod(int64_t n, Body body) {
  return rt_reduce<rt_op_prod, T, W>(n, body);
}
template <class T, int W = rt_reduce_width<T>, class Body>
RT_INLINE T rt_reduce_min(int64_t n, Body body) {
  return rt_reduce<rt_op_min, T, W>(n, body);
}
template <class T, int W = rt_reduce_width<T>, class Body>
RT_INLINE T rt_reduce_max(int64_t n, Body body) {
  return rt_reduce<rt_op_max, T, W>(n, body);
}

// Masks need no order; the loop stops at the first block that decides.
template <int W, class Body>
RT_INLINE bool rt_reduce_any(int64_t n, Body body) {
  int64_t j = 0;
  if constexpr (W == 1) {
    for (; j < n; ++j)
      if (body(j)) return true;
  } else {
    for (; j + W <= n; j += W)
      if (rt_any_lane(body(rt_lanes<W>{j}))) return true;
    if (j < n) {
      const int live = static_cast<int>(n - j);
      return rt_any_lane(rt_and(body(rt_tail<W>{j, live}), rt_live_lanes<rt_vec<int8_t, W>>(live)));
    }
  }
  return false;
}
template <int W, class Body>
RT_INLINE bool rt_reduce_all(int64_t n, Body body) {
  return !rt_reduce_any<W>(n, [&](auto i) { return rt_not(body(i)); });
}

}  // namespace cohort_rt
