// Measures functions against long double references: samples over all exponents and around where the
// functions bend, vectors against scalars bit by bit on the way.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bits.h"

// The distance of got from the true value, in units of the last place of T there. NaN against NaN is 0,
// against a number infinite. An overflow is right from where the true value rounds to infinity.
template <class T>
double ulp_error(T got, long double want) {
  constexpr int digits = std::numeric_limits<T>::digits,
                least = std::numeric_limits<T>::min_exponent - digits;
  if (std::isnan(want) || got != got) return std::isnan(want) && got != got ? 0 : kInf;
  if (std::isinf(static_cast<T>(want)) || std::isinf(got)) return static_cast<T>(want) == got ? 0 : kInf;
  int exponent = 0;
  std::frexp(want, &exponent);
  const long double place = std::ldexp(1.0L, std::max(exponent - digits, least));
  return static_cast<double>(std::fabs(want - static_cast<long double>(got)) / place);
}

struct Worst {
  double error = 0, at = 0, also = 0;
  int lanes_differ = 0;
};
// A line of the table that COHORT_ULP_TABLE=1 asks for.
inline void report(const char* name, int bits, const Worst& worst) {
  if (std::getenv("COHORT_ULP_TABLE"))
    std::printf("| %-10s | f%d | %6.3f | %.9g %.9g |\n", name, bits, worst.error, worst.at, worst.also);
}

// Every exponent of both signs, and linear stretches where most functions do their work.
template <class T>
std::vector<T> samples() {
  std::vector<T> x;
  uint64_t seed = 88172645463325252u;
  const auto random = [&] {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
  };
  using U = rt_uint<T>;
  constexpr int mantissa = std::numeric_limits<T>::digits - 1;
  constexpr U exponents = (U{1} << (8 * sizeof(T) - 1 - mantissa)) - 1, step = sizeof(T) == 4 ? 1 : 3;
  for (U e = 0; e <= exponents; e = static_cast<U>(e + step))
    for (int k = 0; k < (sizeof(T) == 4 ? 200 : 60); ++k) {
      const U fraction = static_cast<U>(random() & ((uint64_t{1} << mantissa) - 1));
      x.push_back(rt_bit_cast<T>(
          static_cast<U>((e << mantissa) | fraction | (static_cast<U>(k & 1) << (8 * sizeof(T) - 1)))));
    }
  for (double width : {1.0, 4.0, 30.0, 110.0, 760.0})
    for (int k = 0; k < 20000; ++k)
      x.push_back(static_cast<T>((static_cast<double>(random() >> 11) * 0x1p-52 - 1) * width));
  for (double special : {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, kInf, -kInf, kNan})
    for (T neighbour :
         {std::nextafter(T(special), T(-kInf)), T(special), std::nextafter(T(special), T(kInf))})
      x.push_back(neighbour);
  return x;
}

template <class T, class F, class Reference>
Worst measure(const std::vector<T>& x, F f, Reference reference) {
  std::vector<T> y(x.size());
  rt_simd_for<rt_width<T>>(static_cast<int64_t>(x.size()),
                           [&](auto i) { rt_store(y.data(), i, f(rt_load(x.data(), i))); });
  Worst worst;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst.lanes_differ += !same_bits(y[i], T(f(x[i])));
    const double error = ulp_error(y[i], reference(static_cast<long double>(x[i])));
    if (error > worst.error) worst = {error, static_cast<double>(x[i]), 0, worst.lanes_differ};
  }
  return worst;
}
template <class T, class F, class Reference>
Worst measure(const std::vector<T>& a, const std::vector<T>& b, F f, Reference reference) {
  std::vector<T> y(a.size());
  rt_simd_for<rt_width<T>>(static_cast<int64_t>(a.size()), [&](auto i) {
    rt_store(y.data(), i, f(rt_load(a.data(), i), rt_load(b.data(), i)));
  });
  Worst worst;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst.lanes_differ += !same_bits(y[i], T(f(a[i], b[i])));
    const double error =
        ulp_error(y[i], reference(static_cast<long double>(a[i]), static_cast<long double>(b[i])));
    if (error > worst.error)
      worst = {error, static_cast<double>(a[i]), static_cast<double>(b[i]), worst.lanes_differ};
  }
  return worst;
}
// The samples in another order, as second arguments.
template <class T>
std::vector<T> shuffled(std::vector<T> x) {
  uint32_t seed = 12345;
  for (std::size_t i = x.size() - 1; i > 0; --i) {
    seed = seed * 1664525u + 1013904223u;
    std::swap(x[i], x[seed % (i + 1)]);
  }
  return x;
}
