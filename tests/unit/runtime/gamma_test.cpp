// gammaln and digamma against values computed in 60 digits: within 4 units in the last place for positive x,
// zeros included. On the negative axis both cross zero between poles; there the bound is on the terms of the
// reflection.
#include "accuracy.h"
#include "gamma_values.h"

namespace {

template <class T, class F>
void check(const char* name, F f, double GammaValue::*high, double GammaValue::*low) {
  double worst = 0, worst_negative = 0, at = 0, at_negative = 0;
  for (const GammaValue& value : kGammaValues) {
    const T x = static_cast<T>(value.x);
    if (static_cast<double>(x) != value.x) continue;  // the table's values are for its own x
    const long double want = static_cast<long double>(value.*high) + static_cast<long double>(value.*low);
    const T got = f(x);
    T lanes[rt_width<T>];
    rt_store(lanes, rt_lanes<rt_width<T>>{0}, f(rt_splat(rt_lanes<rt_width<T>>{0}, x)));
    CHECK(same_bits(lanes[rt_width<T> - 1], got));
    if (x > 0 || !std::isfinite(static_cast<T>(want))) {
      const double error = ulp_error(got, want);
      if (error > worst) worst = error, at = value.x;
    } else {
      const long double place = std::numeric_limits<T>::epsilon() / 2 *
                                std::fmax(std::fabs(want), std::fmax(1.0L, std::lgamma(std::fabs(x))));
      const double error = static_cast<double>(std::fabs(want - got) / place);
      if (error > worst_negative) worst_negative = error, at_negative = value.x;
    }
  }
  report(name, 8 * static_cast<int>(sizeof(T)), {worst, at, 0, 0});
  report("  below 0", 8 * static_cast<int>(sizeof(T)), {worst_negative, at_negative, 0, 0});
  INFO(name, " at ", at, " and ", at_negative);
  CHECK(worst <= 4);
  CHECK(worst_negative <= 4);
}

}  // namespace

TEST_CASE("gammaln and digamma against 60 digits") {
  const auto log_gamma = [](auto x) { return rt_gammaln(x); };
  const auto psi = [](auto x) { return rt_digamma(x); };
  check<double>("gammaln", log_gamma, &GammaValue::gammaln, &GammaValue::gammaln_low);
  check<double>("digamma", psi, &GammaValue::digamma, &GammaValue::digamma_low);
  check<float>("gammaln", log_gamma, &GammaValue::gammaln, &GammaValue::gammaln_low);
  check<float>("digamma", psi, &GammaValue::digamma, &GammaValue::digamma_low);
}

// float is computed in double: dense samples, the C library's long double as reference, which is good to
// 1e-17 of the terms.
TEST_CASE("gammaln of float over all exponents") {
  const Worst worst = measure<float>(
      samples<float>(), [](auto x) { return rt_gammaln(x); }, [](long double x) { return std::lgamma(x); });
  report("gammaln", 32, worst);
  INFO("at ", worst.at);
  CHECK(worst.error <= 4);
  CHECK(worst.lanes_differ == 0);
}
