// Linear algebra by reflections and rotations: QR, eigenvalues of symmetric matrices, singular values. What
// `call` statements name takes where its buffers begin, then sizes; each call does one matrix, row-major and
// contiguous. Nothing is allocated: `work` is room that the caller lends.
//
// Each element is made of the same operations in the same order at every vector width. Squares of elements
// must neither overflow nor vanish. Infinities, NaN and no convergence give NaN all over.
#pragma once
#include "factor.h"

inline namespace cohort_rt {

// Calls body(j) for the columns j, several vectors together as `Count` times the width of j.
template <class T, class Several, class One>
RT_INLINE void rt_for_columns(int64_t columns, Several several, One one) {
  constexpr int width = rt_width<T>, together = 4 * width;
  int64_t j = 0;
  for (; j + together <= columns; j += together) several(rt_lanes<width>{j});
  rt_simd_for<width>(j, columns, one);
}

// Turns x, whose elements are `stride` apart, into (beta, 0, ...) by 1 - tau v v', v[0] = 1: x becomes
// (beta, v[1], ...). tau is 0 if x is that already.
template <class T>
RT_CALL T rt_reflector(int64_t n, T* x, int64_t stride) {
  T rest = 0;
  for (int64_t i = 1; i < n; ++i) rest = rt_fma(x[i * stride], x[i * stride], rest);
  if (rest == 0) return 0;
  const T alpha = x[0], norm = rt_sqrt(rt_fma(alpha, alpha, rest)), beta = alpha >= 0 ? -norm : norm;
  const T divisor = alpha - beta;
  for (int64_t i = 1; i < n; ++i) x[i * stride] /= divisor;
  x[0] = beta;
  return (beta - alpha) / beta;
}

template <int Count, class T, class J>
RT_INLINE void rt_reflect_columns(int64_t n, const T* v, int64_t stride, T tau, T* a, int64_t row, J j) {
  constexpr int64_t width = rt_width<T>;
  decltype(rt_load(a, j)) sum[Count];
  RT_UNROLL
  for (int c = 0; c < Count; ++c) sum[c] = rt_load(a, j + c * width);
  for (int64_t i = 1; i < n; ++i) {
    RT_UNROLL
    for (int c = 0; c < Count; ++c)
      sum[c] = rt_fma(v[i * stride], rt_load(a + i * row, j + c * width), sum[c]);
  }
  RT_UNROLL
  for (int c = 0; c < Count; ++c) {
    sum[c] = sum[c] * tau;
    rt_store(a, j + c * width, rt_load(a, j + c * width) - sum[c]);
  }
  for (int64_t i = 1; i < n; ++i) {
    T* const to = a + i * row;
    RT_UNROLL
    for (int c = 0; c < Count; ++c)
      rt_store(to, j + c * width, rt_fma(-v[i * stride], sum[c], rt_load(to, j + c * width)));
  }
}
// Applies a reflection to `columns` columns of a.
template <class T>
RT_CALL void rt_reflect(int64_t n, int64_t columns, const T* v, int64_t stride, T tau, T* a, int64_t row) {
  if (tau == 0) return;
  rt_for_columns<T>(
      columns, [&](auto j) { rt_reflect_columns<4>(n, v, stride, tau, a, row, j); },
      [&](auto j) { rt_reflect_columns<1>(n, v, stride, tau, a, row, j); });
}

// q[m, k] and r[k, n] with k = min(m, n); work[m + 1, n].
template <class T>
RT_CALL void rt_qr(T* q, T* r, T* work, const T* a, int64_t q_at, int64_t r_at, int64_t work_at, int64_t a_at,
                   int64_t m, int64_t n) {
  q += q_at, r += r_at, work += work_at;
  const int64_t k = m < n ? m : n;
  T* const taus = work + m * n;
  for (int64_t i = 0; i < m * n; ++i) work[i] = a[a_at + i];
  for (int64_t i = 0; i < k; ++i) {
    T* const corner = work + i * n + i;
    taus[i] = rt_reflector(m - i, corner, n);
    rt_reflect(m - i, n - i - 1, corner, n, taus[i], corner + 1, n);
  }
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j < n; ++j) r[i * n + j] = j < i ? T(0) : work[i * n + j];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < k; ++j) q[i * k + j] = i == j ? T(1) : T(0);
  for (int64_t i = k; i-- > 0;) rt_reflect(m - i, k - i, work + i * n + i, n, taus[i], q + i * k + i, k);
}

