// Arithmetic, comparison, selection, logic and conversion: the operators that are a few instructions each.
// Scalars and vectors, with operands that mix as rt_join says. Integers wrap; what NaN and -0 do stands at
// each.
#pragma once
#include "base.h"

inline namespace cohort_rt {

#define RT_BINARY(name, expression)                        \
  template <class A, class B>                              \
  RT_INLINE rt_join<A, B> rt_##name(A left, B right) {     \
    using V = rt_join<A, B>;                               \
    using N = typename rt_traits<V>::arith;                \
    const N a = (N)rt_as<V>(left), b = (N)rt_as<V>(right); \
    return (V)(expression);                                \
  }
RT_BINARY(add, a + b)
RT_BINARY(sub, a - b)
RT_BINARY(mul, a* b)
#undef RT_BINARY

template <class V>
RT_INLINE V rt_neg(V x) {
  using N = typename rt_traits<V>::arith;
  if constexpr (rt_traits<V>::is_float)
    return -x;
  else
    return (V)(N{} - (N)x);
}
template <class V>
RT_INLINE V rt_square(V x) {
  return rt_mul(x, x);
}
template <class A, class B>
RT_INLINE rt_join<A, B> rt_true_div(A a, B b) {
  using V = rt_join<A, B>;
  static_assert(rt_traits<V>::is_float, "true_div is of floats");
  return rt_as<V>(a) / rt_as<V>(b);
}
template <class V>
RT_INLINE V rt_reciprocal(V x) {
  return rt_fill<V>(1) / x;
}

// --- Logic: of masks and bools; a number counts as x != 0 ---

template <class V>
RT_INLINE rt_mask_of<V> rt_truth(V x) {
  if constexpr (rt_traits<V>::is_mask)
    return x;
  else
    return RT_MASK(V, x != rt_fill<V>(0));
}

#define RT_LOGIC(name, symbol)                                                          \
  template <class A, class B>                                                           \
  RT_INLINE rt_join<rt_mask_of<A>, rt_mask_of<B>> rt_##name(A a, B b) {                 \
    using M = rt_join<rt_mask_of<A>, rt_mask_of<B>>;                                    \
    if constexpr (rt_traits<M>::is_vector)                                              \
      return M{rt_as<M>(rt_truth(a)).lanes symbol rt_as<M>(rt_truth(b)).lanes};         \
    else                                                                                \
      return (static_cast<int>(rt_truth(a)) symbol static_cast<int>(rt_truth(b))) != 0; \
  }
RT_LOGIC(and, &)
RT_LOGIC(or, |)
RT_LOGIC(xor, ^)
#undef RT_LOGIC

template <class V>
RT_INLINE rt_mask_of<V> rt_not(V x) {
  using M = rt_mask_of<V>;
  if constexpr (rt_traits<M>::is_vector)
    return M{~rt_truth(x).lanes};
  else
    return !rt_truth(x);
}

// --- Comparison: a mask, or a bool of scalars; false is less than true ---

#define RT_COMPARE(name, symbol, of_masks)                  \
  template <class A, class B>                               \
  RT_INLINE rt_mask_of<rt_join<A, B>> rt_##name(A a, B b) { \
    using V = rt_join<A, B>;                                \
    if constexpr (rt_traits<V>::is_mask)                    \
      return of_masks;                                      \
    else                                                    \
      return RT_MASK(V, (rt_as<V>(a) symbol rt_as<V>(b)));  \
  }
RT_COMPARE(lt, <, rt_and(rt_not(a), b))
RT_COMPARE(le, <=, rt_or(rt_not(a), b))
RT_COMPARE(gt, >, rt_and(a, rt_not(b)))
RT_COMPARE(ge, >=, rt_or(a, rt_not(b)))
#undef RT_COMPARE

template <class A, class B>
RT_INLINE rt_mask_of<rt_join<A, B>> rt_ne(A a, B b) {
  using V = rt_join<A, B>;
  if constexpr (rt_traits<V>::is_mask)
    return rt_xor(a, b);
  else
    return RT_MASK(V, (rt_as<V>(a) != rt_as<V>(b)));
}
template <class A, class B>
RT_INLINE rt_mask_of<rt_join<A, B>> rt_eq(A a, B b) {
  using V = rt_join<A, B>;
  if constexpr (rt_traits<V>::is_mask)
    return rt_not(rt_xor(a, b));
  else
    return RT_MASK(V, (rt_as<V>(a) == rt_as<V>(b)));
}

// --- Selection ---

template <class M, class A, class B, bool Spread>
struct rt_where_of {
  using type = rt_join<A, B>;
};
template <class M, class A, class B>
struct rt_where_of<M, A, B, true> {  // a vector mask over two scalars
  using type = rt_like<rt_elem<A>, M>;
};
template <class M, class A, class B>
using rt_where_type = typename rt_where_of<
    M, A, B, rt_traits<M>::is_vector && !rt_traits<A>::is_vector && !rt_traits<B>::is_vector>::type;

