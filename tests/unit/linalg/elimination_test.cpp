// cholesky, solve_triangular, solve, lu, inv, det and slogdet: what they give put together again, special
// inputs, batches, and what they refuse.
#include <doctest/doctest.h>

#include <cmath>

#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

constexpr std::int64_t kSizes[] = {0, 1, 2, 3, 7, 16, 33};
constexpr DType kDTypes[] = {DType::kF32, DType::kF64};

// Each size in both dtypes, alone and in a batch.
template <typename F>
void for_each_size(F&& check) {
  for (const DType dtype : kDTypes)
    for (const std::int64_t n : kSizes)
      for (const Extents& batch : {Extents{}, Extents{2}, Extents{2, 3}}) {
        if (n > 16 && batch.size() > 1) continue;
        Extents extents = batch;
        extents.insert(extents.end(), {n, n});
        CAPTURE(n);
        CAPTURE(batch.size());
        check(dtype, n, extents);
      }
}

Extents with_last(Extents extents, std::int64_t last) {
  extents.back() = last;
  return extents;
}

}  // namespace

TEST_CASE("cholesky: l l' is x again, u' u too, and only one triangle is read") {
  for_each_size([](DType dtype, std::int64_t n, const Extents& extents) {
    const Tensor x = positive_matrix(dtype, extents, 1);
    const Tensor l = run("cholesky", {lower_part(x)})[0];
    CHECK(difference(l, lower_part(l)) == 0);
    CHECK(difference(times(l, flipped(l)), x) <= allowed(dtype, n) * (greatest(x) + 1));
    const Tensor u = run("cholesky", {upper_part(x)}, {{"lower", false}})[0];
    CHECK(difference(u, flipped(l)) == 0);
  });
}

TEST_CASE("cholesky: known values, NaN where there is no factor") {
  const Tensor l = run("cholesky", {values(DType::kF64, {2, 2}, {4, 99, 2, 10})})[0];
  CHECK(difference(l, values(DType::kF64, {2, 2}, {2, 0, 1, 3})) == 0);
  CHECK(all_nan(run("cholesky", {values(DType::kF64, {2, 2}, {1, 2, 2, 1})})[0]));
  CHECK(all_nan(run("cholesky", {values(DType::kF32, {1, 1}, {0})})[0]));
  CHECK(all_nan(run("cholesky", {values(DType::kF64, {2, 2}, {1, 0, std::nan(""), 1})})[0]));
  // Of a batch only the one.
  const Tensor both = run("cholesky", {values(DType::kF64, {2, 1, 1}, {-4, 4})})[0];
  CHECK(std::isnan(both.as<double>()[0]));
  CHECK(both.as<double>()[1] == 2);
  // Integers are cast.
  CHECK(run("cholesky", {values(DType::kI32, {1, 1}, {9})})[0].dtype() == DType::kF64);
}

TEST_CASE("solve_triangular: a x is b again, for every kind of triangle") {
  for_each_size([](DType dtype, std::int64_t n, const Extents& extents) {
    const Tensor a = dominant_matrix(dtype, extents, 2);
    for (int kind = 0; kind < 8; ++kind) {
      const bool lower = kind & 1, transpose = kind & 2, unit = kind & 4;
      Tensor part = unit    ? band(a, lower ? -1000 : 1, lower ? -1 : 1000)
                    : lower ? lower_part(a)
                            : upper_part(a);
      if (unit) {
        for (std::int64_t i = 0; i < part.size(); ++i)
          set_element(part, i, element_as_double(part, i) / static_cast<double>(n) + (i / n % n == i % n));
      }
      Tensor given = part;
      if (unit)
        for (std::int64_t i = 0; i < part.size(); ++i)
          if (i / n % n == i % n) set_element(given, i, std::nan(""));
      const Tensor b = random_matrix(dtype, with_last(extents, 3), 3);
      const Tensor x = run("solve_triangular", {given, b},
                           {{"lower", lower}, {"transpose", transpose}, {"unit_diagonal", unit}})[0];
      CHECK(difference(times(transpose ? flipped(part) : part, x), b) <=
            allowed(dtype, n) * (greatest(part) * greatest(x) + 1));
    }
  });
}

