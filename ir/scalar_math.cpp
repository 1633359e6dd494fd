// Mathematical functions that the C++ library does not have.
#include "ir/scalar_math.h"

#include "ir/scalar_math_parts.h"

namespace cohort::meaning {

namespace {

// The positive root of digamma, in two parts, and the Taylor coefficients there (polygamma(n, root) / n!).
constexpr long double kRootHigh = 0xbb16c31ab5f1fb71p-63L;
constexpr long double kRootLow = -1.82570963159634842146e-20L;
constexpr long double kAtRoot[] = {
    0.9676722454476211704274448L,    -0.4427631689835921060928653L,   0.2584997609556510106244014L,
    -0.1639427054424065275042513L,   0.1078240506912623657571829L,    -0.07219956125645471092612178L,
    0.04880428816414310722509253L,   -0.0331611264748473592922584L,   0.02259764823221810465962483L,
    -0.01542476590494895913880032L,  0.01053879161661217538812405L,   -0.007204534386356868240970474L,
    0.004926781395729853446354266L,  -0.003369801655439328082792857L, 0.00230512632673492783693838L,
    -0.001576936771430197259270935L, 0.001078825201916296580691918L,  -0.0007380709389960051295660474L};

// Bernoulli numbers: B(2n) / 2n.
constexpr long double kAsymptotic[] = {
    0.08333333333333333333333333L,   -0.008333333333333333333333333L, 0.003968253968253968253968254L,
    -0.004166666666666666666666667L, 0.007575757575757575757575758L,  -0.0210927960927960927960928L,
    0.08333333333333333333333333L,   -0.4432598039215686274509804L,   3.053954330270119743803954L};

long double digamma_positive(long double a) {
  long double from_root = (a - kRootHigh) - kRootLow;
  if (std::fabs(from_root) < 0.1L) return from_root * polynomial(kAtRoot, from_root);
  // psi(a) = psi(a + 1) - 1 / a until the asymptotic series holds to the last bit (DLMF 5.5.2, 5.11.2).
  long double below = 0;
  for (; a < 20; a += 1) below += 1 / a;
  long double inverse = 1 / (a * a);
  return std::log(a) - 0.5L / a - inverse * polynomial(kAsymptotic, inverse) - below;
}

}  // namespace

long double digamma_wide(long double a) {
  if (a == 0) return -std::copysign(std::numeric_limits<long double>::infinity(), a);
  if (a > 0) return digamma_positive(a);
  // Reflection (DLMF 5.5.4); the distance to the nearest integer is exact.
  long double fraction = a - std::nearbyint(a);
  if (fraction == 0 || !std::isfinite(a)) return std::numeric_limits<long double>::quiet_NaN();
  return digamma_positive(1 - a) - kPi / std::tan(kPi * fraction);
}

}  // namespace cohort::meaning
