// Cholesky and LU factors and triangular systems on plain arrays, row-major, as the interpreter computes
// them. Every element is one chain: the operand's element, minus products in order of k by fused
// multiply-add, divided last. The runtime's factor.h computes the same chains, so results agree bit for bit.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace cohort::ops {

template <typename T>
inline constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

// The upper factor of u' u in the place of the upper triangle. False if a pivot is not greater than 0.
template <typename T>
bool factor_upper(std::int64_t n, T* u) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = i; j < n; ++j) {
      T sum = u[i * n + j];
      for (std::int64_t k = 0; k < i; ++k) sum = std::fma(-u[k * n + i], u[k * n + j], sum);
      if (j == i && !(sum > 0)) return false;
      u[i * n + j] = j == i ? std::sqrt(sum) : sum / u[i * n + i];
    }
  }
  return true;
}

// The upper factor of a positive definite matrix of which one triangle is read.
template <typename T>
bool upper_factor(std::int64_t n, const T* a, bool lower, std::vector<T>& u) {
  u.assign(static_cast<std::size_t>(n * n), T(0));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = i; j < n; ++j)
      u[static_cast<std::size_t>(i * n + j)] = lower ? a[j * n + i] : a[i * n + j];
  return factor_upper(n, u.data());
}

// A matrix of any strides.
template <typename T>
struct View {
  const T* data;
  std::int64_t row, column;
  T operator()(std::int64_t i, std::int64_t j) const { return data[i * row + j * column]; }
};

// x[n, columns] becomes the solution of a y = x: a is lower triangular if `forward`, else upper.
template <typename T>
void substitute(std::int64_t n, std::int64_t columns, View<T> a, bool forward, bool unit, T* x) {
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = forward ? step : n - 1 - step;
    for (std::int64_t c = 0; c < columns; ++c) {
      T sum = x[i * columns + c];
      for (std::int64_t k = 0; k < step; ++k) {
        const std::int64_t j = forward ? k : n - 1 - k;
        sum = std::fma(-a(i, j), x[j * columns + c], sum);
      }
      x[i * columns + c] = unit ? sum : sum / a(i, i);
    }
  }
}

// a[order] = l u in place, l without its diagonal of ones; partial pivoting, of equals the first. The sign of
// the order.
template <typename T>
int factor_lu(std::int64_t m, std::int64_t n, T* a, std::int64_t* order) {
  int sign = 1;
  for (std::int64_t i = 0; i < m; ++i) order[i] = i;
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    std::int64_t best = k;
    for (std::int64_t i = k + 1; i < m; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[best * n + k])) best = i;
    if (best != k) {
      sign = -sign;
      std::swap(order[k], order[best]);
      for (std::int64_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
    }
    const T pivot = a[k * n + k];
    for (std::int64_t i = k + 1; i < m; ++i) {
      if (pivot != 0) a[i * n + k] /= pivot;
      for (std::int64_t j = k + 1; j < n; ++j)
        a[i * n + j] = std::fma(-a[i * n + k], a[k * n + j], a[i * n + j]);
    }
  }
  return sign;
}

}  // namespace cohort::ops