TEST_CASE("systems: vectors, batches that broadcast, no columns") {
  for (const std::string op : {"solve_triangular", "solve"}) {
    const Tensor a = lower_part(dominant_matrix(DType::kF64, {2, 1, 3, 3}, 4));
    const Tensor vector = random_matrix(DType::kF64, {3}, 5);
    const Tensor x = run(op, {a, vector})[0];
    CHECK(x.extents() == Extents{2, 1, 3});
    CHECK(difference(times(a, x.reshaped({2, 1, 3, 1})), times(values(DType::kF64, {2, 1, 1, 1}, {1, 1}),
                                                               vector.reshaped({3, 1}).reshaped({1, 3}))
                                                             .reshaped({2, 1, 3, 1})) < 1e-14);
    const Tensor b = random_matrix(DType::kF64, {4, 3, 2}, 6);
    const Tensor wide = run(op, {a, b})[0];
    CHECK(wide.extents() == Extents{2, 4, 3, 2});
    CHECK(run(op, {a, Tensor(DType::kF64, {3, 0})})[0].extents() == Extents{2, 1, 3, 0});
    CHECK(run(op, {Tensor(DType::kF64, {0, 3, 3}), vector})[0].extents() == Extents{0, 3});
  }
}

TEST_CASE("solve_triangular: a zero on the diagonal divides") {
  const Tensor x = run("solve_triangular",
                       {values(DType::kF64, {2, 2}, {0, 0, 1, 1}), values(DType::kF64, {2}, {1, 1})})[0];
  CHECK(x.as<double>()[0] == INFINITY);
}

TEST_CASE("solve and inv: general and positive") {
  for_each_size([](DType dtype, std::int64_t n, const Extents& extents) {
    const Tensor a = dominant_matrix(dtype, extents, 7), b = random_matrix(dtype, with_last(extents, 2), 8);
    const Tensor x = run("solve", {a, b})[0];
    CHECK(difference(times(a, x), b) <= allowed(dtype, n) * (greatest(a) * greatest(x) + 1));
    const Tensor p = positive_matrix(dtype, extents, 9);
    const Tensor y = run("solve", {lower_part(p), b}, {{"assume", std::string("positive")}})[0];
    CHECK(difference(times(p, y), b) <= allowed(dtype, n) * (greatest(p) * greatest(y) + 1));
    const Tensor inverse = run("inv", {a})[0];
    CHECK(difference(run("solve", {a, inverse})[0], run("inv", {a})[0]) >= 0);
    CHECK(difference(times(times(a, inverse), a), a) <= 4 * allowed(dtype, n) * (greatest(a) + 1));
  });
  // A pivot that is zero at first.
  const Tensor swap = values(DType::kF64, {2, 2}, {0, 2, 3, 0});
  CHECK(difference(run("solve", {swap, values(DType::kF64, {2}, {2, 3})})[0],
                   values(DType::kF64, {2}, {1, 1})) == 0);
  CHECK(difference(run("inv", {swap})[0], values(DType::kF64, {2, 2}, {0, 1.0 / 3, 0.5, 0})) == 0);
  CHECK(all_nan(run("solve", {values(DType::kF64, {1, 1}, {-1}), values(DType::kF64, {1}, {1})},
                    {{"assume", std::string("positive")}})[0]));
  CHECK(run("inv", {values(DType::kF64, {1, 1}, {0})})[0].as<double>()[0] == INFINITY);
}

