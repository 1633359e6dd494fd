// QR, eigenvalues of symmetric matrices and singular values on plain arrays, row-major, as the interpreter
// computes them. The runtime's orthogonal.h does the same operations in the same order for each element, so
// results agree bit for bit. Squares of elements must neither overflow nor vanish.
#pragma once

#include <algorithm>
#include <numeric>

#include "ir/ops/elimination.h"

namespace cohort::ops {

// A reflection 1 - tau v v' with v[0] = 1 that turns x, whose elements are `stride` apart, into (beta, 0,
// ...). x becomes (beta, v[1], ...). LAPACK's signs: beta has not the sign of x[0]; tau is 0 if only x[0] is
// not.
template <typename T>
T reflector(std::int64_t n, T* x, std::int64_t stride) {
  T rest = 0;
  for (std::int64_t i = 1; i < n; ++i) rest = std::fma(x[i * stride], x[i * stride], rest);
  if (rest == 0) return 0;
  const T alpha = x[0], norm = std::sqrt(std::fma(alpha, alpha, rest)), beta = alpha >= 0 ? -norm : norm;
  const T divisor = alpha - beta;
  for (std::int64_t i = 1; i < n; ++i) x[i * stride] /= divisor;
  x[0] = beta;
  return (beta - alpha) / beta;
}

// Applies it to `columns` columns of a; v[0] counts as 1.
template <typename T>
void reflect(std::int64_t n, std::int64_t columns, const T* v, std::int64_t stride, T tau, T* a,
             std::int64_t row) {
  if (tau == 0) return;
  for (std::int64_t j = 0; j < columns; ++j) {
    T sum = a[j];
    for (std::int64_t i = 1; i < n; ++i) sum = std::fma(v[i * stride], a[i * row + j], sum);
    sum *= tau;
    a[j] -= sum;
    for (std::int64_t i = 1; i < n; ++i) a[i * row + j] = std::fma(-v[i * stride], sum, a[i * row + j]);
  }
}

// q[m, k] and r[k, n] with k = min(m, n).
template <typename T>
void factor_qr(std::int64_t m, std::int64_t n, const T* a, T* q, T* r) {
  const std::int64_t k = std::min(m, n);
  std::vector<T> work(a, a + m * n), taus(static_cast<std::size_t>(k));
  for (std::int64_t i = 0; i < k; ++i) {
    T* corner = work.data() + i * n + i;
    const T tau = taus[static_cast<std::size_t>(i)] = reflector(m - i, corner, n);
    reflect(m - i, n - i - 1, corner, n, tau, corner + 1, n);
  }
  for (std::int64_t i = 0; i < k; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      r[i * n + j] = j < i ? T(0) : work[static_cast<std::size_t>(i * n + j)];
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < k; ++j) q[i * k + j] = i == j;
  for (std::int64_t i = k; i-- > 0;)
    reflect(m - i, k - i, work.data() + i * n + i, n, taus[static_cast<std::size_t>(i)], q + i * k + i, k);
}

// sqrt(a^2 + b^2) without overflow.
template <typename T>
T length(T a, T b) {
  const T x = std::fabs(a), y = std::fabs(b), most = x > y ? x : y, least = x > y ? y : x;
  if (most == 0) return 0;
  const T ratio = least / most;
  return most * std::sqrt(std::fma(ratio, ratio, T(1)));
}

template <typename T>
inline constexpr T kEpsilon = std::numeric_limits<T>::epsilon();

// a becomes tridiagonal: diagonal d, e beside it; z is the product of the reflections, transposed.
template <typename T>
void tridiagonalise(std::int64_t n, std::vector<T>& a, std::vector<T>& d, std::vector<T>& e,
                    std::vector<T>& z) {
  std::vector<T> taus(static_cast<std::size_t>(n)), w(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k + 2 < n; ++k) {
    const std::int64_t m = n - k - 1;
    T* v = a.data() + k * n + k + 1;
    T* rest = a.data() + (k + 1) * n + k + 1;
    const T tau = taus[static_cast<std::size_t>(k)] = reflector(m, v, 1);
    e[static_cast<std::size_t>(k)] = v[0];
    if (tau == 0) continue;
    v[0] = 1;
    for (std::int64_t j = 0; j < m; ++j) {
      T sum = 0;
      for (std::int64_t i = 0; i < m; ++i) sum = std::fma(v[i], rest[i * n + j], sum);
      w[static_cast<std::size_t>(j)] = tau * sum;
    }
    T both = 0;
    for (std::int64_t j = 0; j < m; ++j) both = std::fma(w[static_cast<std::size_t>(j)], v[j], both);
    both *= tau * T(0.5);
    for (std::int64_t j = 0; j < m; ++j) {
      T& each = w[static_cast<std::size_t>(j)];
      each = std::fma(-both, v[j], each);
    }
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < m; ++j) {
        T& each = rest[i * n + j];
        each = std::fma(-v[i], w[static_cast<std::size_t>(j)], each);
        each = std::fma(-w[static_cast<std::size_t>(i)], v[j], each);
      }
  }
  for (std::int64_t i = 0; i < n; ++i)
    d[static_cast<std::size_t>(i)] = a[static_cast<std::size_t>(i * n + i)];
  if (n > 1) e[static_cast<std::size_t>(n - 2)] = a[static_cast<std::size_t>((n - 1) * n - 1)];
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) z[static_cast<std::size_t>(i * n + j)] = i == j;
  for (std::int64_t k = n - 2; k-- > 0;)
    reflect(n - k - 1, n - k - 1, a.data() + k * n + k + 1, 1, taus[static_cast<std::size_t>(k)],
            z.data() + (k + 1) * n + k + 1, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j)
      std::swap(z[static_cast<std::size_t>(i * n + j)], z[static_cast<std::size_t>(j * n + i)]);
}

