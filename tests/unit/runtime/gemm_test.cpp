// Products of every shape and layout equal the scalar loop bit for bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <vector>

#include <cohort/calls.h>

#include "bits.h"

namespace {

struct Layout {
  int64_t row, column;
};
Layout layout(bool transposed, int64_t rows, int64_t columns, int64_t gap) {
  return transposed ? Layout{1, rows + gap} : Layout{columns + gap, 1};
}

template <class T>
std::vector<T> values(int64_t n, uint32_t seed) {
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& v : x) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<T>(static_cast<double>(seed >> 8) * 0x1p-23 - 1) *
        (rt_traits<T>::is_float ? T(1) : T(100));
    if (!rt_traits<T>::is_float) v = static_cast<T>(seed >> 16);
  }
  return x;
}

// Rows of c have a gap of 2 that stays as it was. Returns whether both ways agree with the loop.
template <class T>
bool agrees(int64_t m, int64_t n, int64_t depth, Layout a, Layout b) {
  const auto left = values<T>((m + 3) * (depth + 3), 1), right = values<T>((depth + 3) * (n + 3), 2);
  std::vector<T> want(static_cast<std::size_t>(m * (n + 2)), T(77)), got = want, slow = want;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const T x = left[static_cast<std::size_t>(i * a.row + k * a.column)];
        const T y = right[static_cast<std::size_t>(k * b.row + j * b.column)];
        if constexpr (rt_traits<T>::is_float)
          sum = rt_fma(x, y, sum);
        else
          sum = rt_add(sum, rt_mul(x, y));
      }
      want[static_cast<std::size_t>(i * (n + 2) + j)] = sum;
    }
  const auto bytes = static_cast<std::size_t>(rt_gemm_scratch<T>(m, n, depth));
  const std::unique_ptr<void, void (*)(void*)> scratch(std::aligned_alloc(64, (bytes + 64) / 64 * 64),
                                                       std::free);
  rt_gemm<T>(m, n, depth, left.data(), a.row, a.column, right.data(), b.row, b.column, got.data(), n + 2,
             scratch.get());
  rt_gemm<T>(m, n, depth, left.data(), a.row, a.column, right.data(), b.row, b.column, slow.data(), n + 2,
             nullptr);
  return got == want && slow == want;
}

// A packed copy of b in `parts` parts, columns or rows, and the product with it: whether both are as they
// should be. Rows of c have a gap of 2.
template <class T>
bool packed_agrees(int64_t m, int64_t n, int64_t depth, Layout a, Layout b, int64_t parts = 1,
                   bool by_row = false) {
  const auto left = values<T>((m + 3) * (depth + 3), 1), right = values<T>((depth + 3) * (n + 3), 2);
  constexpr int64_t columns = rt_packed_columns<T>;
  const int64_t panels = (n + columns - 1) / columns;
  std::vector<T> packed(static_cast<std::size_t>(panels * columns * depth), T(99)), want_packed = packed;
  for (int64_t j = 0; j < panels * columns; ++j)
    for (int64_t k = 0; k < depth; ++k)
      want_packed[static_cast<std::size_t>((j / columns * depth + k) * columns + j % columns)] =
          j < n ? right[static_cast<std::size_t>(k * b.row + j * b.column)] : T(0);
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t all = by_row ? depth : n, begin = all * part / parts,
                  count = all * (part + 1) / parts - begin;
    if (by_row)
      rt_gemm_pack<T>(packed.data(), right.data(), begin * columns, begin * b.row, 0, n, count, b.row,
                      b.column, depth);
    else
      rt_gemm_pack<T>(packed.data(), right.data(), 0, begin * b.column, begin, count, depth, b.row, b.column,
                      depth);
  }
  if (packed != want_packed) return false;
  std::vector<T> want(static_cast<std::size_t>(m * (n + 2)), T(77)), got = want;
  rt_gemm_plain<T>(m, n, depth, {left.data(), a.row, a.column}, {right.data(), b.row, b.column},
                   {want.data(), n + 2, 1});
  rt_gemm_packed<T>(got.data(), left.data(), packed.data(), 0, 0, 0, m, n, depth, n + 2, a.row, a.column);
  return got == want;
}

}  // namespace

