// The meaning of operators at the edges: integers that wrap, division by zero, NaN, infinities, signs of
// zero. Scalars and vectors go through the same checks.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "bits.h"

namespace {

void report_lane(const char* name, int lane) {
  FAIL_CHECK(name << " differs in lane " << lane << " of a vector");
}

// f of scalars, after checking that a vector of them gives the same bits in its lanes.
template <class F, class... T>
auto same_in_vectors(const char* name, F f, T... x) {
  constexpr rt_lanes<8> i{0};
  const auto scalar = f(x...);
  std::remove_const_t<decltype(scalar)> got[8] = {};
  if constexpr (rt_same<decltype(scalar), const bool>) {
    const auto mask = f(rt_splat<T>(i, x)...);
    for (int lane = 0; lane < 8; ++lane) got[lane] = mask.lanes[lane] != 0;
  } else {
    rt_store(got, i, f(rt_splat<T>(i, x)...));
  }
  for (int lane : {0, 7})
    if (!same_bits(got[lane], scalar)) report_lane(name, lane);
  return scalar;
}
#define OF(name, ...) \
  same_in_vectors(    \
      #name, [](auto... of) { return rt_##name(of...); }, __VA_ARGS__)
#define CHECK_BITS(a, b) CHECK(same_bits(a, b))

}  // namespace

TEST_CASE_TEMPLATE("signed integers wrap and floor", T, int8_t, int16_t, int32_t, int64_t) {
  const T least = rt_least<T>(), most = rt_most<T>(), zero = 0, one = 1, two = 2, minus = -1;
  CHECK(OF(floor_div, T(5), zero) == 0);
  CHECK(OF(mod, T(5), zero) == 0);
  CHECK(OF(floor_div, T(-7), two) == -4);
  CHECK(OF(floor_div, T(7), T(-2)) == -4);
  CHECK(OF(floor_div, T(-8), two) == -4);
  CHECK(OF(mod, T(-7), two) == 1);
  CHECK(OF(mod, T(7), T(-2)) == -1);
  CHECK(OF(mod, T(-8), two) == 0);
  CHECK(OF(floor_div, least, minus) == least);
  CHECK(OF(mod, least, minus) == 0);
  CHECK(OF(add, most, one) == least);
  CHECK(OF(sub, least, one) == most);
  CHECK(OF(mul, most, two) == T(-2));
  CHECK(OF(mul, least, minus) == least);
  CHECK(OF(neg, least) == least);
  CHECK(OF(abs, least) == least);
  CHECK(OF(abs, T(-3)) == 3);
  CHECK(OF(square, T(-3)) == 9);
  CHECK(OF(sign, T(-3)) == -1);
  CHECK(OF(sign, zero) == 0);
  CHECK(OF(relu, T(-3)) == 0);
  CHECK(OF(relu, T(3)) == 3);
  CHECK(OF(min, T(-3), one) == -3);
  CHECK(OF(max, T(-3), one) == 1);
  CHECK(OF(clip, T(9), zero, T(5)) == 5);
  CHECK(OF(pow, T(-2), T(3)) == -8);
  CHECK(OF(pow, two, T(8 * sizeof(T))) == 0);
  CHECK(OF(pow, T(3), T(-1)) == 0);
  CHECK(OF(pow, zero, T(-1)) == 0);
  CHECK(OF(pow, one, T(-5)) == 1);
  CHECK(OF(pow, minus, T(-5)) == -1);
  CHECK(OF(pow, minus, T(-4)) == 1);
  CHECK(OF(pow, zero, zero) == 1);
  CHECK(OF(shift_left, one, T(8 * sizeof(T) - 1)) == least);
  CHECK(OF(shift_left, one, T(8 * sizeof(T))) == 0);
  CHECK(OF(shift_left, one, minus) == 0);
  CHECK(OF(shift_right, T(-8), one) == -4);
  CHECK(OF(shift_right, T(-8), T(100)) == -1);
  CHECK(OF(shift_right, T(-8), minus) == -1);
  CHECK(OF(shift_right, T(8), minus) == 0);
  CHECK(OF(bit_and, T(12), T(10)) == 8);
  CHECK(OF(bit_or, T(12), T(10)) == 14);
  CHECK(OF(bit_xor, T(12), T(10)) == 6);
  CHECK(OF(bit_not, T(5)) == -6);
  CHECK(OF(lt, minus, zero));
  CHECK_FALSE(OF(ge, minus, zero));
  CHECK(OF(and, T(2), T(4)));
  CHECK_FALSE(OF(or, zero, zero));
  CHECK(OF(not, zero));
  CHECK(OF(floor, T(5)) == 5);
}

TEST_CASE_TEMPLATE("unsigned integers wrap", T, uint8_t, uint16_t, uint32_t, uint64_t) {
  const T most = rt_most<T>(), zero = 0, one = 1, two = 2;
  CHECK(OF(floor_div, T(3), zero) == 0);
  CHECK(OF(mod, T(3), zero) == 0);
  CHECK(OF(floor_div, most, two) == static_cast<T>(most / 2));
  CHECK(OF(add, most, one) == 0);
  CHECK(OF(sub, zero, one) == most);
  CHECK(OF(mul, most, most) == 1);
  CHECK(OF(neg, one) == most);
  CHECK(OF(abs, most) == most);
  CHECK(OF(sign, most) == 1);
  CHECK(OF(pow, two, T(8 * sizeof(T))) == 0);
  CHECK(OF(pow, two, T(5)) == 32);
  CHECK(OF(shift_left, one, T(8 * sizeof(T))) == 0);
  CHECK(OF(shift_right, most, T(8 * sizeof(T))) == 0);
  CHECK(OF(shift_right, most, T(8 * sizeof(T) - 1)) == 1);
  CHECK(OF(bit_not, zero) == most);
  CHECK(OF(gt, most, zero));
}

TEST_CASE_TEMPLATE("float division, remainder and extremes", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), zero = 0,
          minus_zero = -zero;
  CHECK_BITS(OF(true_div, T(1), zero), inf);
  CHECK_BITS(OF(floor_div, T(1), zero), inf);
  CHECK_BITS(OF(floor_div, T(-1), zero), -inf);
  CHECK_BITS(OF(floor_div, zero, zero), nan);
  CHECK_BITS(OF(floor_div, T(-7), T(2)), T(-4));
  CHECK_BITS(OF(floor_div, T(7), T(-2)), T(-4));
  CHECK_BITS(OF(floor_div, T(1), inf), zero);
  CHECK_BITS(OF(floor_div, T(-1), inf), T(-1));
  CHECK_BITS(OF(floor_div, minus_zero, T(3)), minus_zero);
  CHECK_BITS(OF(mod, T(5), -inf), -inf);
  CHECK_BITS(OF(mod, T(5), inf), T(5));
  CHECK_BITS(OF(mod, T(-1e-17), T(1)), T(1));
  CHECK_BITS(OF(mod, T(-7), T(2)), T(1));
  CHECK_BITS(OF(mod, T(7), T(-2)), T(-1));
  CHECK_BITS(OF(mod, T(4), T(-2)), minus_zero);
  CHECK_BITS(OF(mod, T(-4), T(2)), zero);
  CHECK_BITS(OF(mod, inf, T(2)), nan);
  CHECK_BITS(OF(mod, T(1), zero), nan);
  CHECK_BITS(OF(mod, nan, T(2)), nan);
  CHECK_BITS(OF(mod, T(1e30), T(7)), std::fmod(T(1e30), T(7)));
  CHECK_BITS(OF(max, nan, T(1)), nan);
  CHECK_BITS(OF(max, T(1), nan), nan);
  CHECK_BITS(OF(min, nan, T(1)), nan);
  CHECK_BITS(OF(min, T(1), nan), nan);
  CHECK_BITS(OF(max, nan, nan), nan);
  CHECK_BITS(OF(max, minus_zero, zero), zero);
  CHECK_BITS(OF(max, zero, minus_zero), zero);
  CHECK_BITS(OF(min, minus_zero, zero), minus_zero);
  CHECK_BITS(OF(min, zero, minus_zero), minus_zero);
  CHECK_BITS(OF(max, -inf, T(-3)), T(-3));
  CHECK_BITS(OF(clip, nan, zero, T(1)), nan);
  CHECK_BITS(OF(clip, T(2), zero, nan), nan);
  CHECK_BITS(OF(clip, T(-2), T(-1), T(1)), T(-1));
  CHECK_BITS(OF(relu, nan), nan);
  CHECK_BITS(OF(relu, T(-1)), zero);
  CHECK_BITS(OF(relu, minus_zero), zero);
  CHECK_BITS(OF(sign, nan), nan);
  CHECK_BITS(OF(sign, minus_zero), zero);
  CHECK_BITS(OF(sign, -inf), T(-1));
  CHECK_BITS(OF(abs, minus_zero), zero);
  CHECK_BITS(OF(neg, zero), minus_zero);
  CHECK_BITS(OF(copysign, T(3), minus_zero), T(-3));
  CHECK(OF(isnan, nan));
  CHECK_FALSE(OF(isnan, inf));
  CHECK(OF(isinf, -inf));
  CHECK_FALSE(OF(isinf, nan));
  CHECK_FALSE(OF(isfinite, nan));
  CHECK(OF(isfinite, std::numeric_limits<T>::max()));
  CHECK_FALSE(OF(eq, nan, nan));
  CHECK(OF(ne, nan, nan));
  CHECK(OF(eq, zero, minus_zero));
  CHECK_FALSE(OF(lt, nan, T(1)));
}

