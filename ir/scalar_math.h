// The mathematical functions of ops.def. They are the reference for compiled code, so they are computed wider
// than their dtype: f32 in double; f64 by libm where it is within 0.6 ulp, else in long double.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "ir/scalar_meaning.h"

namespace cohort::meaning {

template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
template <typename T>
Wide<T> wide(T a) {
  return a;
}
// For functions that libm rounds well in double.
template <typename T>
double plain(T a) {
  return a;
}

long double digamma_wide(long double a);
long double polygamma_wide(long double n, long double x);
long double erfcx_wide(long double x);
long double erfinv_wide(long double y);
long double erfcinv_wide(long double q);
long double ndtr_wide(long double x);
long double log_ndtr_wide(long double x);
long double ndtri_wide(long double p);
long double ive_wide(long double v, long double x);
long double kve_wide(long double v, long double x);
long double gammaincinv_wide(long double a, long double p);
long double betaincinv_wide(long double a, long double b, long double p);
long double poisson_quantile_wide(long double mean, long double p);
long double binomial_quantile_wide(long double n, long double chance, long double p);
// The regularised incomplete gamma function below and above x, and the former's derivative in a.
enum class GammaPart { kBelow, kAbove, kSlope };
long double gamma_tail_wide(long double a, long double x, GammaPart part);
// The regularised incomplete beta function and its derivatives in a and b.
enum class BetaPart { kValue, kSlopeA, kSlopeB };
long double beta_tail_wide(long double a, long double b, long double x, BetaPart part);
// The same inside its domain, with y = 1 - x given.
long double beta_sides_wide(long double a, long double b, long double x, long double y, BetaPart part);

template <typename T>
T exp(T a) {
  return static_cast<T>(std::exp(plain(a)));
}
template <typename T>
T exp2(T a) {
  return static_cast<T>(std::exp2(plain(a)));
}
template <typename T>
T expm1(T a) {
  return static_cast<T>(std::expm1(wide(a)));
}
template <typename T>
T log(T a) {
  return static_cast<T>(std::log(plain(a)));
}
template <typename T>
T log2(T a) {
  return static_cast<T>(std::log2(plain(a)));
}
template <typename T>
T log10(T a) {
  return static_cast<T>(std::log10(wide(a)));
}
template <typename T>
T log1p(T a) {
  return static_cast<T>(std::log1p(wide(a)));
}
template <typename T>
T cbrt(T a) {
  return static_cast<T>(std::cbrt(wide(a)));
}
template <typename T>
T sin(T a) {
  return static_cast<T>(std::sin(plain(a)));
}
template <typename T>
T cos(T a) {
  return static_cast<T>(std::cos(plain(a)));
}
template <typename T>
T tan(T a) {
  return static_cast<T>(std::tan(plain(a)));
}
template <typename T>
T asin(T a) {
  return static_cast<T>(std::asin(plain(a)));
}
template <typename T>
T acos(T a) {
  return static_cast<T>(std::acos(plain(a)));
}
template <typename T>
T atan(T a) {
  return static_cast<T>(std::atan(plain(a)));
}
template <typename T>
T atan2(T a, T b) {
  return static_cast<T>(std::atan2(wide(a), wide(b)));
}
template <typename T>
T sinh(T a) {
  return static_cast<T>(std::sinh(wide(a)));
}
template <typename T>
T cosh(T a) {
  return static_cast<T>(std::cosh(wide(a)));
}
template <typename T>
T tanh(T a) {
  return static_cast<T>(std::tanh(wide(a)));
}
template <typename T>
T asinh(T a) {
  return static_cast<T>(std::asinh(wide(a)));
}
template <typename T>
T acosh(T a) {
  return static_cast<T>(std::acosh(wide(a)));
}
template <typename T>
T atanh(T a) {
  return static_cast<T>(std::atanh(wide(a)));
}
template <typename T>
T erf(T a) {
  return static_cast<T>(std::erf(wide(a)));
}
template <typename T>
T erfc(T a) {
  return static_cast<T>(std::erfc(wide(a)));
}
template <typename T>
T hypot(T a, T b) {
  return static_cast<T>(std::hypot(wide(a), wide(b)));
}
template <typename T>
T gammaln(T a) {
  return static_cast<T>(std::lgamma(static_cast<long double>(a)));
}
template <typename T>
T digamma(T a) {
  return static_cast<T>(digamma_wide(a));
}

template <typename T>
T pow(T a, T b) {
  if constexpr (kIsFloat<T>)
    return static_cast<T>(std::pow(plain(a), plain(b)));
  else
    return integer_pow(a, b);
}

// Each branch takes exp of a value that is not positive, so nothing overflows.
template <typename T>
T sigmoid(T a) {
  Wide<T> power = std::exp(-std::fabs(wide(a)));
  return static_cast<T>((a < 0 ? power : Wide<T>(1)) / (1 + power));
}
template <typename T>
T softplus(T a) {
  return static_cast<T>((a > 0 ? wide(a) : Wide<T>(0)) + std::log1p(std::exp(-std::fabs(wide(a)))));
}
// Maechler (2012), Accurately computing log(1 - exp(-|a|)): the branches meet at -log 2.
template <typename T>
T log1mexp(T a) {
  Wide<T> x = wide(a);
  if (x > -std::numbers::ln2_v<Wide<T>>) return static_cast<T>(std::log(-std::expm1(x)));
  return static_cast<T>(std::log1p(-std::exp(x)));
}
// Equal operands first: their difference is NaN where both are the same infinity.
template <typename T>
T logaddexp(T a, T b) {
  Wide<T> x = wide(a), y = wide(b);
  if (x == y) return static_cast<T>(x + std::numbers::ln2_v<Wide<T>>);
  return static_cast<T>((x > y ? x : y) + std::log1p(std::exp(-std::fabs(x - y))));
}
template <typename T>
T xlogy(T a, T b) {
  if (a == 0 && !std::isnan(b)) return T(0);
  return static_cast<T>(wide(a) * std::log(wide(b)));
}

template <typename T>
T trigamma(T a) {
  return static_cast<T>(polygamma_wide(1, a));
}
template <typename T>
T polygamma(T a, T b) {
  return static_cast<T>(polygamma_wide(a, b));
}
template <typename T>
T erfcx(T a) {
  return static_cast<T>(erfcx_wide(a));
}
template <typename T>
T erfinv(T a) {
  return static_cast<T>(erfinv_wide(a));
}
template <typename T>
T erfcinv(T a) {
  return static_cast<T>(erfcinv_wide(a));
}
template <typename T>
T ndtr(T a) {
  return static_cast<T>(ndtr_wide(a));
}
template <typename T>
T log_ndtr(T a) {
  return static_cast<T>(log_ndtr_wide(a));
}
template <typename T>
T ndtri(T a) {
  return static_cast<T>(ndtri_wide(a));
}
template <typename T>
T gammainc(T a, T b) {
  return static_cast<T>(gamma_tail_wide(a, b, GammaPart::kBelow));
}
template <typename T>
T gammaincc(T a, T b) {
  return static_cast<T>(gamma_tail_wide(a, b, GammaPart::kAbove));
}
template <typename T>
T gammainc_grad(T a, T b) {
  return static_cast<T>(gamma_tail_wide(a, b, GammaPart::kSlope));
}
template <typename T>
T betainc(T a, T b, T c) {
  return static_cast<T>(beta_tail_wide(a, b, c, BetaPart::kValue));
}
template <typename T>
T betainc_grad_a(T a, T b, T c) {
  return static_cast<T>(beta_tail_wide(a, b, c, BetaPart::kSlopeA));
}
template <typename T>
T betainc_grad_b(T a, T b, T c) {
  return static_cast<T>(beta_tail_wide(a, b, c, BetaPart::kSlopeB));
}
template <typename T>
T gammaincinv(T a, T b) {
  return static_cast<T>(gammaincinv_wide(a, b));
}
template <typename T>
T betaincinv(T a, T b, T c) {
  return static_cast<T>(betaincinv_wide(a, b, c));
}
template <typename T>
T poisson_quantile(T a, T b) {
  return static_cast<T>(poisson_quantile_wide(a, b));
}
template <typename T>
T binomial_quantile(T a, T b, T c) {
  return static_cast<T>(binomial_quantile_wide(a, b, c));
}
template <typename T>
T i0e(T a) {
  return static_cast<T>(ive_wide(0, a));
}
template <typename T>
T i1e(T a) {
  if (a == 0) return a;
  return static_cast<T>(ive_wide(1, a));
}
template <typename T>
T i0(T a) {
  if (std::isinf(a)) return std::fabs(a);
  return static_cast<T>(std::exp(std::fabs(static_cast<long double>(a))) * ive_wide(0, a));
}
template <typename T>
T i1(T a) {
  if (std::isinf(a) || a == 0) return a;
  return static_cast<T>(std::exp(std::fabs(static_cast<long double>(a))) * ive_wide(1, a));
}
template <typename T>
T ive(T a, T b) {
  return static_cast<T>(ive_wide(a, b));
}
template <typename T>
T kve(T a, T b) {
  return static_cast<T>(kve_wide(a, b));
}

}  // namespace cohort::meaning