// sqrt(a^2 + b^2) without overflow.
template <class T>
RT_INLINE T rt_length(T a, T b) {
  const T x = rt_abs(a), y = rt_abs(b), most = x > y ? x : y, least = x > y ? y : x;
  if (most == 0) return 0;
  const T ratio = least / most;
  return most * rt_sqrt(rt_fma(ratio, ratio, T(1)));
}

template <class T>
inline constexpr T rt_epsilon = sizeof(T) == 8 ? static_cast<T>(0x1p-52) : static_cast<T>(0x1p-23);

template <int Count, class T, class J>
RT_INLINE void rt_symmetric_columns(int64_t m, const T* v, T tau, const T* a, int64_t row, T* w, J j) {
  constexpr int64_t width = rt_width<T>;
  decltype(rt_load(a, j)) sum[Count];
  RT_UNROLL
  for (int c = 0; c < Count; ++c) sum[c] = rt_splat<T>(j, T(0));
  for (int64_t i = 0; i < m; ++i) {
    RT_UNROLL
    for (int c = 0; c < Count; ++c) sum[c] = rt_fma(v[i], rt_load(a + i * row, j + c * width), sum[c]);
  }
  RT_UNROLL
  for (int c = 0; c < Count; ++c) rt_store(w, j + c * width, sum[c] * tau);
}

// a becomes tridiagonal: diagonal d, e beside it; z is the product of the reflections, transposed.
template <class T>
RT_CALL void rt_tridiagonalise(int64_t n, T* a, T* d, T* e, T* z, T* taus, T* w) {
  constexpr int width = rt_width<T>;
  for (int64_t k = 0; k + 2 < n; ++k) {
    const int64_t m = n - k - 1;
    T *const v = a + k * n + k + 1, *const rest = a + (k + 1) * n + k + 1;
    const T tau = taus[k] = rt_reflector(m, v, int64_t{1});
    e[k] = v[0];
    if (tau == 0) continue;
    v[0] = 1;
    rt_for_columns<T>(
        m, [&](auto j) { rt_symmetric_columns<4>(m, v, tau, rest, n, w, j); },
        [&](auto j) { rt_symmetric_columns<1>(m, v, tau, rest, n, w, j); });
    T both = 0;
    for (int64_t j = 0; j < m; ++j) both = rt_fma(w[j], v[j], both);
    both *= tau * T(0.5);
    for (int64_t j = 0; j < m; ++j) w[j] = rt_fma(-both, v[j], w[j]);
    for (int64_t i = 0; i < m; ++i) {
      T* const to = rest + i * n;
      const T left = -v[i], other = -w[i];
      rt_simd_for<width>(m, [&](auto j) {
        rt_store(to, j, rt_fma(other, rt_load(v, j), rt_fma(left, rt_load(w, j), rt_load(to, j))));
      });
    }
  }
  for (int64_t i = 0; i < n; ++i) d[i] = a[i * n + i];
  if (n > 1) e[n - 2] = a[(n - 1) * n - 1];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) z[i * n + j] = i == j ? T(1) : T(0);
  for (int64_t k = n - 2; k-- > 0;)
    rt_reflect(n - k - 1, n - k - 1, a + k * n + k + 1, int64_t{1}, taus[k], z + (k + 1) * n + k + 1, n);
  rt_transpose_square(n, z);
}

// Rotates rows m and m - 1 of z by c[m - 1], s[m - 1], then m - 1 and m - 2, and so on to `stop`.
template <int Count, class T, class J>
RT_INLINE void rt_rotate_columns(int64_t m, int64_t stop, const T* c, const T* s, T* z, int64_t row, J j) {
  constexpr int64_t width = rt_width<T>;
  decltype(rt_load(z, j)) lower[Count];
  RT_UNROLL
  for (int k = 0; k < Count; ++k) lower[k] = rt_load(z + m * row, j + k * width);
  for (int64_t i = m - 1; i >= stop; --i) {
    T* const to = z + i * row;
    RT_UNROLL
    for (int k = 0; k < Count; ++k) {
      const auto upper = rt_load(to, j + k * width);
      rt_store(to + row, j + k * width, rt_fma(s[i], upper, lower[k] * c[i]));
      lower[k] = rt_fma(c[i], upper, -(lower[k] * s[i]));
    }
  }
  RT_UNROLL
  for (int k = 0; k < Count; ++k) rt_store(z + stop * row, j + k * width, lower[k]);
}