TEST_CASE_TEMPLATE("rounding is half to even and keeps the sign of zero", T, float, double) {
  for (const T x :
       {T(0.5), T(1.5), T(2.5), T(-0.5), T(-1.5), T(-2.5), T(0.3), T(-0.3), T(0.0), T(-0.0), T(1e10),
        T(-1e20), T(8388607.5), T(4503599627370495.5), T(kInf), T(-kInf), T(kNan), T(-7), T(1e-40)}) {
    CHECK_BITS(OF(round, x), std::nearbyint(x));
    CHECK_BITS(OF(rint, x), std::nearbyint(x));
    CHECK_BITS(OF(floor, x), std::floor(x));
    CHECK_BITS(OF(ceil, x), std::ceil(x));
    CHECK_BITS(OF(trunc, x), std::trunc(x));
  }
}

TEST_CASE_TEMPLATE("functions at their edges", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), zero = 0,
          minus_zero = -zero;
  const T least = std::numeric_limits<T>::denorm_min(), most = std::numeric_limits<T>::max();
  for (const T x : {zero, minus_zero, least, -least}) {
    CHECK_BITS(OF(expm1, x), x);
    CHECK_BITS(OF(log1p, x), x);
    CHECK_BITS(OF(sin, x), x);
    CHECK_BITS(OF(tan, x), x);
    CHECK_BITS(OF(asin, x), x);
    CHECK_BITS(OF(atan, x), x);
    CHECK_BITS(OF(sinh, x), x);
    CHECK_BITS(OF(tanh, x), x);
    CHECK_BITS(OF(asinh, x), x);
    CHECK_BITS(OF(atanh, x), x);
  }
  CHECK_BITS(OF(sqrt, minus_zero), minus_zero);
  CHECK_BITS(OF(cbrt, minus_zero), minus_zero);
  CHECK_BITS(OF(cbrt, -inf), -inf);
  CHECK_BITS(OF(erf, minus_zero), minus_zero);
  CHECK_BITS(OF(exp, -inf), zero);
  CHECK_BITS(OF(log, minus_zero), -inf);
  CHECK_BITS(OF(log, T(-1)), nan);
  CHECK_BITS(OF(log1p, T(-1)), -inf);
  CHECK_BITS(OF(log2, T(8)), T(3));
  CHECK_BITS(OF(log10, T(1000)), T(3));
  CHECK_BITS(OF(exp2, T(-10)), T(1.0 / 1024));
  CHECK_BITS(OF(sin, inf), nan);
  CHECK_BITS(OF(acos, T(1)), zero);
  CHECK_BITS(OF(acos, T(1.5)), nan);
  CHECK_BITS(OF(acosh, T(1)), zero);
  CHECK_BITS(OF(acosh, T(0.5)), nan);
  CHECK_BITS(OF(acosh, T(-3)), nan);
  CHECK_BITS(OF(atanh, T(1)), inf);
  CHECK_BITS(OF(atanh, T(-1)), -inf);
  CHECK_BITS(OF(atanh, T(2)), nan);
  CHECK_BITS(OF(sigmoid, inf), T(1));
  CHECK_BITS(OF(sigmoid, -inf), zero);
  CHECK_BITS(OF(softplus, inf), inf);
  CHECK_BITS(OF(softplus, -inf), zero);
  CHECK_BITS(OF(softplus, T(800)), T(800));
  CHECK_BITS(OF(log1mexp, zero), -inf);
  CHECK_BITS(OF(log1mexp, T(1)), nan);
  CHECK_BITS(OF(log1mexp, -inf), minus_zero);
  CHECK_BITS(OF(logaddexp, inf, inf), inf);
  CHECK_BITS(OF(logaddexp, -inf, -inf), -inf);
  CHECK_BITS(OF(logaddexp, -inf, T(3)), T(3));
  CHECK_BITS(OF(logaddexp, inf, -inf), inf);
  CHECK_BITS(OF(logaddexp, nan, T(3)), nan);
  CHECK_BITS(OF(xlogy, zero, zero), zero);
  CHECK_BITS(OF(xlogy, zero, T(-1)), zero);
  CHECK_BITS(OF(xlogy, zero, nan), nan);
  CHECK_BITS(OF(xlogy, nan, zero), nan);
  CHECK_BITS(OF(xlogy, T(2), zero), -inf);
  CHECK_BITS(OF(gammaln, zero), inf);
  CHECK_BITS(OF(gammaln, T(1)), zero);
  CHECK_BITS(OF(gammaln, T(2)), zero);
  CHECK_BITS(OF(gammaln, T(-3)), inf);
  CHECK_BITS(OF(gammaln, -inf), inf);
  CHECK_BITS(OF(digamma, zero), -inf);
  CHECK_BITS(OF(digamma, minus_zero), inf);
  CHECK_BITS(OF(digamma, T(-2)), nan);
  CHECK_BITS(OF(digamma, inf), inf);
  CHECK_BITS(OF(digamma, -inf), nan);
  CHECK_BITS(OF(nextafter, T(1), inf), T(1) + std::numeric_limits<T>::epsilon());
  CHECK_BITS(OF(nextafter, zero, T(-1)), -least);
  CHECK_BITS(OF(nextafter, least, zero), zero);
  CHECK_BITS(OF(nextafter, -least, zero), minus_zero);
  CHECK_BITS(OF(nextafter, most, inf), inf);
  CHECK_BITS(OF(nextafter, inf, zero), most);
  CHECK_BITS(OF(nextafter, zero, minus_zero), minus_zero);
  CHECK_BITS(OF(nextafter, nan, T(1)), nan);
  CHECK_BITS(OF(hypot, inf, nan), inf);
  CHECK_BITS(OF(hypot, T(3), T(4)), T(5));
  CHECK_BITS(OF(fma, T(3), T(4), T(5)), T(17));
}

