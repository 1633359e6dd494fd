// What the reference values of special functions are built from, in long double. The runtime's prelude has
// the same functions in double, in sums of two where that is too short.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

namespace cohort::meaning {

using Real = long double;
inline constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
inline constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
inline constexpr Real kPi = std::numbers::pi_v<Real>;

template <std::size_t kCount>
Real polynomial(const Real (&coefficients)[kCount], Real x) {
  Real sum = 0;
  for (std::size_t i = kCount; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// exp(x) - 1 - x and log(1 + x) - x.
Real expm1_excess(Real x);
Real log1p_excess(Real x);
// a log(to / a) - change for to = a + change.
Real power_excess(Real a, Real to, Real change);
// log(gamma(a)) less Stirling's (a - 1/2) log(a) - a + log(2 pi)/2, for a >= 20.
Real stirling_rest(Real a);
// x^a exp(-x) / gamma(1 + a).
Real gamma_density(Real a, Real x);

// The points and weights of Gauss and Legendre's rule for the interval from 0 to 1.
struct GaussPoint {
  Real at, weight;
};
extern const GaussPoint kGauss[32];

struct Moments {
  Real value = 0, moment = 0;
};
// The integrals of exp(f) and of exp(f) g for w from 0 to `length`; f(w, g) gives f and leaves g.
template <typename F>
Moments integrate(Real length, F f) {
  const int panels = 2 + static_cast<int>(length / 3);
  const Real width = length / panels;
  Moments sum;
  for (int panel = 0; panel < panels; ++panel) {
    for (const GaussPoint& point : kGauss) {
      Real factor = 0;
      const Real exponent = f((static_cast<Real>(panel) + point.at) * width, factor);
      const Real value = std::exp(exponent) * point.weight;
      sum.value += value;
      sum.moment += value * factor;
    }
  }
  sum.value *= width;
  sum.moment *= width;
  return sum;
}
// The w beyond which exp(f) is below 2^-72, for a concave f that falls: by bisection.
template <typename F>
Real fall(F f) {
  Real low = 0, high = 1e-3L;
  for (Real factor; f(high, factor) > -50; high *= 2) low = high;
  for (int k = 0; k < 12; ++k) {
    Real factor;
    const Real middle = (low + high) / 2;
    (f(middle, factor) > -50 ? low : high) = middle;
  }
  return high;
}

}  // namespace cohort::meaning
