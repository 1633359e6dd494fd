// Linear algebra by elimination: Cholesky and LU factors, triangular systems, and what is made of them. What
// `call` statements name takes where its buffers begin, then sizes; each call does one matrix, row-major and
// contiguous. Nothing is allocated.
//
// Every element is the same chain at every size and vector width: it starts at the element of the operand,
// subtracts products l[i][k] * u[k][j] in order of k by fused multiply-add, and is divided last. Blocks only
// change which elements are in registers together.
#pragma once
#include "gemm.h"
#include "math.h"

inline namespace cohort_rt {

inline constexpr int rt_block_rows = 8;

// x[r][j] -= sum over k < depth, in order, of left[r][k] * right[k][j], for Rows rows and begin <= j < end.
template <int Rows, int W, class T>
RT_INLINE void rt_subtract_rows(int64_t begin, int64_t end, int64_t depth, const rt_matrix<const T>& left,
                                const T* right, int64_t right_row, T* x, int64_t x_row) {
  rt_simd_for<W>(begin, end, [&](auto j) {
    decltype(rt_load(x, j)) sum[Rows];
    RT_UNROLL
    for (int r = 0; r < Rows; ++r) sum[r] = rt_load(x + r * x_row, j);
    for (int64_t k = 0; k < depth; ++k) {
      const auto factor = rt_load(right + k * right_row, j);
      RT_UNROLL
      for (int r = 0; r < Rows; ++r)
        sum[r] = rt_fma(-left.data[r * left.row + k * left.column], factor, sum[r]);
    }
    RT_UNROLL
    for (int r = 0; r < Rows; ++r) rt_store(x + r * x_row, j, sum[r]);
  });
}
// The same for `rows` rows, of which a whole block goes together.
template <int W, class T>
RT_INLINE void rt_subtract_block(int64_t rows, int64_t begin, int64_t end, int64_t depth,
                                 const rt_matrix<const T>& left, const T* right, int64_t right_row, T* x,
                                 int64_t x_row) {
  if (depth == 0) return;
  if (rows == rt_block_rows)
    return rt_subtract_rows<rt_block_rows, W>(begin, end, depth, left, right, right_row, x, x_row);
  for (int64_t r = 0; r < rows; ++r)
    rt_subtract_rows<1, W>(begin, end, depth, rt_from_row(left, r), right, right_row, x + r * x_row, x_row);
}

template <class T>
RT_INLINE void rt_divide_row(int64_t begin, int64_t end, T* row, T divisor) {
  rt_simd_for<rt_width<T>>(begin, end,
                           [&](auto j) { rt_store(row, j, rt_true_div(rt_load(row, j), divisor)); });
}

template <class T>
RT_INLINE void rt_fill_with(T* x, int64_t count, T value) {
  for (int64_t i = 0; i < count; ++i) x[i] = value;
}

// Exchanges rows and columns of an n x n matrix.
template <class T>
RT_CALL void rt_transpose_square(int64_t n, T* x) {
  constexpr int64_t block = 16;
  for (int64_t from = 0; from < n; from += block)
    for (int64_t to = from; to < n; to += block)
      for (int64_t i = from; i < from + block && i < n; ++i)
        for (int64_t j = to > i ? to : i + 1; j < to + block && j < n; ++j) {
          const T old = x[i * n + j];
          x[i * n + j] = x[j * n + i];
          x[j * n + i] = old;
        }
}

// Copies one triangle of a, the other is zero.
template <class T>
RT_INLINE void rt_copy_triangle(int64_t n, const T* a, bool lower, T* to) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) to[i * n + j] = (lower ? j <= i : j >= i) ? a[i * n + j] : T(0);
}

// u = the upper factor of u' u, in the place of the upper triangle. False if a pivot is not greater than 0.
template <class T>
RT_CALL bool rt_factor_upper(int64_t n, T* u) {
  constexpr int width = rt_width<T>;
  for (int64_t first = 0; first < n; first += rt_block_rows) {
    const int64_t rows = n - first < rt_block_rows ? n - first : rt_block_rows;
    T* const block = u + first * n;
    rt_subtract_block<width, T>(rows, first, n, first, {u + first, 1, n}, u, n, block, n);
    for (int64_t r = 0; r < rows; ++r) {
      T* const row = block + r * n;
      const int64_t i = first + r;
      if (!(row[i] > 0)) return false;
      rt_fill_with(row + first, r, T(0));  // left of the diagonal the block has been there, too
      row[i] = rt_sqrt(row[i]);
      rt_divide_row<T>(i + 1, n, row, row[i]);
      for (int64_t q = r + 1; q < rows; ++q)
        rt_subtract_rows<1, width, T>(first + q, n, 1, {row + first + q, 0, 0}, row, 0, block + q * n, n);
    }
  }
  return true;
}