template <class M, class A, class B>
RT_INLINE rt_where_type<rt_mask_of<M>, A, B> rt_where(M m, A a, B b) {
  using V = rt_where_type<rt_mask_of<M>, A, B>;
  return rt_select(rt_truth(m), rt_as<V>(a), rt_as<V>(b));
}

template <class V>
RT_INLINE rt_mask_of<V> rt_isnan(V x) {
  return RT_MASK(V, x != x);
}
// |x|: the sign bit cleared; of integers the least stays itself.
template <class V>
RT_INLINE V rt_abs(V x) {
  if constexpr (rt_traits<V>::is_float)
    return rt_bit_cast<V>(
        rt_bits<V>(rt_bit_cast<rt_bits<V>>(x) & rt_fill<rt_bits<V>>(rt_most<rt_int<rt_elem<V>>>())));
  else if constexpr (rt_traits<V>::is_signed)
    return rt_select(RT_MASK(V, x < rt_fill<V>(0)), rt_neg(x), x);
  else
    return x;
}
template <class V>
RT_INLINE rt_mask_of<V> rt_isinf(V x) {
  if constexpr (rt_traits<V>::is_float)
    return RT_MASK(V, rt_abs(x) == rt_fill<V>(static_cast<rt_elem<V>>(__builtin_inff())));
  else
    return RT_MASK(V, x != x);
}
template <class V>
RT_INLINE rt_mask_of<V> rt_isfinite(V x) {
  if constexpr (rt_traits<V>::is_float)
    return RT_MASK(V, rt_abs(x) < rt_fill<V>(static_cast<rt_elem<V>>(__builtin_inff())));
  else
    return RT_MASK(V, x == x);
}
// -1, 0 or 1; NaN of NaN, and 0 of -0, as NumPy.
template <class V>
RT_INLINE V rt_sign(V x) {
  const V zero = rt_fill<V>(0), one = rt_fill<V>(1);
  V sign = rt_select(RT_MASK(V, x > zero), one, zero);
  if constexpr (rt_traits<V>::is_signed || rt_traits<V>::is_float)
    sign = rt_select(RT_MASK(V, x < zero), rt_neg(one), sign);
  if constexpr (rt_traits<V>::is_float) sign = rt_select(RT_MASK(V, x != x), x, sign);
  return sign;
}

// Of two zeros max is +0 and min is -0; a NaN on either side is the result.
template <class A, class B>
RT_INLINE rt_join<A, B> rt_max(A left, B right) {
  using V = rt_join<A, B>;
  const V a = rt_as<V>(left), b = rt_as<V>(right);
  V most = rt_select(RT_MASK(V, a > b), a, b);
  if constexpr (rt_traits<V>::is_float) {
    using I = rt_bits<V>;
    const V both = rt_bit_cast<V>(I(rt_bit_cast<I>(a) & rt_bit_cast<I>(b)));
    most = rt_select(RT_MASK(V, a == b), both, most);
    most = rt_select(RT_MASK(V, a != a), a, most);
  }
  return most;
}
template <class A, class B>
RT_INLINE rt_join<A, B> rt_min(A left, B right) {
  using V = rt_join<A, B>;
  const V a = rt_as<V>(left), b = rt_as<V>(right);
  V least = rt_select(RT_MASK(V, a < b), a, b);
  if constexpr (rt_traits<V>::is_float) {
    using I = rt_bits<V>;
    const V both = rt_bit_cast<V>(I(rt_bit_cast<I>(a) | rt_bit_cast<I>(b)));
    least = rt_select(RT_MASK(V, a == b), both, least);
    least = rt_select(RT_MASK(V, a != a), a, least);
  }
  return least;
}
template <class A, class B, class C>
RT_INLINE rt_join3<A, B, C> rt_clip(A x, B low, C high) {
  return rt_min(rt_max(x, low), high);
}
// x where x > 0, NaN where x is NaN, else +0.
template <class V>
RT_INLINE V rt_relu(V x) {
  const V zero = rt_fill<V>(0);
  V positive = rt_select(RT_MASK(V, x > zero), x, zero);
  if constexpr (rt_traits<V>::is_float) positive = rt_select(RT_MASK(V, x != x), x, positive);
  return positive;
}
template <class A, class B>
RT_INLINE rt_join<A, B> rt_copysign(A size, B sign) {
  using V = rt_join<A, B>;
  using I = rt_bits<V>;
  const I bit = rt_fill<I>(rt_least<rt_elem<I>>());
  return rt_bit_cast<V>(I((rt_bit_cast<I>(rt_as<V>(size)) & ~bit) | (rt_bit_cast<I>(rt_as<V>(sign)) & bit)));
}

// Conversion of a value that fits: see rt_cast for what happens to others.
template <class To, class V>
RT_INLINE To rt_convert(V x) {
  if constexpr (rt_same<To, V>)
    return x;
  else if constexpr (rt_traits<V>::is_vector)
    return __builtin_convertvector(x, To);
  else
    return static_cast<To>(x);
}

}  // namespace cohort_rt