// Implicit QL steps until e is nothing beside d; rows of z take the same rotations. False if one eigenvalue
// takes more than 60 of them.
template <typename T>
bool diagonalise(std::int64_t n, std::vector<T>& diagonal, std::vector<T>& beside, std::vector<T>& vectors) {
  T *d = diagonal.data(), *e = beside.data(), *z = vectors.data();
  if (n > 0) e[n - 1] = 0;
  for (std::int64_t l = 0; l < n; ++l) {
    for (int steps = 0;; ++steps) {
      std::int64_t m = l;
      while (m < n - 1 && !(std::fabs(e[m]) <= kEpsilon<T> * (std::fabs(d[m]) + std::fabs(d[m + 1])))) ++m;
      if (m == l) break;
      if (steps == 60) return false;
      T g = (d[l + 1] - d[l]) / (T(2) * e[l]), r = length(g, T(1));
      g = d[m] - d[l] + e[l] / (g >= 0 ? g + r : g - r);
      T s = 1, c = 1, p = 0;
      std::int64_t i = m - 1;
      for (; i >= l; --i) {
        const T f = s * e[i], b = c * e[i];
        r = e[i + 1] = length(f, g);
        if (r == 0) {
          d[i + 1] -= p;
          e[m] = 0;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + T(2) * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        for (std::int64_t k = 0; k < n; ++k) {
          const T upper = z[i * n + k], lower = z[(i + 1) * n + k];
          z[(i + 1) * n + k] = std::fma(s, upper, c * lower);
          z[i * n + k] = std::fma(c, upper, -(s * lower));
        }
      }
      if (i >= l) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  }
  return true;
}

// Eigenvalues w ascending and the columns of v, by the lower triangle. False: no convergence, or infinities.
template <typename T>
bool eigen(std::int64_t n, const T* a, T* w, T* v) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<T> full(size * size), d(size), e(size), z(size * size);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const T each = j <= i ? a[i * n + j] : a[j * n + i];
      if (!std::isfinite(each)) return false;
      full[static_cast<std::size_t>(i * n + j)] = each;
    }
  tridiagonalise(n, full, d, e, z);
  if (!diagonalise(n, d, e, z)) return false;
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return d[x] < d[y]; });
  for (std::size_t j = 0; j < size; ++j) {
    w[j] = d[order[j]];
    for (std::size_t i = 0; i < size; ++i) v[i * size + j] = z[order[j] * size + i];
  }
  return true;
}

// x . y in the order of reductions: sixteen partial sums, combined by halves.
template <typename T>
T dot(std::int64_t n, const T* x, const T* y) {
  T sums[16] = {};
  for (std::int64_t i = 0; i < n; ++i) sums[i % 16] += x[i] * y[i];
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
  return sums[0];
}

template <typename T>
void rotate(std::int64_t n, T c, T s, T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) {
    const T old = x[i];
    x[i] = std::fma(c, old, -(s * y[i]));
    y[i] = std::fma(s, old, c * y[i]);
  }
}

// Rows whose square is less count as 0: it has lost digits.
template <typename T>
inline constexpr T kNothing = std::numeric_limits<T>::min() / kEpsilon<T>;

