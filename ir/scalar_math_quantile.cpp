// Inverses of distribution functions, as runtime/include/cohort/special_quantile.h has them.
#include "ir/scalar_math.h"
#include "ir/scalar_math_parts.h"

namespace cohort::meaning {

namespace {

// Newton's iteration on the logarithm of a tail over the logarithm of x up to `most`; step(x) is the change
// of the latter.
template <typename F>
Real rise(Real x, Real most, F step) {
  Real last = x;
  for (int k = 0; k < 200 && x > 0 && x < most; ++k) {
    const Real change = step(x);
    if (!std::isfinite(change)) {  // the tail vanishes: a step too far
      x = std::sqrt(x) * std::sqrt(last);
      continue;
    }
    last = x;
    x *= std::exp(std::fmin(std::fmax(change, -30), 30));
    if (!(std::fabs(change) > 1e-18L)) break;
  }
  return x;
}

// log(gamma(1 + a)) and, where x is so small that the first term of its series is all, log(x).
Real lgamma_after(Real a) { return std::lgamma(1 + a); }
Real beta_first(Real a, Real b, Real p) {
  if (a < 20 && b >= 20) {
    const Real ratio =
        power_excess(b, a + b, a) - 0.5L * std::log1p(a / b) + stirling_rest(a + b) - stirling_rest(b);
    return (std::log(p) + lgamma_after(a) - ratio) / a - std::log(a + b);
  }
  return (std::log(p) + lgamma_after(a) + lgamma_after(b) - lgamma_after(a + b) + std::log1p(a / b)) / a;
}

Real betaincinv_odds(Real a, Real b, Real p) {
  if (beta_first(a, b, p) < -45 - std::log1p(b)) return std::exp(beta_first(a, b, p));
  const Real log_beta = std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  return rise(std::fmin(std::fmax(a / b, 1e-15L), 1e15L), 1e21L, [&](Real odds) {
    const Real x = odds / (1 + odds), tail = beta_sides_wide(a, b, x, 1 / (1 + odds), BetaPart::kValue);
    const Real slope = std::exp(a * std::log(x) - b * std::log1p(odds) - log_beta) / tail;
    return (std::log(p) - std::log(tail)) / slope;
  });
}

// The least k from 0 to `most` whose distribution function is at least p: the lesser of p and 1 - p is
// compared.
template <typename F, typename G>
Real count_quantile(Real mean, Real deviation, Real skew, Real most, Real p, F beyond, G within) {
  const auto reached = [&](Real k) { return p < 0.5L ? within(k) >= p : beyond(k) <= 1 - p; };
  const Real z = ndtri_wide(p), guess = std::floor(mean + deviation * z + skew * (z * z - 1));
  Real k = std::fmin(std::fmax(guess, 0), most);
  while (k < most && !reached(k)) k += 1;
  while (k > 0 && reached(k - 1)) k -= 1;
  return k;
}

}  // namespace

long double gammaincinv_wide(long double a, long double p) {
  if (!(a > 1e-30L && a < 1e30L && p >= 0 && p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p == 0 ? 0 : kInfinity;
  const bool below = p <= 0.5L;
  // From below, or from above by Chernoff's bound: there the steps do not turn back.
  const Real log_first = (std::log(p) + lgamma_after(a)) / a, first = std::exp(log_first),
             depth = -std::log1p(-p);
  if (log_first < -45) return first;
  return rise(below ? (a < 10 ? std::fmin(first, a + 1) : a + 1) : a + std::sqrt(2 * a * depth) + depth,
              kInfinity, [&](Real x) {
                const Real tail = gamma_tail_wide(a, x, below ? GammaPart::kBelow : GammaPart::kAbove);
                const Real slope = a * gamma_density(a, x) / tail;
                return (below ? std::log(p) - std::log(tail) : std::log(tail) - std::log1p(-p)) / slope;
              });
}
long double betaincinv_wide(long double a, long double b, long double p) {
  if (!(a > 1e-30L && a < 1e30L && b > 1e-30L && b < 1e30L && p >= 0 && p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p;
  if (beta_first(a, b, p) < -45 - std::log1p(b)) return std::exp(beta_first(a, b, p));
  const Real odds = p <= 0.5L ? betaincinv_odds(a, b, p) : betaincinv_odds(b, a, 1 - p);
  return p <= 0.5L ? odds / (1 + odds) : 1 / (1 + odds);
}
long double poisson_quantile_wide(long double mean, long double p) {
  if (!(mean >= 0 && mean < 1e15L && p >= 0 && p <= 1)) return kNaN;
  if (mean == 0 || p == 0) return 0;
  if (p == 1) return kInfinity;
  return count_quantile(
      mean, std::sqrt(mean), 1 / 6.0L, 0x1p53L, p,
      [&](Real k) { return gamma_tail_wide(k + 1, mean, GammaPart::kBelow); },
      [&](Real k) { return gamma_tail_wide(k + 1, mean, GammaPart::kAbove); });
}
long double binomial_quantile_wide(long double n, long double chance, long double p) {
  if (!(n >= 0 && n < 1e15L && n == std::floor(n) && chance >= 0 && chance <= 1 && p >= 0 && p <= 1))
    return kNaN;
  if (n == 0 || chance == 0 || p == 0) return 0;
  if (chance == 1 || p == 1) return n;
  return count_quantile(
      n * chance, std::sqrt(n * chance * (1 - chance)), (1 - 2 * chance) / 6, n, p,
      [&](Real k) {
        return k >= n ? Real(0) : beta_sides_wide(k + 1, n - k, chance, 1 - chance, BetaPart::kValue);
      },
      [&](Real k) {
        return k >= n ? Real(1) : beta_sides_wide(n - k, k + 1, 1 - chance, chance, BetaPart::kValue);
      });
}

}  // namespace cohort::meaning
