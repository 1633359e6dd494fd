// qr, eigh and svd: what they give put together again, orthonormal, in order; special inputs.
#include <doctest/doctest.h>

#include <cmath>

#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

constexpr DType kDTypes[] = {DType::kF32, DType::kF64};

// Square and others, alone and in batches.
template <typename F>
void for_each_shape(F&& check) {
  for (const DType dtype : kDTypes)
    for (const Extents& extents : {Extents{0, 0},
                                   {0, 3},
                                   {1, 1},
                                   {2, 2},
                                   {3, 3},
                                   {7, 3},
                                   {3, 7},
                                   {16, 16},
                                   {33, 33},
                                   {40, 11},
                                   {5, 50},
                                   {2, 4, 3},
                                   {2, 3, 2, 5}}) {
      CAPTURE(std::string(dtype_name(dtype)));
      CAPTURE(extents.size());
      CAPTURE(extents.back());
      check(random_matrix(dtype, extents, 30), allowed(dtype, std::max<std::int64_t>(extents.back(), 8)));
    }
}

// x with its columns times s.
Tensor scaled(Tensor x, const Tensor& s) {
  const std::int64_t k = x.extents().back(), m = x.extents()[x.extents().size() - 2];
  for (std::int64_t i = 0; i < x.size(); ++i)
    set_element(x, i, element_as_double(x, i) * element_as_double(s, i / (m * k) * k + i % k));
  return x;
}

// How far the columns of x are from orthonormal.
double skew(const Tensor& x) {
  const Tensor square = times(flipped(x), x);
  double most = 0;
  const std::int64_t k = x.extents().back();
  for (std::int64_t i = 0; i < square.size(); ++i)
    most = std::max(most, std::fabs(square.as<double>()[i] - (i / k % k == i % k)));
  return most;
}

bool is_ordered(const Tensor& s, bool ascending) {
  const std::int64_t k = s.extents().back();
  for (std::int64_t i = 1; i < s.size(); ++i) {
    const double step = element_as_double(s, i) - element_as_double(s, i - 1);
    if (i % k != 0 && (ascending ? step < 0 : step > 0)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("qr: q r is x, q orthonormal, r upper triangular") {
  for_each_shape([](const Tensor& x, double tolerance) {
    const std::vector<Tensor> qr = run("qr", {x});
    CHECK(difference(times(qr[0], qr[1]), x) <= 4 * tolerance);
    CHECK(skew(qr[0]) <= 4 * tolerance);
    CHECK(difference(qr[1], upper_part(qr[1])) == 0);
  });
  // Signs as LAPACK's; a column of zeros.
  const std::vector<Tensor> known = run("qr", {values(DType::kF64, {2, 2}, {3, 0, 4, 0})});
  CHECK(known[1].as<double>()[0] == -5);
  CHECK(skew(known[0]) <= 1e-15);
}

TEST_CASE("eigh: v diag(w) v' is x, v orthonormal, w ascending, the lower triangle alone is read") {
  for (const DType dtype : kDTypes)
    for (const Extents& extents :
         {Extents{0, 0}, {1, 1}, {2, 2}, {3, 3}, {7, 7}, {16, 16}, {33, 33}, {2, 4, 4}, {2, 3, 5, 5}}) {
      CAPTURE(extents.back());
      const Tensor r = random_matrix(dtype, extents, 31);
      const Tensor below = band(r, -1000, -1), x = [&] {
        Tensor both = lower_part(r);
        const Tensor above = flipped(below);
        for (std::int64_t i = 0; i < both.size(); ++i)
          set_element(both, i, element_as_double(both, i) + element_as_double(above, i));
        return both;
      }();
      const std::vector<Tensor> result = run("eigh", {lower_part(r)});
      const double tolerance = 4 * allowed(dtype, std::max<std::int64_t>(extents.back(), 8));
      CHECK(difference(times(scaled(result[1], result[0]), flipped(result[1])), x) <= tolerance);
      CHECK(skew(result[1]) <= tolerance);
      CHECK(is_ordered(result[0], true));
    }
}

TEST_CASE("eigh: equal eigenvalues, a zero diagonal, NaN and infinities") {
  const std::vector<Tensor> swap = run("eigh", {values(DType::kF64, {2, 2}, {0, 1, 1, 0})});
  CHECK(std::fabs(swap[0].as<double>()[0] + 1) < 1e-15);
  CHECK(std::fabs(swap[0].as<double>()[1] - 1) < 1e-15);
  const std::vector<Tensor> ones = run("eigh", {identity(5)});
  CHECK(difference(ones[0], values(DType::kF64, {5}, {1, 1, 1, 1, 1})) == 0);
  CHECK(difference(ones[1], identity(5)) == 0);
  // All ones: eigenvalues 0, 0, 0 and 4.
  const std::vector<Tensor> rank = run("eigh", {values(DType::kF64, {4, 4}, std::vector<double>(16, 1))});
  CHECK(std::fabs(rank[0].as<double>()[3] - 4) < 1e-14);
  CHECK(skew(rank[1]) < 1e-14);
  for (const double bad : {std::nan(""), double{INFINITY}})
    for (const Tensor& part : run("eigh", {values(DType::kF64, {2, 2}, {1, 0, bad, 1})}))
      CHECK(all_nan(part));
}

TEST_CASE("svd: u diag(s) vt is x, u and v orthonormal, s descending") {
  for_each_shape([](const Tensor& x, double tolerance) {
    const std::vector<Tensor> svd = run("svd", {x});
    CHECK(difference(times(scaled(svd[0], svd[1]), svd[2]), x) <= 4 * tolerance);
    CHECK(skew(svd[0]) <= 4 * tolerance);
    CHECK(skew(flipped(svd[2])) <= 4 * tolerance);
    CHECK(is_ordered(svd[1], false));
  });
}

TEST_CASE("svd: matrices without full rank have orthonormal vectors, too") {
  for (const std::vector<double>& elements : {std::vector<double>(12, 0.0), std::vector<double>(12, 1.0),
                                              std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0}})
    for (const Extents& extents : {Extents{4, 3}, {3, 4}}) {
      const Tensor x = values(DType::kF64, extents, elements);
      const std::vector<Tensor> svd = run("svd", {x});
      CHECK(difference(times(scaled(svd[0], svd[1]), svd[2]), x) < 1e-14);
      CHECK(skew(svd[0]) < 1e-14);
      CHECK(skew(flipped(svd[2])) < 1e-14);
    }
  for (const double bad : {std::nan(""), -double{INFINITY}})
    for (const Tensor& part : run("svd", {values(DType::kF64, {2, 1}, {1, bad})})) CHECK(all_nan(part));
}

TEST_CASE("svd: singular values of very different sizes keep their digits") {
  const Tensor x = values(DType::kF64, {2, 2}, {1e10, 1e-10, 0, 1e-10});
  CHECK(std::fabs(run("svd", {x})[1].as<double>()[1] / 1e-10 - 1) < 1e-14);
}
