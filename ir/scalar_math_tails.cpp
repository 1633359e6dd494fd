// The incomplete gamma and beta functions and their slopes in the parameters: each tail is a density times an
// integral over w, the distance of log(t) (of log(t / (1 - t))) from x, whose integrand falls and has one
// sign. runtime/include/cohort/special_gamma.h says why.
#include "ir/scalar_math.h"
#include "ir/scalar_math_parts.h"

namespace cohort::meaning {

namespace {

// The lower tail's series for x <= a + 1/2, a < 16.
Real gamma_series(Real a, Real x, bool slope) {
  Real term = 1, sum = 1, harmonic = 0, slopes = 0;
  for (int k = 1; k < 400 && term > sum * 1e-24L; ++k) {
    term *= x / (a + k);
    harmonic += 1 / (a + k);
    sum += term;
    slopes += term * harmonic;
  }
  const Real density = gamma_density(a, x);
  return slope ? density * ((std::log(x) - digamma_wide(1 + a)) * sum - slopes) : density * sum;
}

// log(x) - digamma(a).
Real log_minus_digamma(Real a, Real x) {
  if (a < 16) return std::log(x) - digamma_wide(a);
  static constexpr Real series[] = {1.0L / 12,   -1.0L / 120,     1.0L / 252,
                                    -1.0L / 240, 1.0L / 132,      -691.0L / 32760,
                                    1.0L / 12,   -3617.0L / 8160, 43867.0L / 14364};
  const Real z = 1 / (a * a);
  return (x < a / 2 ? std::log(x / a) : std::log1p((x - a) / a)) + 0.5L / a + z * polynomial(series, z);
}

Real gamma_tail(Real a, Real x, int sign, bool slope) {
  const auto exponent = [=](Real w, Real& factor) {
    factor = w;
    return sign * (a - x) * w - x * expm1_excess(sign * w);
  };
  const Moments integral = integrate(fall(exponent), exponent);
  const Real density = gamma_density(a, x);
  if (!slope) return density * a * integral.value;
  return density * (a * sign * log_minus_digamma(a, x) * integral.value + a * integral.moment);
}

Real gamma_inside(Real a, Real x, GammaPart part) {
  const bool below = x <= a + 0.5L, slope = part == GammaPart::kSlope;
  if (slope) return below && a < 16 ? gamma_series(a, x, true) : -gamma_tail(a, x, below ? -1 : 1, true);
  if (!below) {
    const Real tail = gamma_tail(a, x, 1, false);
    return part == GammaPart::kAbove ? tail : 1 - tail;
  }
  const Real tail = a < 16 ? gamma_series(a, x, false) : gamma_tail(a, x, -1, false);
  if (part == GammaPart::kBelow) return tail;
  return tail < 0.6L || a >= 1 ? 1 - tail : gamma_tail(a, x, 1, false);
}

// x^a y^b gamma(a + b) / (gamma(1 + a) gamma(b)); distance is a - (a + b) x.
Real beta_density(Real a, Real b, Real x, Real y, Real distance) {
  if (a >= 20 && b >= 20) {
    const Real exponent = power_excess(a, (a + b) * x, -distance) + power_excess(b, (a + b) * y, distance) +
                          stirling_rest(a + b) - stirling_rest(a) - stirling_rest(b);
    return std::exp(exponent) * std::sqrt(b / (2 * kPi * a * (a + b)));
  }
  // log1p where the logarithm is near 0
  const Real log_x = y < 0.5L ? std::log1p(-y) : std::log(x), log_y = x < 0.5L ? std::log1p(-x) : std::log(y);
  const Real powers = a * log_x + b * log_y;
  if (a < 20 && b < 20)
    return std::exp(powers) * std::tgamma(1 + a + b) / (std::tgamma(1 + a) * std::tgamma(1 + b)) *
           (b / (a + b));
  const Real small = std::fmin(a, b), large = std::fmax(a, b);
  const Real ratio = power_excess(large, large + small, small) - 0.5L * std::log1p(small / large) +
                     stirling_rest(a + b) - stirling_rest(large);
  const Real density = std::exp(powers + small * std::log(a + b) + ratio) / std::tgamma(1 + small);
  return a < 20 ? density : density * (b / a);
}

// digamma(a + change) - digamma(a): the recurrence up to 200, then the integral of trigamma's series.
Real digamma_change(Real a, Real change) {
  Real sum = 0;
  for (; a < 200; a += 1) sum += change / a / (a + change);
  const Real end = a + change;
  const auto powers = [&](int n) {  // (a^-n - end^-n) / change
    Real value = 0;
    for (int k = 0; k < n; ++k)
      value += std::pow(a, static_cast<Real>(k - n)) * std::pow(end, static_cast<Real>(-1 - k));
    return value;
  };
  const Real rest = 0.5L * powers(1) + powers(2) / 12 - powers(4) / 120 + powers(6) / 252 - powers(8) / 240;
  return sum + std::log1p(change / a) + change * rest;
}

// The lower tail for a - (a + b) x = distance, mostly >= 0.
Real beta_lower(Real a, Real b, Real x, Real y, BetaPart part) {
  Real distance = a * y - b * x, density = beta_density(a, b, x, y, distance), sum = 0;
  const Real log_x = y < 0.5L ? std::log1p(-y) : std::log(x), log_y = x < 0.5L ? std::log1p(-x) : std::log(y);
  const auto slope_at = [&](Real shift) {
    if (part == BetaPart::kSlopeA) return log_x - digamma_wide(a + shift) + digamma_wide(a + b);
    return log_y + digamma_change(b, a);
  };
  for (; a < 20; a += 1) {
    sum += part == BetaPart::kValue ? density : density * slope_at(1);
    density *= x * (a + b) / (a + 1);
    distance += y;
  }
  const Real all = a + b;
  Real constant = 0;
  if (part == BetaPart::kSlopeA) {
    constant = distance < 0.9L * a ? std::log1p(-distance / a) : log_x + std::log1p(b / a);
    constant += log_minus_digamma(a, a) - log_minus_digamma(all, all);
  }
  if (part == BetaPart::kSlopeB)
    constant = b < 16 ? slope_at(0)
                      : std::log1p(distance / b) + log_minus_digamma(b, b) - log_minus_digamma(all, all);
  const bool near = x <= 0.5L;
  const auto exponent = [=](Real w, Real& factor) {
    const Real turned = near ? -w : w, unit = near ? x : y;
    const Real moved = -std::log1p(y * std::expm1(w));
    factor = constant + (part == BetaPart::kSlopeB ? moved + w : moved);
    return -distance * w - all * (unit * expm1_excess(turned) + log1p_excess(unit * std::expm1(turned)));
  };
  const Moments integral = integrate(fall(exponent), exponent);
  return sum + density * a * (part == BetaPart::kValue ? integral.value : integral.moment);
}

}  // namespace

long double gamma_tail_wide(long double a, long double x, GammaPart part) {
  const Real none = part == GammaPart::kAbove ? 1 : 0, all = part == GammaPart::kBelow ? 1 : 0;
  if (!(a >= 0) || !(x >= 0)) return kNaN;
  if (a == 0) return x == 0 || part == GammaPart::kSlope ? kNaN : all;
  if (std::isinf(a)) return std::isinf(x) ? kNaN : none;
  if (x == 0) return none;
  if (std::isinf(x)) return all;
  if (a > 1e35L) {  // a step
    if (x != a) return x < a ? none : all;
    return part == GammaPart::kSlope ? -1 / std::sqrt(2 * kPi * a) : 0.5L;
  }
  return gamma_inside(a, x, part);
}

long double beta_tail_wide(long double a, long double b, long double x, BetaPart part) {
  if (!(a > 0 && a < 1e100L && b > 0 && b < 1e100L && x >= 0 && x <= 1)) return kNaN;
  if (x == 0 || (x == 1 && part != BetaPart::kValue)) return 0;
  if (x == 1) return 1;
  return beta_sides_wide(a, b, x, 1 - x, part);
}
long double beta_sides_wide(long double a, long double b, long double x, long double y, BetaPart part) {
  if (a * y >= b * x || (part == BetaPart::kValue && b < 1)) return beta_lower(a, b, x, y, part);
  if (part == BetaPart::kValue) return 1 - beta_lower(b, a, y, x, part);
  return -beta_lower(b, a, y, x, part == BetaPart::kSlopeA ? BetaPart::kSlopeB : BetaPart::kSlopeA);
}

}  // namespace cohort::meaning
