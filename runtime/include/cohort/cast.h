// rt_cast<T>: conversion between all element types, for scalars, vectors and masks. The rules are in the
// README.
#pragma once
#include "arithmetic.h"

inline namespace cohort_rt {

// 2^n as a float type, exactly.
template <class F>
static constexpr F rt_power_of_two(int n) {
  F p = 1;
  for (; n > 0; --n) p *= 2;
  return p;
}

// Truncation, saturating; NaN gives 0. The value converted lies in range, so no conversion is undefined.
template <class T, class V>
RT_INLINE rt_like<T, V> rt_float_to_int(V x) {
  using F = rt_elem<V>;
  using To = rt_like<T, V>;
  constexpr int bits = 8 * static_cast<int>(sizeof(T)) - (rt_traits<T>::is_signed ? 1 : 0);
  constexpr F above = rt_power_of_two<F>(bits);
  // Types under 32 bits go through int32_t, which the hardware converts to.
  using Step = rt_if<(sizeof(T) < 4), int32_t, T>;
  const auto high = RT_MASK(V, x >= rt_fill<V>(above));
  const auto low = RT_MASK(V, x < rt_fill<V>(rt_traits<T>::is_signed ? -above : F(0)));
  const V inside = rt_select(rt_or(rt_or(high, low), RT_MASK(V, x != x)), rt_fill<V>(0), x);
  To r = rt_convert<To>(rt_convert<rt_like<Step, V>>(inside));
  r = rt_select(high, rt_fill<To>(rt_most<T>()), r);
  return rt_select(low, rt_fill<To>(rt_least<T>()), r);
}

template <class T, class V>
RT_INLINE rt_like<T, V> rt_cast(V x) {
  using To = rt_like<T, V>;
  if constexpr (rt_same<T, bool>) {
    return rt_truth(x);
  } else if constexpr (rt_traits<V>::is_mask) {
    if constexpr (rt_traits<V>::is_vector)
      return rt_select(x, rt_fill<To>(1), rt_fill<To>(0));
    else
      return static_cast<T>(x);
  } else if constexpr (rt_traits<V>::is_float && !rt_traits<T>::is_float) {
    return rt_float_to_int<T>(x);
  } else {
    return rt_convert<To>(x);
  }
}

}  // namespace cohort_rt