// l = the Cholesky factor of a, of which one triangle is read; NaN all over if a is not positive definite.
template <class T>
RT_CALL void rt_cholesky(T* l, const T* a, int64_t l_at, int64_t a_at, int64_t n, int64_t lower) {
  l += l_at;
  rt_copy_triangle(n, a + a_at, lower != 0, l);
  if (lower) rt_transpose_square(n, l);
  if (!rt_factor_upper(n, l)) return rt_fill_with(l, n * n, rt_not_a_number<T>());
  if (lower) rt_transpose_square(n, l);
}

// x = the solution of a y = x for a lower triangular a of any strides; rows of x are contiguous, x_row apart.
template <int W, class T>
RT_CALL void rt_substitute_rows(int64_t n, int64_t columns, const rt_matrix<const T>& a, bool unit, T* x,
                                int64_t x_row) {
  for (int64_t first = 0; first < n; first += rt_block_rows) {
    const int64_t rows = n - first < rt_block_rows ? n - first : rt_block_rows;
    T* const block = x + first * x_row;
    rt_subtract_block<W, T>(rows, 0, columns, first, rt_from_row(a, first), x, x_row, block, x_row);
    const T* const diagonal = a.data + first * (a.row + a.column);
    for (int64_t r = 0; r < rows; ++r) {
      T* const row = block + r * x_row;
      const T pivot = diagonal[r * (a.row + a.column)];
      if (!unit)
        rt_simd_for<W>(columns, [&](auto j) { rt_store(row, j, rt_true_div(rt_load(row, j), pivot)); });
      for (int64_t q = r + 1; q < rows; ++q)
        rt_subtract_rows<1, W, T>(0, columns, 1, {diagonal + q * a.row + r * a.column, 0, 0}, row, 0,
                                  block + q * x_row, x_row);
    }
  }
}
// The same for a lower (forward) or an upper triangular a, whose rows and columns are counted backwards.
template <class T>
RT_CALL void rt_substitute(int64_t n, int64_t columns, rt_matrix<const T> a, bool forward, bool unit, T* x) {
  if (n == 0) return;
  int64_t x_row = columns;
  if (!forward) {
    a = {a.data + (n - 1) * (a.row + a.column), -a.row, -a.column};
    x += (n - 1) * x_row;
    x_row = -x_row;
  }
  if (columns == 1)
    rt_substitute_rows<1, T>(n, columns, a, unit, x, x_row);
  else
    rt_substitute_rows<rt_width<T>, T>(n, columns, a, unit, x, x_row);
}

template <class T>
RT_CALL void rt_solve_triangular(T* x, const T* a, const T* b, int64_t x_at, int64_t a_at, int64_t b_at,
                                 int64_t n, int64_t columns, int64_t lower, int64_t transpose, int64_t unit) {
  x += x_at;
  for (int64_t i = 0; i < n * columns; ++i) x[i] = b[b_at + i];
  const rt_matrix<const T> left{a + a_at, transpose ? 1 : n, transpose ? n : 1};
  rt_substitute<T>(n, columns, left, (lower != 0) != (transpose != 0), unit != 0, x);
}

// Exchanges row k with the row below it whose element in column k is greatest; the sign of the exchange.
template <class T>
RT_INLINE int rt_pivot(int64_t m, int64_t n, int64_t k, T* a, int64_t* order) {
  int64_t best = k;
  T greatest = rt_abs(a[k * n + k]);
  for (int64_t i = k + 1; i < m; ++i) {
    const T size = rt_abs(a[i * n + k]);
    if (size > greatest) {
      greatest = size;
      best = i;
    }
  }
  if (best == k) return 1;
  T *const one = a + k * n, *const other = a + best * n;
  rt_simd_for<rt_width<T>>(n, [&](auto j) {
    const auto old = rt_load(one, j);
    rt_store(one, j, rt_load(other, j));
    rt_store(other, j, old);
  });
  const int64_t old = order[k];
  order[k] = order[best];
  order[best] = old;
  return -1;
}