TEST_CASE("lu: l u is x in the order of rows") {
  for (const DType dtype : kDTypes)
    for (const Extents& extents :
         {Extents{0, 0}, {1, 1}, {3, 3}, {7, 3}, {3, 7}, {2, 4, 4}, {33, 33}, {20, 12}}) {
      const Tensor x = random_matrix(dtype, extents, 10);
      const std::vector<Tensor> result = run("lu", {x});
      const std::int64_t n = extents.back(), m = extents[extents.size() - 2], k = std::min(m, n);
      const std::int64_t count = x.size() / std::max<std::int64_t>(m * n, 1);
      REQUIRE(result[1].size() == count * m);
      for (std::int64_t matrix = 0; matrix < count; ++matrix) {
        Tensor l(DType::kF64, {m, k}), u(DType::kF64, {k, n}), ordered(DType::kF64, {m, n});
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            const double e = element_as_double(result[0], (matrix * m + i) * n + j);
            if (i > j) CHECK(std::fabs(e) <= 1);
            if (i > j && j < k) set_element(l, i * k + j, e);
            if (i == j) set_element(l, i * k + j, 1);
            if (i <= j && i < k) set_element(u, i * n + j, e);
            const std::int64_t from = result[1].as<std::int64_t>()[matrix * m + i];
            set_element(ordered, i * n + j, element_as_double(x, (matrix * m + from) * n + j));
          }
        CHECK(difference(times(l, u), ordered) <= allowed(dtype, k) * (greatest(u) + 1));
      }
    }
}

TEST_CASE("det and slogdet: known values, products, singular matrices") {
  const Tensor x = values(DType::kF64, {3, 3}, {0, 2, 0, 3, 0, 0, 0, 0, -5});
  CHECK(run("det", {x})[0].as<double>()[0] == 30);
  const std::vector<Tensor> log = run("slogdet", {x});
  CHECK(log[0].as<double>()[0] == 1);
  CHECK(std::fabs(log[1].as<double>()[0] - std::log(30)) < 1e-15);
  const Tensor singular = values(DType::kF64, {2, 2}, {1, 2, 2, 4});
  CHECK(run("det", {singular})[0].as<double>()[0] == 0);
  CHECK(run("slogdet", {singular})[0].as<double>()[0] == 0);
  CHECK(run("slogdet", {singular})[1].as<double>()[0] == -INFINITY);
  CHECK(std::isnan(run("slogdet", {values(DType::kF64, {1, 1}, {std::nan("")})})[0].as<double>()[0]));
  CHECK(run("det", {Tensor(DType::kF64, {0, 0})})[0].as<double>()[0] == 1);
  CHECK(run("slogdet", {Tensor(DType::kF64, {0, 0})})[1].as<double>()[0] == 0);
  for_each_size([](DType dtype, std::int64_t n, const Extents& extents) {
    if (n > 16) return;
    const Tensor a = dominant_matrix(dtype, extents, 11);
    const Tensor det = run("det", {a})[0];
    const std::vector<Tensor> parts = run("slogdet", {a});
    for (std::int64_t i = 0; i < det.size(); ++i) {
      const double whole = element_as_double(parts[0], i) * std::exp(element_as_double(parts[1], i));
      const double d = element_as_double(det, i);
      CHECK(std::fabs(whole - d) <= 60 * allowed(dtype, n) * (std::fabs(d) + 1));
    }
  });
}

TEST_CASE("what is refused") {
  const auto f64 = [](Shape shape) { return Type{DType::kF64, std::move(shape)}; };
  for (const std::string op : {"cholesky", "inv", "det", "slogdet"}) {
    CHECK(error_of(op, {f64({3})}) == "`" + op + "`: input 0 has shape [3], which is no matrix");
    CHECK(error_of(op, {f64({3, 4})}) == "`" + op + "`: input 0 has shape [3,4], which is not square");
    CHECK(error_of(op, {{DType::kF16, {3, 3}}}) == "`" + op + "` does not take `f16` as input 0");
  }
  CHECK(error_of("lu", {f64({})}) == "`lu`: input 0 has shape [], which is no matrix");
  for (const std::string op : {"solve", "solve_triangular"}) {
    CHECK(error_of(op, {f64({3, 3}), f64({4})}) == "`" + op + "`: shapes [3,3] and [4] do not fit");
    CHECK(error_of(op, {f64({3, 3}), f64({})}) ==
          "`" + op + "`: input 1 has shape [], which is no vector or matrix");
    CHECK(error_of(op, {f64({2, 3, 3}), f64({4, 3, 1})}) ==
          "`" + op + "`: shapes [2,3,3] and [4,3,1] do not fit");
  }
  CHECK(error_of("solve", {f64({3, 3}), f64({3})}, {{"assume", std::string("magic")}}) ==
        "`solve`: attribute `assume` is neither `general` nor `positive`");
}