TEST_CASE_TEMPLATE("products with a packed operand equal the others", T, float, double) {
  int wrong = 0;
  for (int64_t m = 0; m <= 64; ++m)
    for (int64_t n : {1, 15, 33, 64})
      wrong +=
          !packed_agrees<T>(m, n, 21, layout(m & 1, m, 21, 1), layout(m & 2, 21, n, 3), 1 + n % 3, m & 4);
  for (int64_t n = 0; n < 150; ++n)
    for (int64_t depth : {0, 1, 16, 37})
      for (int layouts = 0; layouts < 4; ++layouts)
        wrong += !packed_agrees<T>(3, n, depth, layout(layouts & 1, 3, depth, 1),
                                   layout(layouts & 2, depth, n, 3), 1 + n % 4, n & 8);
  CHECK(wrong == 0);
  CHECK(packed_agrees<T>(1, 700, 50, layout(false, 1, 50, 0), layout(true, 50, 700, 0)));
  CHECK(packed_agrees<T>(10, 750, 250, layout(false, 10, 250, 0), layout(false, 250, 750, 0), 3));
  CHECK(packed_agrees<T>(2, 40, 11, layout(false, 2, 11, 0), {3, 7}));
}

TEST_CASE_TEMPLATE("products of several blocks equal the scalar loop", T, float, double) {
  for (int layouts = 0; layouts < 4; ++layouts) {
    CHECK(agrees<T>(181, 530, 40, layout(layouts & 1, 181, 40, 1), layout(layouts & 2, 40, 530, 3)));
    CHECK(agrees<T>(37, 41, 1100, layout(layouts & 1, 37, 1100, 1), layout(layouts & 2, 1100, 41, 3)));
  }
  CHECK(agrees<T>(169, 35, 513, {2, 3}, {5, 2}));
  CHECK(agrees<T>(300, 3, 600, layout(false, 300, 600, 0), layout(false, 600, 3, 0)));
}

TEST_CASE_TEMPLATE("products equal the scalar loop", T, float, double, int32_t, uint8_t) {
  int wrong = 0;
  for (int64_t m : {1, 2, 3, 4, 5, 7, 13, 14, 15, 29})
    for (int64_t n : {1, 2, 7, 8, 16, 17, 33, 70})
      for (int64_t depth : {0, 1, 3, 16, 37})
        for (int layouts = 0; layouts < 4; ++layouts)
          wrong +=
              !agrees<T>(m, n, depth, layout(layouts & 1, m, depth, 1), layout(layouts & 2, depth, n, 3));
  CHECK(wrong == 0);
  CHECK(agrees<T>(1, 700, 50, layout(false, 1, 50, 0), layout(false, 50, 700, 0)));
  CHECK(agrees<T>(700, 1, 50, layout(false, 700, 50, 0), layout(false, 50, 1, 0)));
  CHECK(agrees<T>(1, 300, 200, layout(false, 1, 200, 0), layout(true, 200, 300, 0)));
  CHECK(agrees<T>(60, 130, 65, layout(true, 60, 65, 2), layout(true, 65, 130, 1)));
  CHECK(agrees<T>(20, 20, 20, {0, 1}, {22, 1}));  // every row of a the same
}

TEST_CASE_TEMPLATE("scratch is within what the compiler lends (lend_scratch.cpp)", T, float, double) {
  const auto lent = [](int64_t m, int64_t n, int64_t depth) {
    const int64_t most = std::max(m, n), bytes = sizeof(T);
    return std::min<int64_t>(depth, 512) *
           (std::min<int64_t>(192, most * 4 / 3 + 16) * bytes + std::min<int64_t>(2048, most * bytes + 128));
  };
  int beyond = 0;
  for (int64_t m = 1; m < 700; m += 3)
    for (int64_t n : {1, 5, 16, 31, 100, 168, 250, 511, 4000})
      for (int64_t depth : {1, 40, 512, 3000}) beyond += rt_gemm_scratch<T>(m, n, depth) > lent(m, n, depth);
  CHECK(beyond == 0);
}
