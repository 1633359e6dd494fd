// Reductions: every width gives the documented order, bit for bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bits.h"
#include "cohort/accumulator.h"

namespace {

// The order as the README states it.
template <class T, class Op>
T reference(const std::vector<T>& x, T identity, Op op) {
  T acc[16];
  for (T& a : acc) a = identity;
  for (std::size_t j = 0; j < x.size(); ++j) acc[j % 16] = op(acc[j % 16], x[j]);
  for (int step : {8, 4, 2, 1})
    for (int l = 0; l < step; ++l) acc[l] = op(acc[l], acc[l + step]);
  return acc[0];
}

template <class Op, class T, int W>
T reduce(const std::vector<T>& x) {
  return rt_reduce<Op, T, W>(static_cast<int64_t>(x.size()), [&](auto i) { return rt_load(x.data(), i); });
}
template <class Op, class T>
void check_widths(const std::vector<T>& x, T want) {
  CHECK(same_bits(reduce<Op, T, 1>(x), want));
  CHECK(same_bits(reduce<Op, T, 2>(x), want));
  CHECK(same_bits(reduce<Op, T, 4>(x), want));
  CHECK(same_bits(reduce<Op, T, 8>(x), want));
  CHECK(same_bits(reduce<Op, T, 16>(x), want));
  CHECK(same_bits(reduce<Op, T, rt_reduce_width<T>>(x), want));
}

}  // namespace

TEST_CASE_TEMPLATE("every width reduces in the documented order", T, float, double, int32_t, int8_t,
                   uint64_t) {
  uint32_t seed = 1;
  for (int n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1001}) {
    std::vector<T> x;
    for (int i = 0; i < n; ++i) {
      seed = seed * 1664525u + 1013904223u;
      x.push_back(
          static_cast<T>(static_cast<double>(seed >> 8) / 65536.0 - (rt_traits<T>::is_signed ? 100.0 : 0.0)));
    }
    check_widths<rt_op_sum, T>(x, reference(x, T(0), [](T a, T b) { return rt_add(a, b); }));
    check_widths<rt_op_prod, T>(x, reference(x, T(1), [](T a, T b) { return rt_mul(a, b); }));
    check_widths<rt_op_max, T>(x, reference(x, rt_least<T>(), [](T a, T b) { return a > b ? a : b; }));
    check_widths<rt_op_min, T>(x, reference(x, rt_most<T>(), [](T a, T b) { return a < b ? a : b; }));
  }
}

TEST_CASE("extremes propagate NaN from any place and keep the rule for zeros") {
  for (std::size_t at = 0; at < 20; ++at) {
    std::vector<double> x(20, 1.0);
    x[at] = kNan;
    CHECK(std::isnan(reduce<rt_op_max, double, 4>(x)));
    CHECK(std::isnan(reduce<rt_op_min, double, 8>(x)));
    CHECK(std::isnan(reduce<rt_op_max, double, 1>(x)));
  }
  CHECK(same_bits(reduce<rt_op_max, float, 4>({-0.0f, 0.0f, -0.0f}), 0.0f));
  CHECK(same_bits(reduce<rt_op_min, float, 4>({0.0f, -0.0f, 0.0f}), -0.0f));
  CHECK(reduce<rt_op_max, double, 4>({}) == -kInf);
  CHECK(reduce<rt_op_sum, double, 4>({}) == 0);
}

TEST_CASE("reductions across rows keep the order in each lane") {
  constexpr int kRows = 37, kColumns = 8;
  std::vector<float> x(kRows * kColumns);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0f / static_cast<float>(i + 1);
  float got[kColumns];
  const auto sums = rt_reduce_each<rt_op_sum, rt_vec<float, kColumns>>(
      kRows, [&](int64_t j) { return rt_load(x.data() + j * kColumns, rt_lanes<kColumns>{0}); });
  rt_store(got, rt_lanes<kColumns>{0}, sums);
  for (std::size_t c = 0; c < kColumns; ++c) {
    std::vector<float> column;
    for (std::size_t r = 0; r < kRows; ++r) column.push_back(x[r * kColumns + c]);
    CHECK(same_bits(got[c], reference(column, 0.0f, [](float a, float b) { return a + b; })));
  }
}

TEST_CASE("any and all") {
  for (int n = 0; n < 40; ++n) {
    std::vector<uint8_t> x(static_cast<std::size_t>(n), 0);
    const auto load = [&](auto i) { return rt_load_mask(x.data(), i); };
    CHECK_FALSE(rt_reduce_any<16>(n, load));
    CHECK(rt_reduce_all<8>(n, load) == (n == 0));
    if (n == 0) continue;
    x.back() = 1;
    CHECK(rt_reduce_any<16>(n, load));
    CHECK(rt_reduce_any<1>(n, load));
    CHECK(rt_reduce_all<16>(n, load) == (n == 1));
    std::fill(x.begin(), x.end(), uint8_t{1});
    CHECK(rt_reduce_all<16>(n, load));
    x.front() = 0;
    CHECK_FALSE(rt_reduce_all<4>(n, load));
  }
}

namespace {

// Three rows of n, each starting again at accumulator 0.
template <class T, int W>
T accumulated(const std::vector<T>& x, int64_t n) {
  rt_accumulator<rt_op_sum, T> sum;
  for (int64_t row = 0; row < 3; ++row)
    rt_simd_for<W>(n, [&](auto j) { sum.add(j, rt_load(x.data(), row * n + j)); });
  return sum.finish();
}

}  // namespace

TEST_CASE_TEMPLATE("accumulators that live across loops add the same at every width", T, float, double) {
  std::vector<T> x;
  for (int i = 0; i < 120; ++i) x.push_back(T(1) / static_cast<T>(i + 1));
  for (int64_t n = 0; n <= 40; ++n) {
    const T want = accumulated<T, 1>(x, n);
    CHECK(same_bits(accumulated<T, 2>(x, n), want));
    CHECK(same_bits(accumulated<T, 4>(x, n), want));
    CHECK(same_bits(accumulated<T, 16>(x, n), want));
    CHECK(same_bits(accumulated<T, 32>(x, n), want));
  }
}
