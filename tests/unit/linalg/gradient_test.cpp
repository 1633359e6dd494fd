// Gradients of linear algebra against central differences in f64.
#include <doctest/doctest.h>

#include "support.h"

using namespace cohort;
using namespace cohort::test;

namespace {
constexpr DType kF64 = DType::kF64;
}

TEST_CASE("gradients: cholesky") {
  for (const Extents& extents : {Extents{1, 1}, {2, 2}, {4, 4}, {2, 3, 3}}) {
    const Tensor x = positive_matrix(kF64, extents, 20);
    check_gradient({"cholesky", {x}});
    check_gradient({"cholesky", {x}, {{"lower", false}}});
  }
}

TEST_CASE("gradients: systems, vectors and batches too") {
  const Tensor a = dominant_matrix(kF64, {3, 3}, 21), many = dominant_matrix(kF64, {2, 3, 3}, 22);
  for (const Extents& right : {Extents{3}, {3, 2}, {2, 3, 2}}) {
    const Tensor b = random_matrix(kF64, right, 23);
    for (const Tensor& left : {a, many}) {
      for (int kind = 0; kind < 8; ++kind)
        check_gradient(
            {"solve_triangular",
             {left, b},
             {{"lower", bool(kind & 1)}, {"transpose", bool(kind & 2)}, {"unit_diagonal", bool(kind & 4)}}});
      check_gradient({"solve", {left, b}});
      const Tensor p = positive_matrix(kF64, left.extents(), 24);
      check_gradient({"solve", {p, b}, {{"assume", std::string("positive")}}});
    }
  }
}

TEST_CASE("gradients: inv, det, slogdet, lu") {
  for (const Extents& extents : {Extents{1, 1}, {3, 3}, {2, 3, 3}}) {
    const Tensor x = dominant_matrix(kF64, extents, 25);
    check_gradient({"inv", {x}});
    check_gradient({"det", {x}});
    check_gradient({"slogdet", {x}, {}, {0, 1}});
    check_gradient({"lu", {x}});
  }
  // With rows exchanged.
  check_gradient({"lu", {values(kF64, {3, 3}, {0.1, 2, 0.3, 3, 0.2, 0.1, 0.4, 0.5, -5})}});
}

TEST_CASE("gradients: qr") {
  for (const Extents& extents : {Extents{1, 1}, {3, 3}, {5, 3}, {2, 4, 2}}) {
    const Tensor x = random_matrix(kF64, extents, 26);
    check_gradient({"qr", {x}, {}, {0, 1}});
    check_gradient({"qr", {x}, {}, {1}});
  }
}

TEST_CASE("gradients: eigh and svd, of values and of vectors") {
  for (const Extents& extents : {Extents{1, 1}, {3, 3}, {2, 4, 4}}) {
    const Tensor x = dominant_matrix(kF64, extents, 27);
    check_gradient({"eigh", {x}, {}, {0}});
    check_gradient({"eigh", {x}, {}, {0, 1}, true}, 1e-5);
  }
  for (const Extents& extents : {Extents{1, 1}, {3, 3}, {5, 3}, {3, 5}, {2, 2, 3}}) {
    const Tensor x = random_matrix(kF64, extents, 28);
    check_gradient({"svd", {x}, {}, {1}});
    check_gradient({"svd", {x}, {}, {0, 1, 2}, true}, 1e-5);
  }
}