// Factors a[order] = l u in place, l without its diagonal of ones; partial pivoting. The sign of the order.
template <class T>
RT_CALL int rt_factor_lu(int64_t m, int64_t n, T* a, int64_t* order) {
  constexpr int width = rt_width<T>;
  int sign = 1;
  for (int64_t i = 0; i < m; ++i) order[i] = i;
  const int64_t steps = m < n ? m : n;
  for (int64_t first = 0; first < steps; first += rt_block_rows) {
    const int64_t end = steps - first < rt_block_rows ? steps : first + rt_block_rows;
    for (int64_t k = first; k < end; ++k) {
      sign *= rt_pivot(m, n, k, a, order);
      const T pivot = a[k * n + k];
      for (int64_t i = k + 1; i < m; ++i) {
        T* const row = a + i * n;
        if (pivot != 0) row[k] /= pivot;
        for (int64_t j = k + 1; j < end; ++j) row[j] = rt_fma(-row[k], a[k * n + j], row[j]);
      }
    }
    for (int64_t r = first + 1; r < end; ++r)
      rt_subtract_rows<1, width, T>(end, n, r - first, {a + r * n + first, 0, 1}, a + first * n, n, a + r * n,
                                    n);
    for (int64_t i = end; i < m; i += rt_block_rows) {
      const int64_t rows = m - i < rt_block_rows ? m - i : rt_block_rows;
      rt_subtract_block<width, T>(rows, end, n, end - first, {a + i * n + first, n, 1}, a + first * n, n,
                                  a + i * n, n);
    }
  }
  return sign;
}

template <class T>
RT_CALL void rt_lu(T* packed, int64_t* order, const T* a, int64_t packed_at, int64_t order_at, int64_t a_at,
                   int64_t m, int64_t n) {
  for (int64_t i = 0; i < m * n; ++i) packed[packed_at + i] = a[a_at + i];
  rt_factor_lu(m, n, packed + packed_at, order + order_at);
}

// x = the solution of a x = b: by LU, or by Cholesky of the lower triangle (NaN if not positive definite).
// `work` has room for a matrix, `order` for n.
template <class T>
RT_CALL void rt_solve(T* x, T* work, int64_t* order, const T* a, const T* b, int64_t x_at, int64_t work_at,
                      int64_t order_at, int64_t a_at, int64_t b_at, int64_t n, int64_t columns,
                      int64_t positive) {
  x += x_at, work += work_at, order += order_at, a += a_at, b += b_at;
  if (positive) {
    rt_copy_triangle(n, a, true, work);
    rt_transpose_square(n, work);
    if (!rt_factor_upper(n, work)) return rt_fill_with(x, n * columns, rt_not_a_number<T>());
    for (int64_t i = 0; i < n * columns; ++i) x[i] = b[i];
    rt_substitute<T>(n, columns, {work, 1, n}, true, false, x);
  } else {
    for (int64_t i = 0; i < n * n; ++i) work[i] = a[i];
    rt_factor_lu(n, n, work, order);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < columns; ++j) x[i * columns + j] = b[order[i] * columns + j];
    rt_substitute<T>(n, columns, {work, n, 1}, true, true, x);
  }
  rt_substitute<T>(n, columns, {work, n, 1}, false, false, x);
}

template <class T>
RT_CALL void rt_inv(T* x, T* work, int64_t* order, const T* a, int64_t x_at, int64_t work_at,
                    int64_t order_at, int64_t a_at, int64_t n) {
  x += x_at, work += work_at, order += order_at;
  for (int64_t i = 0; i < n * n; ++i) work[i] = a[a_at + i];
  rt_factor_lu(n, n, work, order);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) x[i * n + j] = j == order[i] ? T(1) : T(0);
  rt_substitute<T>(n, n, {work, n, 1}, true, true, x);
  rt_substitute<T>(n, n, {work, n, 1}, false, false, x);
}

template <class T>
RT_CALL void rt_det(T* d, T* work, int64_t* order, const T* a, int64_t d_at, int64_t work_at,
                    int64_t order_at, int64_t a_at, int64_t n) {
  work += work_at;
  for (int64_t i = 0; i < n * n; ++i) work[i] = a[a_at + i];
  T product = static_cast<T>(rt_factor_lu(n, n, work, order + order_at));
  for (int64_t i = 0; i < n; ++i) product *= work[i * n + i];
  d[d_at] = product;
}

// The sign of the determinant (0, or NaN of a NaN) and the logarithm of its size.
template <class T>
RT_CALL void rt_slogdet(T* sign, T* logarithm, T* work, int64_t* order, const T* a, int64_t sign_at,
                        int64_t logarithm_at, int64_t work_at, int64_t order_at, int64_t a_at, int64_t n) {
  work += work_at;
  for (int64_t i = 0; i < n * n; ++i) work[i] = a[a_at + i];
  T product = static_cast<T>(rt_factor_lu(n, n, work, order + order_at)), sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T pivot = work[i * n + i];
    product *= pivot > 0 ? T(1) : pivot < 0 ? T(-1) : pivot;
    sum += rt_log(rt_abs(pivot));
  }
  sign[sign_at] = product + T(0);  // no -0
  logarithm[logarithm_at] = sum;
}

}  // namespace cohort_rt
