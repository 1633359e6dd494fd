// The runtime's linear algebra against the plain forms, bit for bit.
#include <doctest/doctest.h>

#include "cohort/orthogonal.h"
#include "ir/ops/matrix_calls.h"
#include "support.h"
#include "tests/support/same_bits.h"

using namespace cohort;
using namespace cohort::test;

namespace {

using Sizes = std::vector<std::int64_t>;

// Runs both on buffers that begin at 3, filled with 7 around what is written.
template <typename T, typename Run>
void compare(const std::string& name, DType dtype, const std::vector<Tensor>& inputs, const Sizes& outputs,
             const Sizes& work, const Sizes& sizes, Run run_it, bool has_order = false) {
  constexpr std::int64_t kStart = 3;
  CAPTURE(name);
  const auto padded = [&](DType d, std::int64_t count) {
    Tensor x(d, {count + 2 * kStart});
    for (std::int64_t i = 0; i < x.size(); ++i) set_element(x, i, 7);
    return x;
  };
  std::vector<Tensor> given, expected, seen;
  for (const Tensor& x : inputs) {
    given.push_back(padded(dtype, x.size()));
    for (std::int64_t i = 0; i < x.size(); ++i)
      set_element(given.back(), kStart + i, element_as_double(x, i));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    expected.push_back(padded(has_order && i == 1 ? DType::kI64 : dtype, outputs[i]));
  seen = expected;
  Sizes scalars(inputs.size() + outputs.size(), kStart);
  scalars.insert(scalars.end(), sizes.begin(), sizes.end());
  ops::run_matrix_call(name, expected, given, scalars);
  std::vector<std::vector<T>> room;
  for (const std::int64_t count : work) room.emplace_back(static_cast<std::size_t>(count), T(9));
  std::vector<std::int64_t> order(100, 9);
  run_it(seen, room, order.data(), given);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    CAPTURE(i);
    CHECK(same(seen[i], expected[i]));
  }
}

using Tensors = std::vector<Tensor>;

template <typename T>
void check_elimination(DType dtype, std::int64_t n) {
  using Room = std::vector<std::vector<T>>;
  const std::int64_t columns = n % 3 == 0 ? 1 : n % 3 + 9;
  const Tensor p = positive_matrix(dtype, {n, n}, 40), a = random_matrix(dtype, {n, n}, 41),
               d = dominant_matrix(dtype, {n, n}, 42), b = random_matrix(dtype, {n, columns}, 43);
  const auto data = [](Tensor& x) { return x.mutable_as<T>(); };
  for (const std::int64_t lower : {0, 1})
    for (const Tensor& x : {p, a})
      compare<T>("rt_cholesky", dtype, {x}, {n * n}, {}, {n, lower},
                 [&](Tensors& out, Room&, std::int64_t*, Tensors& in) {
                   rt_cholesky(data(out[0]), in[0].as<T>(), 3, 3, n, lower);
                 });
  for (int kind = 0; kind < 8; ++kind)
    compare<T>("rt_solve_triangular", dtype, {d, b}, {n * columns}, {},
               {n, columns, kind & 1, kind >> 1 & 1, kind >> 2},
               [&](Tensors& out, Room&, std::int64_t*, Tensors& in) {
                 rt_solve_triangular(data(out[0]), in[0].as<T>(), in[1].as<T>(), 3, 3, 3, n, columns,
                                     kind & 1, kind >> 1 & 1, kind >> 2);
               });
  for (const std::int64_t positive : {0, 1})
    compare<T>("rt_solve", dtype, {positive ? p : a, b}, {n * columns}, {n * n}, {n, columns, positive},
               [&](Tensors& out, Room& work, std::int64_t* order, Tensors& in) {
                 rt_solve(data(out[0]), work[0].data(), order, in[0].as<T>(), in[1].as<T>(), 3, 0, 0, 3, 3, n,
                          columns, positive);
               });
  compare<T>("rt_inv", dtype, {a}, {n * n}, {n * n}, {n},
             [&](Tensors& out, Room& work, std::int64_t* order, Tensors& in) {
               rt_inv(data(out[0]), work[0].data(), order, in[0].as<T>(), 3, 0, 0, 3, n);
             });
  compare<T>("rt_det", dtype, {a}, {1}, {n * n}, {n},
             [&](Tensors& out, Room& work, std::int64_t* order, Tensors& in) {
               rt_det(data(out[0]), work[0].data(), order, in[0].as<T>(), 3, 0, 0, 3, n);
             });
}

template <typename T>
void check_rectangle(DType dtype, std::int64_t m, std::int64_t n) {
  using Room = std::vector<std::vector<T>>;
  const Tensor x = random_matrix(dtype, {m, n}, 44);
  const std::int64_t k = std::min(m, n);
  const auto data = [](Tensor& t) { return t.mutable_as<T>(); };
  compare<T>(
      "rt_lu", dtype, {x}, {m * n, m}, {}, {m, n},
      [&](Tensors& out, Room&, std::int64_t*, Tensors& in) {
        rt_lu(data(out[0]), out[1].mutable_as<std::int64_t>(), in[0].as<T>(), 3, 3, 3, m, n);
      },
      true);
  compare<T>("rt_qr", dtype, {x}, {m * k, k * n}, {(m + 1) * n}, {m, n},
             [&](Tensors& out, Room& work, std::int64_t*, Tensors& in) {
               rt_qr(data(out[0]), data(out[1]), work[0].data(), in[0].as<T>(), 3, 3, 0, 3, m, n);
             });
  compare<T>("rt_svd", dtype, {x}, {m * k, k, k * n}, {(2 * std::max(m, n) + k + 1) * k}, {m, n},
             [&](Tensors& out, Room& work, std::int64_t*, Tensors& in) {
               rt_svd(data(out[0]), data(out[1]), data(out[2]), work[0].data(), in[0].as<T>(), 3, 3, 3, 0, 3,
                      m, n);
             });
  if (m != n) return;
  compare<T>("rt_eigh", dtype, {x}, {n, n * n}, {(2 * n + 4) * n}, {n},
             [&](Tensors& out, Room& work, std::int64_t*, Tensors& in) {
               rt_eigh(data(out[0]), data(out[1]), work[0].data(), in[0].as<T>(), 3, 3, 0, 3, n);
             });
}

}  // namespace

TEST_CASE("the runtime eliminates as described") {
  for (const std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 16, 17, 24, 33, 50}) {
    CAPTURE(n);
    check_elimination<float>(DType::kF32, n);
    check_elimination<double>(DType::kF64, n);
  }
}

TEST_CASE("the runtime reflects and rotates as described") {
  using Size = std::pair<std::int64_t, std::int64_t>;
  const std::vector<Size> sizes{{0, 0},   {1, 1},   {2, 2},  {3, 3},  {8, 8}, {9, 9}, {17, 17},
                                {33, 33}, {70, 70}, {12, 5}, {5, 12}, {1, 9}, {9, 1}, {20, 40}};
  for (const Size& size : sizes) {
    const std::int64_t m = size.first, n = size.second;
    CAPTURE(m);
    CAPTURE(n);
    check_rectangle<float>(DType::kF32, m, n);
    check_rectangle<double>(DType::kF64, m, n);
  }
}