// Makes the k rows of x, of `size` elements, orthogonal by rotations of pairs (one-sided Jacobi); the rows of
// g take the same. False after 60 sweeps.
template <typename T>
bool orthogonalise(std::int64_t k, std::int64_t size, T* x, T* g) {
  const T tolerance = kEpsilon<T> * std::sqrt(static_cast<T>(size));
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (std::int64_t p = 0; p < k; ++p)
      for (std::int64_t q = p + 1; q < k; ++q) {
        T *one = x + p * size, *other = x + q * size;
        const T a = dot(size, one, one), b = dot(size, other, other), both = dot(size, one, other);
        if (a <= kNothing<T> || b <= kNothing<T>) continue;
        if (!(std::fabs(both) > tolerance * (std::sqrt(a) * std::sqrt(b)))) continue;
        const T zeta = (b - a) / (T(2) * both), root = length(zeta, T(1));
        const T t = zeta >= 0 ? T(1) / (zeta + root) : T(1) / (zeta - root);
        const T c = T(1) / length(t, T(1)), s = c * t;
        rotate(size, c, s, one, other);
        rotate(k, c, s, g + p * k, g + q * k);
        rotated = true;
      }
    if (!rotated) return true;
  }
  return false;
}

// A row of unit length that is orthogonal to the first `count` rows of x.
template <typename T>
void complete(std::int64_t count, std::int64_t size, const T* x, T* row) {
  std::int64_t best = 0;
  T greatest = -1;
  for (std::int64_t i = 0; i < size; ++i) {
    T left = 1;
    for (std::int64_t r = 0; r < count; ++r) left = std::fma(-x[r * size + i], x[r * size + i], left);
    if (left > greatest) {
      greatest = left;
      best = i;
    }
  }
  for (std::int64_t i = 0; i < size; ++i) row[i] = i == best;
  for (int again = 0; again < 2; ++again)
    for (std::int64_t r = 0; r < count; ++r) {
      const T part = dot(size, x + r * size, row);
      for (std::int64_t i = 0; i < size; ++i) row[i] = std::fma(-part, x[r * size + i], row[i]);
    }
  const T norm = std::sqrt(dot(size, row, row));
  for (std::int64_t i = 0; i < size; ++i) row[i] /= norm;
}

// u[m, k], s[k] descending and vt[k, n] with k = min(m, n). False: no convergence, or infinities.
template <typename T>
bool singular(std::int64_t m, std::int64_t n, const T* a, T* u, T* s, T* vt) {
  const bool tall = m >= n;
  const std::int64_t k = std::min(m, n), size = std::max(m, n);
  std::vector<T> rows(static_cast<std::size_t>(k * size)), g(static_cast<std::size_t>(k * k)),
      norms(static_cast<std::size_t>(k)), unit(static_cast<std::size_t>(k * size));
  for (std::int64_t i = 0; i < k * size; ++i) {
    const T each = tall ? a[i % size * n + i / size] : a[i];
    if (!std::isfinite(each)) return false;
    rows[static_cast<std::size_t>(i)] = each;
  }
  for (std::int64_t i = 0; i < k; ++i) g[static_cast<std::size_t>(i * k + i)] = 1;
  if (!orthogonalise(k, size, rows.data(), g.data())) return false;
  for (std::int64_t i = 0; i < k; ++i) {
    const T square = dot(size, rows.data() + i * size, rows.data() + i * size);
    norms[static_cast<std::size_t>(i)] = square <= kNothing<T> ? T(0) : std::sqrt(square);
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
    return norms[static_cast<std::size_t>(x)] > norms[static_cast<std::size_t>(y)];
  });
  for (std::int64_t r = 0; r < k; ++r) {
    const std::int64_t from = order[static_cast<std::size_t>(r)];
    T* row = unit.data() + r * size;
    s[r] = norms[static_cast<std::size_t>(from)];
    if (s[r] == 0) complete(r, size, unit.data(), row);
    for (std::int64_t i = 0; s[r] != 0 && i < size; ++i)
      row[i] = rows[static_cast<std::size_t>(from * size + i)] / s[r];
    for (std::int64_t i = 0; i < size; ++i) (tall ? u[i * k + r] : vt[r * n + i]) = row[i];
    for (std::int64_t i = 0; i < k; ++i)
      (tall ? vt[r * n + i] : u[i * k + r]) = g[static_cast<std::size_t>(from * k + i)];
  }
  return true;
}

}  // namespace cohort::ops
