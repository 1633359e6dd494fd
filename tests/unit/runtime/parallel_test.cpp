// Loops and products that threads share: the same bits however they are cut.
#include "cohort/parallel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "cohort/prelude.h"

namespace {

// Cuts a loop anywhere and runs the ranges from the last to the first.
struct Cutter {
  int64_t ranges = 1;
  int calls = 0;
  std::mt19937 random{11};
};
void cut(void* user, cohort_range_fn body, void* context, int64_t count, int64_t) {
  auto& cutter = *static_cast<Cutter*>(user);
  ++cutter.calls;
  std::vector<int64_t> at{0, count};
  for (int64_t k = 1; k < cutter.ranges; ++k)
    at.push_back(std::uniform_int_distribution<int64_t>(0, count)(cutter.random));
  std::sort(at.begin(), at.end());
  for (size_t k = at.size() - 1; k-- > 0;) body(context, at[k], at[k + 1]);
}
rt_workspace with_hook(Cutter& cutter) {
  rt_workspace workspace{};
  workspace.parallel_for = cut;
  workspace.parallel_user = &cutter;
  return workspace;
}

template <class T>
std::vector<T> random_values(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(normal(random));
  return values;
}

struct Scratch {
  explicit Scratch(int64_t bytes) : memory(static_cast<size_t>(bytes) + 64) {}
  uint8_t* data() { return memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64; }
  std::vector<uint8_t> memory;
};

template <class T>
void check_product(int64_t batch, int64_t m, int64_t n, int64_t depth, bool a_turned, bool c_turned) {
  const auto a = random_values<T>(static_cast<size_t>(batch * m * depth), 1),
             b = random_values<T>(static_cast<size_t>(batch * depth * n), 2);
  std::vector<T> expected(static_cast<size_t>(batch * m * n)), seen(expected.size());
  const int64_t a_row = a_turned ? 1 : depth, a_column = a_turned ? m : 1;
  const int64_t c_row = c_turned ? 1 : n, c_column = c_turned ? m : 1;
  constexpr int64_t kPieces = 16;
  const int64_t room = (rt_gemm_scratch<T>(m, n, depth) + 63) / 64 * 64;
  Scratch scratch(kPieces * room);
  rt_gemm<T>(expected.data(), scratch.data(), a.data(), b.data(), 0, 0, 0, batch, m, n, depth, m * n, c_row,
             c_column, m * depth, a_row, a_column, depth * n, n, 1);
  for (const int64_t ranges : {1, 2, 3, 7}) {
    Cutter cutter{ranges};
    const rt_workspace workspace = with_hook(cutter);
    std::fill(seen.begin(), seen.end(), T(0));
    rt_gemm_shared<T>(&workspace, 64, seen.data(), scratch.data(), a.data(), b.data(), 0, 0, 0, batch, m, n,
                      depth, m * n, c_row, c_column, m * depth, a_row, a_column, depth * n, n, 1, kPieces,
                      room);
    INFO(batch << "x" << m << "x" << n << "x" << depth << " in " << ranges);
    CHECK(cutter.calls == 1);
    CHECK(std::memcmp(seen.data(), expected.data(), seen.size() * sizeof(T)) == 0);
  }
}

template <class T>
void check_packed(int64_t m, int64_t n, int64_t depth, bool turned) {
  const auto a = random_values<T>(static_cast<size_t>(m * depth), 1),
             b = random_values<T>(static_cast<size_t>(depth * n), 2);
  const int64_t row = turned ? 1 : n, column = turned ? depth : 1, panel = rt_packed_columns<T>;
  const auto count = static_cast<size_t>((n + panel - 1) / panel * panel * depth);
  std::vector<T> whole(count), packed(count, T(5)), expected(static_cast<size_t>(m * n)),
      seen(expected.size());
  rt_gemm_pack<T>(whole.data(), b.data(), 0, 0, 0, n, depth, row, column, depth);
  rt_gemm_packed<T>(expected.data(), a.data(), whole.data(), 0, 0, 0, m, n, depth, n, depth, 1);
  for (const int64_t ranges : {1, 2, 3, 7}) {
    Cutter cutter{ranges};
    const rt_workspace workspace = with_hook(cutter);
    const int64_t half = n / 2;
    rt_gemm_pack_shared<T>(&workspace, 1, packed.data(), b.data(), 0, 0, 0, half, depth, row, column, depth);
    rt_gemm_pack_shared<T>(&workspace, 1, packed.data(), b.data(), 0, half * column, half, n - half, depth,
                           row, column, depth);
    CHECK(std::memcmp(packed.data(), whole.data(), count * sizeof(T)) == 0);
    rt_gemm_packed_shared<T>(&workspace, 1, seen.data(), a.data(), packed.data(), 0, 0, 0, m, n, depth, n,
                             depth, 1);
    INFO(m << "x" << n << "x" << depth << " in " << ranges);
    CHECK(cutter.calls > 0);
    CHECK(std::memcmp(seen.data(), expected.data(), seen.size() * sizeof(T)) == 0);
  }
}

}  // namespace

TEST_CASE("shared products with a packed operand") {
  for (const bool turned : {false, true}) {
    check_packed<float>(10, 300, 50, turned);
    check_packed<double>(1, 145, 33, turned);
    check_packed<float>(20, 130, 7, turned);
  }
}

TEST_CASE("a shared loop covers its range once, and a small one is not shared") {
  for (const int64_t ranges : {1, 2, 3, 7}) {
    Cutter cutter{ranges};
    const rt_workspace workspace = with_hook(cutter);
    std::vector<int> visits(1000);
    rt_parallel_for(&workspace, 1000, 500, [p = visits.data()](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++p[i];
    });
    CHECK(std::all_of(visits.begin(), visits.end(), [](int v) { return v == 1; }));
    CHECK(cutter.calls == 1);
    rt_parallel_for(&workspace, 999, 500, [](int64_t begin, int64_t end) {
      CHECK(begin == 0);
      CHECK(end == 999);
    });
    CHECK(cutter.calls == 1);
  }
}

TEST_CASE("vectors of a range give the bits of the whole loop wherever the range begins") {
  constexpr int64_t kCount = 1003;
  const auto x = random_values<float>(kCount, 5);
  std::vector<float> expected(kCount), seen(kCount);
  const auto loop = [&](float* y, int64_t begin, int64_t end) {
    rt_simd_for<rt_width<float>>(begin, end, [&](auto i) {
      rt_store(y, i, rt_add(rt_tanh(rt_load(x.data(), i)), rt_exp(rt_load(x.data(), i))));
    });
  };
  loop(expected.data(), 0, kCount);
  for (const int64_t ranges : {2, 3, 7, 100}) {
    Cutter cutter{ranges};
    const rt_workspace workspace = with_hook(cutter);
    rt_parallel_for(&workspace, kCount, 1,
                    [&](int64_t begin, int64_t end) { loop(seen.data(), begin, end); });
    CHECK(std::memcmp(seen.data(), expected.data(), sizeof(float) * kCount) == 0);
  }
}

TEST_CASE("shared products: by members, rows and columns, turned and not") {
  for (const bool turned : {false, true}) {
    check_product<float>(40, 5, 7, 9, turned, false);
    check_product<double>(3, 20, 130, 17, turned, false);
    check_product<float>(1, 300, 30, 40, turned, false);
    check_product<double>(1, 70, 1, 200, turned, true);
    check_product<float>(2, 1, 90, 33, turned, true);
    check_product<double>(1, 130, 131, 19, turned, true);
  }
}
