// Index objects of SIMD loops, and what reads and writes arrays through them.
//
// An index object names W consecutive elements: rt_lanes<W> all of them, rt_tail<W> the first `live`, 1 to W
// - 1. A plain int64_t names one element, and then all of these functions work on scalars. Dead lanes of a
// tail read as zero and are never stored.
#pragma once
#include "base.h"
#include "half.h"
#include "hardware.h"
#include "masked.h"

inline namespace cohort_rt {

template <int W>
struct rt_lanes {
  int64_t at;
};
template <int W>
struct rt_tail {
  int64_t at;
  int live;
};

template <int W>
RT_INLINE rt_lanes<W> operator+(rt_lanes<W> i, int64_t k) {
  return {i.at + k};
}
template <int W>
RT_INLINE rt_lanes<W> operator-(rt_lanes<W> i, int64_t k) {
  return {i.at - k};
}
template <int W>
RT_INLINE rt_lanes<W> operator+(int64_t k, rt_lanes<W> i) {
  return {i.at + k};
}
template <int W>
RT_INLINE rt_tail<W> operator+(rt_tail<W> i, int64_t k) {
  return {i.at + k, i.live};
}
template <int W>
RT_INLINE rt_tail<W> operator-(rt_tail<W> i, int64_t k) {
  return {i.at - k, i.live};
}
template <int W>
RT_INLINE rt_tail<W> operator+(int64_t k, rt_tail<W> i) {
  return {i.at + k, i.live};
}

template <class I>
struct rt_index_traits {  // any integer: one element
  static constexpr int width = 1;
  template <class T>
  using value = T;
};
template <int W>
struct rt_index_traits<rt_lanes<W>> {
  static constexpr int width = W;
  template <class T>
  using value = rt_vec<T, W>;
};
template <int W>
struct rt_index_traits<rt_tail<W>> : rt_index_traits<rt_lanes<W>> {};
template <int W, bool = true>
struct rt_bool_of {
  using type = rt_mask<int8_t, W>;
};
template <bool B>
struct rt_bool_of<1, B> {
  using type = bool;
};
// The value type of T at an index object, and of bool.
template <class T, class I>
using rt_at = typename rt_index_traits<I>::template value<T>;
template <class I>
using rt_bool_at = typename rt_bool_of<rt_index_traits<I>::width>::type;

// --- Consecutive elements ---

// Copies the elements of a tail in pieces of W/2, W/4, ... 1.
template <int Piece, class T>
RT_INLINE void rt_copy_live(T* to, const T* from, int live) {
  if constexpr (Piece > 0) {
    if (live & Piece) {
      __builtin_memcpy(to, from, sizeof(T) * Piece);
      to += Piece;
      from += Piece;
    }
    rt_copy_live<Piece / 2>(to, from, live);
  }
}

template <class T>
RT_INLINE T rt_read(const T* p, int64_t i) {
  return p[i];
}
template <class T, int W>
RT_INLINE rt_vec<T, W> rt_read(const T* p, rt_lanes<W> i) {
  rt_vec<T, W> v;
  __builtin_memcpy(&v, p + i.at, sizeof(v));
  return v;
}
template <class T, int W>
RT_INLINE rt_vec<T, W> rt_read(const T* p, rt_tail<W> i) {
  using Masked = rt_masked<sizeof(T), sizeof(T) * W>;
  if constexpr (Masked::present) {
    return (rt_vec<T, W>)Masked::load(p + i.at, i.live);
  } else {
    T live[W] = {};
    rt_copy_live<W / 2>(live, p + i.at, i.live);
    return rt_read(live, rt_lanes<W>{0});
  }
}
template <class T>
RT_INLINE void rt_write(T* p, int64_t i, T v) {
  p[i] = v;
}
template <class T, int W>
RT_INLINE void rt_write(T* p, rt_lanes<W> i, rt_vec<T, W> v) {
  __builtin_memcpy(p + i.at, &v, sizeof(v));
}
template <class T, int W>
RT_INLINE void rt_write(T* p, rt_tail<W> i, rt_vec<T, W> v) {
  using Masked = rt_masked<sizeof(T), sizeof(T) * W>;
  if constexpr (Masked::present) {
    Masked::store(p + i.at, (typename Masked::Vec)v, i.live);
  } else {
    T live[W];
    rt_write(live, rt_lanes<W>{0}, v);
    rt_copy_live<W / 2>(p + i.at, live, i.live);
  }
}

// A value from how it is stored, and back.
template <class T, class B>
RT_INLINE auto rt_decode(B stored) {
  if constexpr (rt_same<T, rt_f16>)
    return rt_from_f16<rt_like<float, B>>(stored);
  else if constexpr (rt_same<T, rt_bf16>)
    return rt_from_bf16<rt_like<float, B>>(stored);
  else
    return stored;
}
template <class T, class V>
RT_INLINE auto rt_encode(V value) {
  if constexpr (rt_same<T, rt_f16>)
    return rt_to_f16(value);
  else if constexpr (rt_same<T, rt_bf16>)
    return rt_to_bf16(value);
  else
    return value;
}
template <class T>
RT_INLINE T* rt_raw(T* p) {
  return p;
}
RT_INLINE uint16_t* rt_raw(rt_f16* p) { return &p->bits; }
RT_INLINE const uint16_t* rt_raw(const rt_f16* p) { return &p->bits; }
RT_INLINE uint16_t* rt_raw(rt_bf16* p) { return &p->bits; }
RT_INLINE const uint16_t* rt_raw(const rt_bf16* p) { return &p->bits; }

template <class T, class I>
RT_INLINE rt_at<rt_value<T>, I> rt_load(const T* p, I i) {
  return rt_decode<T>(rt_read(rt_raw(p), i));
}
template <class T, class I, class V>
RT_INLINE void rt_store(T* p, I i, V v) {
  rt_write(rt_raw(p), i, rt_encode<T>(rt_as<rt_at<rt_value<T>, I>>(v)));
}

// Asks for what loops over long arrays will touch soon: one vector of each array, so far ahead that memory
// has answered by then (1 to 8 KiB measured alike). Addresses beyond an array's end do no harm.
inline constexpr int64_t rt_ahead_bytes = 2048;
template <class I, class... T>
RT_INLINE void rt_fetch_ahead(I i, const T*... arrays) {
  if constexpr (rt_index_traits<I>::width > 1)
    (__builtin_prefetch(reinterpret_cast<const char*>(arrays + i.at) + rt_ahead_bytes), ...);
}

// Bool arrays hold 0 or 1; anything but 0 reads as true.
template <class I>
RT_INLINE rt_bool_at<I> rt_load_mask(const uint8_t* p, I i) {
  return RT_MASK(decltype(rt_load(p, i)), rt_load(p, i) != 0);
}
template <class I, class M>
RT_INLINE rt_at<uint8_t, I> rt_mask_bytes(I, M m) {
  if constexpr (rt_index_traits<I>::width == 1)
    return static_cast<uint8_t>(m);
  else
    return (rt_at<uint8_t, I>)(rt_mask_as<int8_t>(rt_as<rt_bool_at<I>>(m)).lanes & 1);
}
template <class I, class M>
RT_INLINE void rt_store_mask(uint8_t* p, I i, M m) {
  rt_store(p, i, rt_mask_bytes(i, m));
}

// --- Scattered elements ---

template <class T>
RT_INLINE T rt_pick(const T* p, int64_t base, int64_t stride, int64_t i) {
  return p[base + i * stride];
}
template <class T, int W>
RT_INLINE rt_vec<T, W> rt_pick(const T* p, int64_t base, int64_t stride, rt_lanes<W> i) {
  if (stride == 1) return rt_read(p, i + base);
  const T* first = p + base + i.at * stride;
  return rt_build<rt_vec<T, W>>([&](int lane) { return first[lane * stride]; });
}
template <class T, int W>
RT_INLINE rt_vec<T, W> rt_pick(const T* p, int64_t base, int64_t stride, rt_tail<W> i) {
  T live[W] = {};
  const T* first = p + base + i.at * stride;
  for (int lane = 0; lane < i.live; ++lane) live[lane] = first[lane * stride];
  return rt_read(live, rt_lanes<W>{0});
}
template <class T, class N>
RT_INLINE T rt_pick(const T* p, N index, int64_t) {
  return p[index];
}
template <class T, class N, int W>
RT_INLINE rt_vec<T, W> rt_pick(const T* p, N index, rt_lanes<W>) {
  return rt_build<rt_vec<T, W>>([&](int lane) { return p[index[lane]]; });
}
template <class T, class N, int W>
RT_INLINE rt_vec<T, W> rt_pick(const T* p, N index, rt_tail<W> i) {
  T live[W] = {};
  for (int lane = 0; lane < i.live; ++lane) live[lane] = p[index[lane]];
  return rt_read(live, rt_lanes<W>{0});
}
template <class T, class... A>
RT_INLINE auto rt_gather(const T* p, A... where) {
  return rt_decode<T>(rt_pick(rt_raw(p), where...));
}
template <class... A>
RT_INLINE auto rt_gather_mask(const uint8_t* p, A... a) {
  auto bytes = rt_gather(p, a...);
  return RT_MASK(decltype(bytes), bytes != 0);
}

// Stores run in the order of lanes, so the last of equal indices stays. `place(lane)` says where.
template <class T, class I, class V, class Place>
RT_INLINE void rt_scatter_lanes(T* p, I i, V v, Place place) {
  constexpr int width = rt_index_traits<I>::width;
  const auto stored = rt_encode<T>(rt_as<rt_at<rt_value<T>, I>>(v));
  if constexpr (width == 1) {
    rt_raw(p)[place(0)] = stored;
  } else {
    rt_storage<T> values[width];
    rt_write(values, rt_lanes<width>{0}, stored);
    int live = width;
    if constexpr (rt_same<I, rt_tail<width>>) live = i.live;
    for (int lane = 0; lane < live; ++lane) rt_raw(p)[place(lane)] = values[lane];
  }
}
template <class I>
RT_INLINE int64_t rt_first(I i) {
  if constexpr (rt_index_traits<I>::width == 1)
    return i;
  else
    return i.at;
}
template <class T, class I, class V>
RT_INLINE void rt_scatter(T* p, int64_t base, int64_t stride, I i, V v) {
  rt_scatter_lanes(p, i, v, [&](int lane) { return base + (rt_first(i) + lane) * stride; });
}
template <class T, class N, class I, class V>
RT_INLINE void rt_scatter(T* p, N index, I i, V v) {
  rt_scatter_lanes(p, i, v, [&](int lane) {
    if constexpr (rt_traits<N>::is_vector)
      return index[lane];
    else
      return index + static_cast<N>(lane);
  });
}
template <class N, class I, class M>
RT_INLINE void rt_scatter_mask(uint8_t* p, N index, I i, M m) {
  rt_scatter(p, index, i, rt_mask_bytes(i, m));
}
template <class I, class M>
RT_INLINE void rt_scatter_mask(uint8_t* p, int64_t base, int64_t stride, I i, M m) {
  rt_scatter(p, base, stride, i, rt_mask_bytes(i, m));
}

// --- Values from an index ---

// The scalar x in every lane of the loop's vectors; for T = bool a mask.
template <class T, class I>
RT_INLINE auto rt_splat(I, T x) {
  if constexpr (rt_same<T, bool>)
    return rt_fill<rt_bool_at<I>>(x);
  else
    return rt_fill<rt_at<T, I>>(x);
}

template <class V, int... L>
RT_INLINE V rt_lane_numbers(rt_seq<L...>) {
  return V{static_cast<rt_elem<V>>(L)...};
}
// The element number (index + lane) as T.
template <class T, class I>
RT_INLINE rt_at<T, I> rt_iota(I i) {
  using V = rt_at<T, I>;
  if constexpr (!rt_traits<V>::is_vector) {
    return static_cast<T>(i);
  } else if constexpr (rt_traits<V>::is_float) {
    const V lane = rt_lane_numbers<V>(rt_make_seq<rt_traits<V>::lanes>{});
    const auto first = static_cast<double>(i.at);
    const auto number = [&](auto wide) { return wide + rt_fill<decltype(wide)>(first); };
    if constexpr (sizeof(T) == 4)
      return rt_in_double(number, lane);
    else
      return number(lane);
  } else {
    using U = rt_ubits<V>;
    return (V)(rt_fill<U>((rt_elem<U>)i.at) + rt_lane_numbers<U>(rt_make_seq<rt_traits<V>::lanes>{}));
  }
}

}  // namespace cohort_rt
