// What functions of the user's need in emitted code: <cmath>, the few of std that must also run on a GPU, and
// their way through vectors, lane by lane.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <cmath>

#include "memory.h"

// Around the user's text, whose style is the user's: no warnings.
// Compilers know different sets of these.
#if defined(__CUDACC__) || !defined(__GNUC__)
#define RT_CUSTOM_BEGIN
#define RT_CUSTOM_END
#else
// clang-format off
#define RT_CUSTOM_BEGIN \
  _Pragma("GCC diagnostic push") \
  _Pragma("GCC diagnostic ignored \"-Wpragmas\"") \
  _Pragma("GCC diagnostic ignored \"-Wunknown-warning-option\"") \
  _Pragma("GCC diagnostic ignored \"-Wattributes\"") \
  _Pragma("GCC diagnostic ignored \"-Wall\"") \
  _Pragma("GCC diagnostic ignored \"-Wextra\"") \
  _Pragma("GCC diagnostic ignored \"-Wpedantic\"") \
  _Pragma("GCC diagnostic ignored \"-Wconversion\"") \
  _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"") \
  _Pragma("GCC diagnostic ignored \"-Wfloat-conversion\"") \
  _Pragma("GCC diagnostic ignored \"-Wfloat-equal\"") \
  _Pragma("GCC diagnostic ignored \"-Wdouble-promotion\"") \
  _Pragma("GCC diagnostic ignored \"-Wshadow\"") \
  _Pragma("GCC diagnostic ignored \"-Wsign-compare\"") \
  _Pragma("GCC diagnostic ignored \"-Wparentheses\"") \
  _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"") \
  _Pragma("GCC diagnostic ignored \"-Wunused-variable\"") \
  _Pragma("GCC diagnostic ignored \"-Wunused-but-set-variable\"") \
  _Pragma("GCC diagnostic ignored \"-Wunused-value\"") \
  _Pragma("GCC diagnostic ignored \"-Wmisleading-indentation\"") \
  _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
// clang-format on
#define RT_CUSTOM_END _Pragma("GCC diagnostic pop")
#endif

// What std::min and their like mean, by value and on both sides.
namespace rt_std {

template <class T>
RT_INLINE T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
RT_INLINE T max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
RT_INLINE T clamp(T x, T low, T high) {
  return x < low ? low : high < x ? high : x;
}
RT_INLINE int abs(int x) { return x < 0 ? -x : x; }
RT_INLINE long abs(long x) { return x < 0 ? -x : x; }
RT_INLINE long long abs(long long x) { return x < 0 ? -x : x; }
RT_INLINE float abs(float x) { return __builtin_fabsf(x); }
RT_INLINE double abs(double x) { return __builtin_fabs(x); }
template <class T>
RT_INLINE bool isnan(T x) {
  return x != x;
}
template <class T>
RT_INLINE bool isfinite(T x) {
  return x - x == T(0);
}
template <class T>
RT_INLINE bool isinf(T x) {
  return x == x && x - x != T(0);
}
RT_INLINE bool signbit(float x) { return __builtin_copysignf(1.0f, x) < 0; }
RT_INLINE bool signbit(double x) { return __builtin_copysign(1.0, x) < 0; }

}  // namespace rt_std

inline namespace cohort_rt {

// Lane k of a vector or mask; of a scalar the scalar.
template <class V>
RT_INLINE auto rt_lane_of(V v, int k) {
  if constexpr (rt_traits<V>::is_mask)
    return v.lanes[k] != 0;
  else if constexpr (rt_traits<V>::is_vector)
    return rt_elem<V>(v[k]);
  else
    return v;
}

// f of the first `live` lanes; dead lanes are never asked, for a function may loop on what it does not
// expect.
template <class R, int W, class F, class... V>
RT_INLINE auto rt_each_live(int live, F f, V... v) {
  rt_if<rt_same<R, bool>, int8_t, R> out[W] = {};
  for (int k = 0; k < live; ++k) {
    if constexpr (rt_same<R, bool>)
      out[k] = f(rt_lane_of(v, k)...) ? -1 : 0;
    else
      out[k] = f(rt_lane_of(v, k)...);
  }
  rt_vec<rt_if<rt_same<R, bool>, int8_t, R>, W> result;
  __builtin_memcpy(&result, out, sizeof(result));
  if constexpr (rt_same<R, bool>)
    return rt_mask<int8_t, W>{result};
  else
    return result;
}
template <class R, int W, class F, class... V>
RT_INLINE auto rt_each_lane(rt_lanes<W>, F f, V... v) {
  return rt_each_live<R, W>(W, f, v...);
}
template <class R, int W, class F, class... V>
RT_INLINE auto rt_each_lane(rt_tail<W> i, F f, V... v) {
  return rt_each_live<R, W>(i.live, f, v...);
}
template <class R, class F, class... V>
RT_INLINE R rt_each_lane(int64_t, F f, V... v) {
  return f(v...);
}

}  // namespace cohort_rt
