// Reference values of polygamma, of functions around the normal distribution and of modified Bessel
// functions.
#include "ir/scalar_math.h"
#include "ir/scalar_math_parts.h"

namespace cohort::meaning {

namespace {

// n! x^-(n + 1).
Real polygamma_scale(Real n, Real x) {
  if (n < 1000) return std::tgamma(n + 1) * std::pow(x, -n - 1);
  if (n > 1e15L) return x < n / std::numbers::e_v<Real> ? kInfinity : 0;
  const Real rest = 0.5L * std::log(2 * kPi * n) + stirling_rest(n) - std::log(x);
  return std::exp(n * (std::log(n) - std::log(x) - 1) + rest);
}
// n! times the sum of (x + k)^-(n + 1) (Euler and Maclaurin, DLMF 25.11).
Real hurwitz(Real n, Real x) {
  static constexpr Real series[] = {
      // B(2j) / (2j)!
      8.33333333333333333333333e-2L,   -1.38888888888888888888889e-3L,  3.3068783068783068783068783e-5L,
      -8.26719576719576719576720e-7L,  2.08767569878680989792101e-8L,   -5.28419013868749318484768e-10L,
      1.33825365306846788328270e-11L,  -3.38968029632258286683020e-13L, 8.58606205627784456413591e-15L,
      -2.17486869855806187304151e-16L, 5.50900282836022951520265e-18L,  -1.39544646858125233407077e-19L};
  const Real scale = polygamma_scale(n, x), s = n + 1;
  if (scale == 0 || std::isinf(scale)) return scale;
  Real sum = 0, y = x, power = 1;
  for (; y < s + 20; y += 1) {
    sum += power;
    power = std::pow(x / (y + 1), s);
    if (power * (y + 1) < sum * 1e-22L) return scale * sum;
  }
  Real term = s / y, tail = 0;
  for (int j = 0; j < 12; ++j) {
    tail += series[j] * term;
    term *= (s + 2 * j + 1) * (s + 2 * j + 2) / (y * y);
  }
  return scale * (sum + power * (y / n + 0.5L + tail));
}

// exp(x^2) erfc(x) for x > 0.
Real erfcx_positive(Real x) {
  if (x < 8) return std::exp(x * x) * std::erfc(x);
  const Real t = 0.5L / (x * x);
  Real term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) sum += term *= -(2 * k - 1) * t;
  return sum / (x * std::sqrt(kPi));
}

// x with erf(x) = y for 0 <= y <= 1/2; Newton's iteration rises to it.
Real erfinv_middle(Real y) {
  Real x = y * std::sqrt(kPi) / 2;
  for (int k = 0; k < 12; ++k) x -= (std::erf(x) - y) * std::sqrt(kPi) / 2 * std::exp(x * x);
  return x;
}
// x with erfc(x) = q for 0 < q <= 1/2: Newton's iteration on the logarithm, which is concave.
Real erfcinv_tail(Real q) {
  Real x = std::sqrt(-std::log(q));
  for (int k = 0; k < 40; ++k)
    x += (std::log(std::erfc(x)) - std::log(q)) * std::sqrt(kPi) / 2 * erfcx_positive(x);
  return x;
}
Real erfcinv_any(Real q) {
  if (!(q >= 0 && q <= 2)) return kNaN;
  if (q == 0 || q == 2) return q == 0 ? kInfinity : -kInfinity;
  if (q >= 0.5L && q <= 1.5L) return std::copysign(erfinv_middle(std::fabs(1 - q)), 1 - q);
  return q < 1 ? erfcinv_tail(q) : -erfcinv_tail(2 - q);
}

// Debye's sum of (sign / r)^k u_k(p) / p^k (DLMF 10.41.9) to k = 10.
Real debye_sum(Real v, Real r, Real sign) {
  Real u[33] = {1}, sum = 1, factor = 1;  // u_k's coefficients over those of p^k, in p^2
  const Real p = (v / r) * (v / r);
  for (int k = 0; k < 10; ++k) {
    Real next[33] = {};
    for (int j = 0; j <= k; ++j) {  // u_(k+1) = p^2 (1 - p^2) u_k' / 2 + the integral of (1 - 5 p^2) u_k / 8
      const Real power = static_cast<Real>(k + 2 * j);
      next[j] += u[j] * (power / 2 + 0.125L / (power + 1));
      next[j + 1] -= u[j] * (power / 2 + 0.625L / (power + 3));
    }
    Real value = 0;
    for (int j = k + 1; j >= 0; --j) value = value * p + (u[j] = next[j]);
    sum += value * (factor *= sign / r);
  }
  return sum;
}
Real debye_exponent(Real v, Real x, Real r) { return v * (v / (r + x) - std::asinh(v / x)); }

// K of orders m and m + 1 times exp(x), |m| <= 1/2: Temme's series, from 2 on the trapezoidal rule.
Moments bessel_k_first(Real m, Real x) {
  if (x > 2) {
    const Real h = std::fmin(0.12L, 0.55L / std::sqrt(x));
    Moments sum{0.5L, 0.5L};
    for (int k = 1; k < 1000; ++k) {
      const Real s = std::sinh(k * h / 2), e = std::exp(-2 * x * s * s);
      sum.value += e * std::cosh(m * k * h);
      sum.moment += e * std::cosh((m + 1) * k * h);
      if (e < 1e-40L) break;
    }
    return {sum.value * h, sum.moment * h};
  }
  static constexpr Real even[] = {1.0L,
                                  -0.65587807152025388107702L,
                                  0.166538611382291489501701L,
                                  -0.00962197152787697356211492L,
                                  -0.00116516759185906511211397L,
                                  0.000128050282388116186153199L,
                                  -1.25049348214267065734536e-6L,
                                  -2.05633841697760710345015e-7L,
                                  5.00200764446922293005567e-9L,
                                  1.04342671169110051049154e-10L,
                                  -3.69680561864220570818782e-12L,
                                  -2.05832605356650678322243e-14L,
                                  1.22677862823826079015889e-15L};
  static constexpr Real odd[] = {
      0.577215664901532860606512L,    -0.0420026350340952355290039L,  -0.0421977345555443367482083L,
      0.00721894324666309954239501L,  -0.00021524167411497095281573L, -0.0000201348547807882386556894L,
      1.13302723198169588237413e-6L,  6.1160951044814158178625e-9L,   -1.18127457048702014458813e-9L,
      7.78226343990507125404994e-12L, 5.10037028745447597901548e-13L, -5.34812253942301798237002e-15L};
  const Real first = -polynomial(odd, m * m), second = polynomial(even, m * m);
  const Real log = std::log(2 / x), turn = m * log, angle = kPi * m;
  const Real sine = m == 0 ? 1 : angle / std::sin(angle), sinh = turn == 0 ? 1 : std::sinh(turn) / turn;
  Real f = sine * (first * std::cosh(turn) + second * sinh * log);
  Real p = std::exp(turn) / (2 * (second - m * first)), q = std::exp(-turn) / (2 * (second + m * first));
  Real c = 1, sum = f, next = p;
  for (int k = 1; k < 60; ++k) {
    f = (k * f + p + q) / (k * k - m * m);
    c *= x * x / (4 * k);
    p /= k - m;
    q /= k + m;
    sum += c * f;
    next += c * (p - k * f);
  }
  return {sum * std::exp(x), next * (2 / x) * std::exp(x)};
}

}  // namespace

