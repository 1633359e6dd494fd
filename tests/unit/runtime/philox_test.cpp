// Philox4x32-10 against the known answers of Random123 (kat_vectors), and the distributions made of it.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "bits.h"

namespace {

void check_block(rt_philox_words<uint32_t> counter, uint32_t key0, uint32_t key1,
                 rt_philox_words<uint32_t> want) {
  const auto got = rt_philox(counter, key0, key1);
  CHECK(got.x0 == want.x0);
  CHECK(got.x1 == want.x1);
  CHECK(got.x2 == want.x2);
  CHECK(got.x3 == want.x3);
}

// Vectors, tails and scalars draw the same numbers.
template <class T, int W, class Draw>
std::vector<T> drawn(int64_t first, int64_t n, Draw draw) {
  std::vector<T> x(static_cast<std::size_t>(n));
  rt_simd_for<W>(n, [&](auto i) { rt_store(x.data(), i, draw(i + first)); });
  return x;
}

}  // namespace

TEST_CASE("known answers") {
  check_block({0, 0, 0, 0}, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  check_block({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffff, 0xffffffff,
              {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  check_block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0,
              {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a number depends on key, draw and index alone") {
  constexpr int64_t kFirst = (int64_t{1} << 32) - 20;  // across a carry into the second word of the counter
  const auto uniform = [](auto i) { return rt_random_uniform<float>(42, 7, i); };
  const auto normal = [](auto i) { return rt_random_normal<double>(42, 7, i); };
  const auto x = drawn<float, 1>(kFirst, 43, uniform);
  const auto y = drawn<double, 1>(kFirst, 43, normal);
  CHECK(x == drawn<float, 4>(kFirst, 43, uniform));
  CHECK(x == drawn<float, rt_width<float>>(kFirst, 43, uniform));
  CHECK(y == drawn<double, 2>(kFirst, 43, normal));
  CHECK(y == drawn<double, rt_width<double>>(kFirst, 43, normal));
  const auto block = rt_philox<uint32_t>({5, 1, 7, 0}, 42, 0);
  CHECK(rt_random_uniform<float>(42, 7, (int64_t{1} << 32) + 5) ==
        static_cast<float>(block.x0 >> 8) * 0x1p-24f);
  CHECK(rt_random_uniform<double>(42, 7, (int64_t{1} << 32) + 5) ==
        static_cast<double>((static_cast<uint64_t>(block.x1 >> 5) << 26) | (block.x0 >> 6)) * 0x1p-53);
}

TEST_CASE_TEMPLATE("moments of uniform and normal numbers", T, float, double) {
  constexpr int64_t kCount = 200000;
  const auto u = drawn<T, rt_width<T>>(0, kCount, [](auto i) { return rt_random_uniform<T>(1, 0, i); });
  const auto z = drawn<T, rt_width<T>>(0, kCount, [](auto i) { return rt_random_normal<T>(1, 1, i); });
  double mean = 0, square = 0, normal_mean = 0, normal_square = 0, fourth = 0;
  int outside = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    outside += !(u[i] >= 0 && u[i] < 1);
    const double a = u[i], b = z[i];
    mean += a / kCount;
    square += a * a / kCount;
    normal_mean += b / kCount;
    normal_square += b * b / kCount;
    fourth += b * b * b * b / kCount;
  }
  CHECK(outside == 0);
  // Five standard deviations of each mean.
  CHECK(std::fabs(mean - 0.5) < 5 * 0.2887 / std::sqrt(kCount));
  CHECK(std::fabs(square - 1.0 / 3) < 5 * 0.2982 / std::sqrt(kCount));
  CHECK(std::fabs(normal_mean) < 5 * 1.0 / std::sqrt(kCount));
  CHECK(std::fabs(normal_square - 1) < 5 * 1.4143 / std::sqrt(kCount));
  CHECK(std::fabs(fourth - 3) < 5 * 9.798 / std::sqrt(kCount));
}