TEST_CASE_TEMPLATE("pow and atan2 as in C99 Annex F", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T all[] = {0, -T(0), 1, -1, 2, -2, T(0.5), T(-0.5), 3, -3, T(1e30), T(-1e30), inf, -inf, nan};
  for (const T x : all)
    for (const T y : all) {
      CAPTURE(x);
      CAPTURE(y);
      const T power = OF(pow, x, y), angle = OF(atan2, x, y);
      const T want = std::pow(x, y), want_angle = std::atan2(x, y);
      if (!std::isfinite(want) || want == 0 || std::fabs(want) == 1)
        CHECK_BITS(power, want);
      else
        CHECK(power == doctest::Approx(want).epsilon(1e-6));
      if (std::isfinite(want_angle) && want_angle != 0)
        CHECK(angle == doctest::Approx(want_angle).epsilon(1e-6));
      else
        CHECK_BITS(angle, want_angle);
      CHECK(std::signbit(angle) == std::signbit(want_angle));
    }
}

TEST_CASE("fused multiply-add rounds once; a product and a sum round twice") {
  const double a = 1 + 0x1p-30, b = 1 - 0x1p-30, c = -1;
  CHECK(OF(fma, a, b, c) == -0x1p-60);
  const float x = 1 + 0x1p-13f, y = 1 - 0x1p-13f;
  CHECK(OF(fma, x, y, -1.0f) == -0x1p-26f);
  // What emitted code writes: two roundings, whatever the machine has.
  double volatile av = a, bv = b, cv = c;
  const double p = av, q = bv, r = cv;
  CHECK(p * q + r == 0);
  CHECK(rt_add(rt_mul(p, q), r) == 0);
  rt_simd_for<2>(2, [&](auto i) {
    double got[2];
    const auto v = rt_splat(i, p) * rt_splat(i, q) + rt_splat(i, r);
    rt_store(got, i, v);
    CHECK(got[0] == 0);
    CHECK(got[1] == 0);
  });
}