long double polygamma_wide(long double n, long double x) {
  if (std::isnan(x) || !(n >= 0) || n != std::floor(n) || std::isinf(n)) return kNaN;
  if (n == 0) return digamma_wide(x);
  const bool even = std::fmod(n, 2.0L) == 0;
  const Real sign = even ? -1 : 1;
  if (x > 0) return sign * (std::isinf(x) ? 0 : hurwitz(n, x));
  if (x == 0) return even ? -std::copysign(kInfinity, x) : kInfinity;
  if (std::isinf(x)) return kNaN;
  const Real up = std::floor(x), part = x - up;
  if (part == 0) return even ? kNaN : kInfinity;
  // The terms on both sides of x, each distance from the integer that is near without rounding.
  const Real rest = std::nearbyint(x) - x, other = rest > 0 ? rest : 1 - part;
  const Real above = hurwitz(n, part), below = hurwitz(n, other), beyond = hurwitz(n, 1 - x);
  return sign * (even ? (above - below) + beyond : above + (below - beyond));
}

long double erfcx_wide(long double x) { return x > 0 ? erfcx_positive(x) : std::exp(x * x) * std::erfc(x); }
long double erfinv_wide(long double y) {
  const Real size = std::fabs(y);
  return std::copysign(size <= 0.5L ? erfinv_middle(size) : erfcinv_any(1 - size), y);
}
long double erfcinv_wide(long double q) { return erfcinv_any(q); }
long double ndtri_wide(long double p) { return -std::numbers::sqrt2_v<Real> * erfcinv_any(2 * p) + 0; }
long double ndtr_wide(long double x) { return std::erfc(-x / std::numbers::sqrt2_v<Real>) / 2; }
long double log_ndtr_wide(long double x) {
  const Real z = -x / std::numbers::sqrt2_v<Real>;
  if (x > -1 || std::isinf(x)) return x > -1 ? std::log1p(-std::erfc(-z) / 2) : x;
  return std::log(erfcx_positive(z) / 2) - x * x / 2;
}

long double ive_wide(long double v, long double x) {
  if (!(v >= 0) || std::isnan(x) || (x < 0 && v != std::floor(v))) return kNaN;
  if (x == 0) return v == 0 ? 1 : 0;
  if (std::isinf(x) || std::isinf(v)) return 0;
  const Real size = std::fabs(x), r = std::hypot(v, size);
  const Real sign = x < 0 && std::fmod(v, 2.0L) != 0 ? -1 : 1;
  if (r >= 300)
    return sign * std::exp(debye_exponent(v, size, r)) * debye_sum(v, r, 1) / std::sqrt(2 * kPi * r);
  Real term = 1, sum = 1;
  for (int k = 1; k < 1000 && term > sum * 1e-24L; ++k) sum += term *= size * size / (4 * k * (v + k));
  return sign * sum * std::exp(v * std::log(size / 2) - size) / std::tgamma(1 + v);
}
long double kve_wide(long double v, long double x) {
  const Real order = std::fabs(v);
  if (std::isnan(v) || !(x >= 0)) return kNaN;
  if (x == 0 || std::isinf(order)) return std::isinf(x) ? kNaN : kInfinity;
  if (std::isinf(x)) return 0;
  const Real r = std::hypot(order, x);
  if (r >= 300)
    return std::exp(-debye_exponent(order, x, r)) * debye_sum(order, r, -1) * std::sqrt(kPi / (2 * r));
  const Real whole = std::nearbyint(order), m = order - whole;
  Moments pair = bessel_k_first(m, x);
  for (Real k = 0; k < whole; k += 1) pair = {pair.moment, pair.value + 2 * (m + k + 1) / x * pair.moment};
  return pair.value;
}

}  // namespace cohort::meaning
