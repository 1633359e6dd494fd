// Loops over lanes, loads, stores, gathers, masks and conversions: vectors and tails against scalar code.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "bits.h"

namespace {

template <class T>
std::vector<T> numbers(int n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = static_cast<T>(i * 7 - 40);
  return values;
}

// A shifted load, an addition and a store of every dtype and length, with guards behind what is written.
template <class T, int W>
void check_copy() {
  for (int n = 0; n <= 2 * W + 1; ++n) {
    const auto from = numbers<T>(n + 3);
    std::vector<T> to(static_cast<std::size_t>(n + 5), T(99));
    rt_simd_for<W>(n, [&](auto i) { rt_store(to.data(), i + 1, rt_add(rt_load(from.data(), i + 3), T(1))); });
    CHECK(to[0] == T(99));
    for (int i = 0; i < n; ++i)
      CHECK(to[static_cast<std::size_t>(i + 1)] ==
            static_cast<T>(from[static_cast<std::size_t>(i + 3)] + T(1)));
    for (int i = n + 1; i < n + 5; ++i) CHECK(to[static_cast<std::size_t>(i)] == T(99));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("load, add and store at every length", T, int8_t, int16_t, int32_t, int64_t, uint8_t,
                   uint16_t, uint32_t, uint64_t, float, double) {
  check_copy<T, 1>();
  check_copy<T, 2>();
  check_copy<T, 4>();
  check_copy<T, 8>();
  check_copy<T, 16>();
  check_copy<T, rt_width<T>>();
}

TEST_CASE("a loop over a range, iota and splat") {
  std::vector<int32_t> out(40, -1);
  rt_simd_for<8>(
      5, 33, [&](auto i) { rt_store(out.data(), i, rt_mul(rt_iota<int32_t>(i), rt_splat<int32_t>(i, 3))); });
  for (int i = 0; i < 40; ++i) CHECK(out[static_cast<std::size_t>(i)] == (i >= 5 && i < 33 ? 3 * i : -1));
  std::vector<float> wide(9);
  rt_simd_for<4>(9, [&](auto i) { rt_store(wide.data(), i, rt_iota<float>(2 + i - 1)); });
  for (int i = 0; i < 9; ++i) CHECK(wide[static_cast<std::size_t>(i)] == static_cast<float>(i + 1));
}

TEST_CASE("gather and scatter by stride and by index") {
  const auto from = numbers<float>(200);
  for (int64_t stride : {-2, 0, 1, 3}) {
    std::vector<float> out(30, 0), back(200, -1);
    rt_simd_for<8>(29, [&](auto i) {
      auto v = rt_gather(from.data(), 60, stride, i);
      rt_store(out.data(), i, v);
      rt_scatter(back.data(), 60, stride, i, v);
    });
    for (int i = 0; i < 29; ++i)
      CHECK(out[static_cast<std::size_t>(i)] == from[static_cast<std::size_t>(60 + i * stride)]);
    for (int i = 0; i < 29; ++i) {
      const auto place = static_cast<std::size_t>(60 + i * stride);
      CHECK(back[place] == from[place]);
    }
  }
  const std::vector<int64_t> index{5, 3, 99, 3, 0, 17, 5};
  std::vector<float> picked(7), put(200, -1);
  rt_simd_for<4>(7, [&](auto i) {
    auto at = rt_load(index.data(), i);
    rt_store(picked.data(), i, rt_gather(from.data(), at, i));
    rt_scatter(put.data(), at, i, rt_iota<float>(i));
  });
  for (std::size_t i = 0; i < 7; ++i) CHECK(picked[i] == from[static_cast<std::size_t>(index[i])]);
  CHECK(put[3] == 3);  // the last of equal indices stays
  CHECK(put[5] == 6);
  CHECK(put[1] == -1);
}

TEST_CASE("masks of different widths combine") {
  const std::vector<float> x{1, -2, 3, -4, 5};
  const std::vector<double> y{-1, -1, 1, 1, 1};
  const std::vector<uint8_t> flag{1, 1, 1, 1, 0};
  std::vector<uint8_t> both(5, 7), some(5, 7);
  std::vector<double> chosen(5);
  rt_simd_for<4>(5, [&](auto i) {
    auto a = rt_gt(rt_load(x.data(), i), 0.0f);
    auto b = rt_gt(rt_load(y.data(), i), 0.0);
    auto c = rt_load_mask(flag.data(), i);
    rt_store_mask(both.data(), i, rt_and(rt_and(a, b), c));
    rt_store_mask(some.data(), i, rt_not(rt_or(rt_xor(a, b), rt_eq(c, false))));
    rt_store(chosen.data(), i, rt_where(c, rt_where(a, 1.0, 2.0), rt_load(y.data(), i)));
  });
  CHECK(both == std::vector<uint8_t>{0, 0, 1, 0, 0});
  CHECK(some == std::vector<uint8_t>{0, 1, 1, 0, 0});
  CHECK(chosen == std::vector<double>{1, 2, 1, 2, 1});
  CHECK(rt_where(true, 1.0f, 2.0f) == 1.0f);
}

namespace {

template <class T, class F>
void check_cast(const std::vector<F>& from, const std::vector<T>& want) {
  std::vector<T> got(from.size());
  const auto n = static_cast<int64_t>(from.size());
  rt_simd_for<4>(n, [&](auto i) { rt_store(got.data(), i, rt_cast<T>(rt_load(from.data(), i))); });
  CHECK(got == want);
  rt_simd_for<1>(n, [&](auto i) { rt_store(got.data(), i, rt_cast<T>(rt_load(from.data(), i))); });
  CHECK(got == want);
}

}  // namespace

TEST_CASE("casts saturate, truncate and wrap") {
  const std::vector<float> x{1.9f,  -1.9f, 300,    -300,   1e30f,   -1e30f,
                             kNanF, kInfF, -kInfF, 127.5f, -128.5f, -0.9f};
  constexpr auto kMax = std::numeric_limits<int32_t>::max(), kMin = std::numeric_limits<int32_t>::min();
  check_cast<int8_t>(x, {1, -1, 127, -128, 127, -128, 0, 127, -128, 127, -128, 0});
  check_cast<uint8_t>(x, {1, 0, 255, 0, 255, 0, 0, 255, 0, 127, 0, 0});
  check_cast<int32_t>(x, {1, -1, 300, -300, kMax, kMin, 0, kMax, kMin, 127, -128, 0});
  check_cast<uint32_t>(x, {1, 0, 300, 0, 0xffffffffu, 0, 0, 0xffffffffu, 0, 127, 0, 0});
  check_cast<int64_t, double>({9.3e18, -9.3e18, 4611686018427387904.0, kNan, -1.5},
                              {INT64_MAX, INT64_MIN, 4611686018427387904, 0, -1});
  check_cast<uint64_t, double>({1.9e19, -1, 1e19, kNan, 1.5}, {UINT64_MAX, 0, 10000000000000000000u, 0, 1});
  check_cast<int32_t, double>({2147483647.5, 2147483648.0, -2147483648.9, 2147483646.0},
                              {kMax, kMax, kMin, kMax - 1});
  check_cast<int8_t, int32_t>({300, -129, 127, 128}, {44, 127, 127, -128});
  check_cast<uint16_t, int8_t>({-1, 5}, {65535, 5});
  check_cast<float, double>({1e300, 1.1, -0.0, 1e-50}, {kInfF, 1.1f, -0.0f, 0});
  check_cast<float, int64_t>({16777217, 16777219, INT64_MIN}, {16777216, 16777220, -9223372036854775808.0f});
  check_cast<double, uint64_t>({UINT64_MAX, 3}, {18446744073709551616.0, 3});
  CHECK(rt_cast<bool>(kNan));
  CHECK_FALSE(rt_cast<bool>(-0.0));
  CHECK(rt_cast<double>(true) == 1);
  std::vector<double> ones(5);
  const std::vector<int32_t> truth{0, 2, -1, 0, 1};
  rt_simd_for<4>(
      5, [&](auto i) { rt_store(ones.data(), i, rt_cast<double>(rt_cast<bool>(rt_load(truth.data(), i)))); });
  CHECK(ones == std::vector<double>{0, 1, 1, 0, 1});
}
