// Every mathematical function stays within 4 units in the last place of the true value, and vectors give the
// bits of scalars. COHORT_ULP_TABLE=1 prints the worst of each; runtime/README.md has the table.
#include "accuracy.h"

#define CHECK_FUNCTION(name, reference) \
  CHECK_ONE(name, float, reference);    \
  CHECK_ONE(name, double, reference)
#define CHECK_ONE(name, T, reference)                            \
  do {                                                           \
    const Worst worst = measure<T>(                              \
        samples<T>(), [](auto x) { return rt_##name(x); },       \
        [](long double x) -> long double { return reference; }); \
    report(#name, 8 * static_cast<int>(sizeof(T)), worst);       \
    INFO(#name " at ", worst.at);                                \
    CHECK(worst.error <= 4);                                     \
    CHECK(worst.lanes_differ == 0);                              \
  } while (false)

TEST_CASE("exponentials") {
  CHECK_FUNCTION(exp, std::exp(x));
  CHECK_FUNCTION(exp2, std::exp2(x));
  CHECK_FUNCTION(expm1, std::expm1(x));
  CHECK_FUNCTION(tanh, std::tanh(x));
  CHECK_FUNCTION(sinh, std::sinh(x));
  CHECK_FUNCTION(cosh, std::cosh(x));
  CHECK_FUNCTION(sigmoid, 1 / (1 + std::exp(-x)));
  CHECK_FUNCTION(softplus, std::isinf(x) ? std::fmax(x, 0)
                                         : std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))) + (x - x));
}

TEST_CASE("logarithms") {
  CHECK_FUNCTION(log, std::log(x));
  CHECK_FUNCTION(log1p, std::log1p(x));
  CHECK_FUNCTION(log2, std::log2(x));
  CHECK_FUNCTION(log10, std::log10(x));
  CHECK_FUNCTION(log1mexp, x > -0.7L ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x)));
}

TEST_CASE("trigonometric functions over the whole range") {
  CHECK_FUNCTION(sin, std::sin(x));
  CHECK_FUNCTION(cos, std::cos(x));
  CHECK_FUNCTION(tan, std::tan(x));
  CHECK_FUNCTION(asin, std::asin(x));
  CHECK_FUNCTION(acos, std::acos(x));
  CHECK_FUNCTION(atan, std::atan(x));
}

TEST_CASE("inverse hyperbolic functions, roots and the error function") {
  CHECK_FUNCTION(asinh, std::asinh(x));
  CHECK_FUNCTION(acosh, std::acosh(x));
  CHECK_FUNCTION(atanh, std::atanh(x));
  CHECK_FUNCTION(cbrt, std::cbrt(x));
  CHECK_FUNCTION(sqrt, std::sqrt(x));
  CHECK_FUNCTION(reciprocal, 1 / x);
  CHECK_FUNCTION(erf, std::erf(x));
  CHECK_FUNCTION(erfc, std::erfc(x));
}

// The hardest arguments for reduction by pi/2 (found by continued fractions: Muller, Elementary Functions,
// 2nd ed., table 10.1), and multiples of pi/2 rounded: the results lie near 0, where only an exact reduction
// is right.
TEST_CASE("sin, cos and tan near multiples of pi/2") {
  std::vector<double> x{0x1.6ac5b262ca1ffp+849, 5.319372648326541e255, 0x1.921fb54442d18p+1,
                        0x1.921fb54442d18p+0};
  std::vector<float> y{16367173.0f * 0x1p72f, 0x1.921fb6p+1f};
  for (int k = 1; k < 3000; k += 7) {
    x.push_back(static_cast<double>(1.57079632679489661923132169163975144L * k));
    x.push_back(static_cast<double>(1.57079632679489661923132169163975144L * k * 1000003));
    y.push_back(static_cast<float>(1.57079632679489661923132169163975144L * k));
    y.push_back(static_cast<float>(1.57079632679489661923132169163975144L * k * 1009));
  }
  CHECK(measure<double>(
            x, [](auto v) { return rt_sin(v); }, [](long double v) { return std::sin(v); })
            .error <= 4);
  CHECK(measure<double>(
            x, [](auto v) { return rt_cos(v); }, [](long double v) { return std::cos(v); })
            .error <= 4);
  CHECK(measure<double>(
            x, [](auto v) { return rt_tan(v); }, [](long double v) { return std::tan(v); })
            .error <= 4);
  CHECK(measure<float>(
            y, [](auto v) { return rt_sin(v); }, [](long double v) { return std::sin(v); })
            .error <= 4);
  CHECK(measure<float>(
            y, [](auto v) { return rt_cos(v); }, [](long double v) { return std::cos(v); })
            .error <= 4);
  CHECK(measure<float>(
            y, [](auto v) { return rt_tan(v); }, [](long double v) { return std::tan(v); })
            .error <= 4);
  CHECK(rt_cos(0x1.6ac5b262ca1ffp+849) == doctest::Approx(-4.68716592425462761112e-19).epsilon(1e-15));
}