// Implicit QL steps until e is nothing beside d; rows of z take the same rotations. False if one eigenvalue
// takes more than 60 of them.
template <class T>
RT_CALL bool rt_diagonalise(int64_t n, T* d, T* e, T* z, T* cosines, T* sines) {
  if (n > 0) e[n - 1] = 0;
  for (int64_t l = 0; l < n; ++l) {
    for (int steps = 0;; ++steps) {
      int64_t m = l;
      while (m < n - 1 && !(rt_abs(e[m]) <= rt_epsilon<T> * (rt_abs(d[m]) + rt_abs(d[m + 1])))) ++m;
      if (m == l) break;
      if (steps == 60) return false;
      T g = (d[l + 1] - d[l]) / (T(2) * e[l]), r = rt_length(g, T(1));
      g = d[m] - d[l] + e[l] / (g >= 0 ? g + r : g - r);
      T s = 1, c = 1, p = 0;
      int64_t i = m - 1;
      for (; i >= l; --i) {
        const T f = s * e[i], b = c * e[i];
        r = e[i + 1] = rt_length(f, g);
        if (r == 0) {
          d[i + 1] -= p;
          e[m] = 0;
          break;
        }
        s = sines[i] = f / r;
        c = cosines[i] = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + T(2) * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
      }
      rt_for_columns<T>(
          n, [&](auto j) { rt_rotate_columns<4>(m, i + 1, cosines, sines, z, n, j); },
          [&](auto j) { rt_rotate_columns<1>(m, i + 1, cosines, sines, z, n, j); });
      if (i >= l) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  }
  return true;
}

template <class T>
RT_INLINE bool rt_all_finite(int64_t count, const T* x) {
  return rt_reduce_all<rt_width<T>>(count, [&](auto i) { return rt_isfinite(rt_load(x, i)); });
}

// Eigenvalues w ascending and the columns of v, by the lower triangle of a; work[2 * n + 4, n].
template <class T>
RT_CALL void rt_eigh(T* w, T* v, T* work, const T* a, int64_t w_at, int64_t v_at, int64_t work_at,
                     int64_t a_at, int64_t n) {
  w += w_at, v += v_at, work += work_at, a += a_at;
  T *const full = work, *const z = full + n * n, *const d = z + n * n, *const e = d + n;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) full[i * n + j] = full[j * n + i] = a[i * n + j];
  bool fine = rt_all_finite(n * n, full);
  if (fine) rt_tridiagonalise(n, full, d, e, z, e + n, e + 2 * n);
  fine = fine && rt_diagonalise(n, d, e, z, e + n, e + 2 * n);
  if (!fine) {
    rt_fill_with(w, n, rt_not_a_number<T>());
    return rt_fill_with(v, n * n, rt_not_a_number<T>());
  }
  for (int64_t j = 0; j < n; ++j) {
    int64_t rank = 0;
    for (int64_t i = 0; i < n; ++i) rank += d[i] < d[j] || (d[i] == d[j] && i < j);
    w[rank] = d[j];
    for (int64_t i = 0; i < n; ++i) v[i * n + rank] = z[j * n + i];
  }
}

template <class T>
RT_INLINE T rt_dot(int64_t n, const T* x, const T* y) {
  return rt_reduce_sum<T>(n, [&](auto i) { return rt_load(x, i) * rt_load(y, i); });
}
template <class T>
RT_INLINE void rt_rotate_rows(int64_t n, T c, T s, T* x, T* y) {
  rt_simd_for<rt_width<T>>(n, [&](auto i) {
    const auto one = rt_load(x, i), other = rt_load(y, i);
    rt_store(x, i, rt_fma(c, one, -(other * s)));
    rt_store(y, i, rt_fma(s, one, other * c));
  });
}

// Rows whose square is less count as 0: it has lost digits.
template <class T>
inline constexpr T rt_nothing = sizeof(T) == 8 ? static_cast<T>(0x1p-970) : static_cast<T>(0x1p-103);