TEST_CASE("fused multiply-add over random bits agrees with the C library's") {
  uint64_t seed = 7;
  int wrong = 0;
  const auto next = [&] {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
  };
  for (int k = 0; k < 200000; ++k) {
    double a = rt_bit_cast<double>(next()), b = rt_bit_cast<double>(next()), c = rt_bit_cast<double>(next());
    if (k % 2) c = -a * b * (1 + static_cast<double>(next() % 5) * 0x1p-52);
    if (k % 3 == 0)
      a = std::ldexp(1.0 + static_cast<double>(next() >> 12) * 0x1p-52, -540), b = std::ldexp(b, -200);
    wrong += !same_bits(rt_fma(a, b, c), std::fma(a, b, c));
    float x = rt_bit_cast<float>(static_cast<uint32_t>(next())),
          y = rt_bit_cast<float>(static_cast<uint32_t>(next()));
    float z = k % 2 ? -x * y : rt_bit_cast<float>(static_cast<uint32_t>(next()));
    wrong += !same_bits(rt_fma(x, y, z), std::fma(x, y, z));
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("quotients of random and extreme integers, vectors against the definition", T, int8_t,
                   int32_t, uint32_t, int64_t) {
  uint64_t seed = 99;
  const auto next = [&]() -> T {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    const T extremes[] = {0, 1, T(-1), rt_least<T>(), rt_most<T>(), 2, 7, T(-7)};
    if (seed % 3 == 0) return extremes[(seed >> 8) % 8];
    return static_cast<T>(static_cast<T>(seed >> 16) >> ((seed >> 4) % (8 * sizeof(T))));
  };
  __extension__ using Wide = __int128;
  T a[1001], b[1001], quotient[1001], rest[1001];
  for (int i = 0; i < 1001; ++i) a[i] = next(), b[i] = next();
  rt_simd_for<rt_width<T>>(1001, [&](auto i) {
    rt_store(quotient, i, rt_floor_div(rt_load(a, i), rt_load(b, i)));
    rt_store(rest, i, rt_mod(rt_load(a, i), rt_load(b, i)));
  });
  int wrong = 0;
  for (int i = 0; i < 1001; ++i) {
    const Wide x = a[i], y = b[i];
    const Wide floor = y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0));
    wrong += quotient[i] != static_cast<T>(floor);
    wrong += rest[i] != static_cast<T>(y == 0 ? 0 : x - floor * y);
  }
  CHECK(wrong == 0);
}