#define CHECK_FUNCTION_2(name, reference) \
  CHECK_TWO(name, float, reference);      \
  CHECK_TWO(name, double, reference)
#define CHECK_TWO(name, T, reference)                                           \
  do {                                                                          \
    const std::vector<T> a = samples<T>();                                      \
    const Worst worst = measure<T>(                                             \
        a, shuffled(a), [](auto x, auto y) { return rt_##name(x, y); },         \
        [](long double x, long double y) -> long double { return reference; }); \
    report(#name, 8 * static_cast<int>(sizeof(T)), worst);                      \
    INFO(#name " at ", worst.at, ", ", worst.also);                             \
    CHECK(worst.error <= 4);                                                    \
    CHECK(worst.lanes_differ == 0);                                             \
  } while (false)

TEST_CASE("functions of two arguments") {
  CHECK_FUNCTION_2(pow, std::pow(x, y));
  CHECK_FUNCTION_2(atan2, std::atan2(x, y));
  CHECK_FUNCTION_2(hypot, std::hypot(x, y));
  CHECK_FUNCTION_2(xlogy, x == 0 && y == y ? 0 : x * std::log(y));
}

// Powers of moderate numbers, where the result neither vanishes nor overflows; random pairs seldom meet them.
TEST_CASE("pow in its range") {
  std::vector<double> x, y;
  std::vector<float> xf, yf;
  for (int k = 0; k < 30000; ++k) {
    const double base = std::exp2((k % 1999 - 999) * 0.07 + k * 1e-4),
                 most = 1070 / std::fabs(std::log2(base) + 1e-9);
    x.push_back(base);
    y.push_back(std::fmod(k * 0.6180339887, 2.0) * most - most);
    xf.push_back(static_cast<float>(base));
    yf.push_back(static_cast<float>(std::fmod(k * 0.6180339887, 2.0) - 1) * 149 /
                 std::fabs(std::log2(xf.back()) + 1e-6f));
  }
  const auto f = [](auto a, auto b) { return rt_pow(a, b); };
  const auto reference = [](long double a, long double b) { return std::pow(a, b); };
  const Worst single = measure<float>(xf, yf, f, reference), both = measure<double>(x, y, f, reference);
  report("pow, range", 32, single);
  report("pow, range", 64, both);
  CHECK(single.error <= 4);
  CHECK(both.error <= 4);
  CHECK(single.lanes_differ + both.lanes_differ == 0);
}

// The terms cancel where exp(a) + exp(b) is near 1; there the bound is on the greater of the terms.
TEST_CASE("logaddexp") {
  const auto reference = [](long double a, long double b) -> long double {
    if (a == b) return a + std::log(2.0L);
    return std::isnan(a) || std::isnan(b) ? a + b : std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
  };
  const auto f = [](auto a, auto b) { return rt_logaddexp(a, b); };
  const auto xf = samples<float>();
  const Worst single = measure<float>(xf, shuffled(xf), f, reference);
  report("logaddexp", 32, single);
  CHECK(single.error <= 4);
  const auto x = samples<double>(), y = shuffled(x);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double want = reference(x[i], y[i]);
    const double got = rt_logaddexp(x[i], y[i]);
    if (!std::isfinite(want)) {
      CHECK(ulp_error(got, want) == 0);
      continue;
    }
    const long double size = std::fmax(std::fabs(want), std::fmax(std::fmax(x[i], y[i]), 0x1p-1021L));
    worst = std::max(worst, static_cast<double>(std::fabs(want - got) /
                                                std::fmax(size, std::fabs(std::fmax(x[i], y[i]))) * 0x1p52L));
  }
  CHECK(worst <= 4);
}