// Makes the k rows of x, of `size` elements, orthogonal by rotations of pairs (one-sided Jacobi); the rows of
// g take the same. False after 60 sweeps.
template <class T>
RT_CALL bool rt_orthogonalise(int64_t k, int64_t size, T* x, T* g) {
  const T tolerance = rt_epsilon<T> * rt_sqrt(static_cast<T>(size));
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t q = p + 1; q < k; ++q) {
        T *const one = x + p * size, *const other = x + q * size;
        const T a = rt_dot(size, one, one), b = rt_dot(size, other, other), both = rt_dot(size, one, other);
        if (a <= rt_nothing<T> || b <= rt_nothing<T>) continue;
        if (!(rt_abs(both) > tolerance * (rt_sqrt(a) * rt_sqrt(b)))) continue;
        const T zeta = (b - a) / (T(2) * both), root = rt_length(zeta, T(1));
        const T t = zeta >= 0 ? T(1) / (zeta + root) : T(1) / (zeta - root);
        const T c = T(1) / rt_length(t, T(1)), s = c * t;
        rt_rotate_rows(size, c, s, one, other);
        rt_rotate_rows(k, c, s, g + p * k, g + q * k);
        rotated = true;
      }
    if (!rotated) return true;
  }
  return false;
}

// A row of unit length that is orthogonal to the first `count` rows of x.
template <class T>
RT_CALL void rt_complete_rows(int64_t count, int64_t size, const T* x, T* row) {
  int64_t best = 0;
  T greatest = -1;
  for (int64_t i = 0; i < size; ++i) {
    T left = 1;
    for (int64_t r = 0; r < count; ++r) left = rt_fma(-x[r * size + i], x[r * size + i], left);
    if (left > greatest) {
      greatest = left;
      best = i;
    }
  }
  for (int64_t i = 0; i < size; ++i) row[i] = i == best ? T(1) : T(0);
  for (int again = 0; again < 2; ++again)
    for (int64_t r = 0; r < count; ++r) {
      const T part = rt_dot(size, x + r * size, row);
      for (int64_t i = 0; i < size; ++i) row[i] = rt_fma(-part, x[r * size + i], row[i]);
    }
  const T norm = rt_sqrt(rt_dot(size, row, row));
  for (int64_t i = 0; i < size; ++i) row[i] /= norm;
}

// The place of a row if rows go by descending norm, of equals the first.
template <class T>
RT_INLINE int64_t rt_rank_of(int64_t row, int64_t k, const T* norms) {
  int64_t rank = 0;
  for (int64_t i = 0; i < k; ++i) rank += norms[i] > norms[row] || (norms[i] == norms[row] && i < row);
  return rank;
}

// u[m, k], s[k] descending and vt[k, n] with k = min(m, n); work[2 * max(m, n) + k + 1, k].
template <class T>
RT_CALL void rt_svd(T* u, T* s, T* vt, T* work, const T* a, int64_t u_at, int64_t s_at, int64_t vt_at,
                    int64_t work_at, int64_t a_at, int64_t m, int64_t n) {
  u += u_at, s += s_at, vt += vt_at, work += work_at, a += a_at;
  const bool tall = m >= n;
  const int64_t k = tall ? n : m, size = tall ? m : n;
  T *const rows = work, *const unit = rows + k * size, *const g = unit + k * size, *const norms = g + k * k;
  for (int64_t r = 0; r < k; ++r)
    for (int64_t i = 0; i < size; ++i) rows[r * size + i] = tall ? a[i * n + r] : a[r * n + i];
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j < k; ++j) g[i * k + j] = i == j ? T(1) : T(0);
  if (!rt_all_finite(k * size, rows) || !rt_orthogonalise(k, size, rows, g)) {
    rt_fill_with(u, m * k, rt_not_a_number<T>());
    rt_fill_with(s, k, rt_not_a_number<T>());
    return rt_fill_with(vt, k * n, rt_not_a_number<T>());
  }
  for (int64_t i = 0; i < k; ++i) {
    const T square = rt_dot(size, rows + i * size, rows + i * size);
    norms[i] = square <= rt_nothing<T> ? T(0) : rt_sqrt(square);
  }
  for (int zeros = 0; zeros < 2; ++zeros)  // rows of norm 0 come last
    for (int64_t from = 0; from < k; ++from) {
      if ((norms[from] == 0) != (zeros == 1)) continue;
      const int64_t r = rt_rank_of(from, k, norms);
      T* const row = unit + r * size;
      s[r] = norms[from];
      if (zeros) rt_complete_rows(r, size, unit, row);
      for (int64_t i = 0; !zeros && i < size; ++i) row[i] = rows[from * size + i] / s[r];
      for (int64_t i = 0; i < size; ++i) (tall ? u[i * k + r] : vt[r * n + i]) = row[i];
      for (int64_t i = 0; i < k; ++i) (tall ? vt[r * n + i] : u[i * k + r]) = g[from * k + i];
    }
}

}  // namespace cohort_rt
