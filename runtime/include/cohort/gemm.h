// Matrix products in strict order: C[i,j] = fma(A[i,K-1], B[K-1,j], ... fma(A[i,0], B[0,j], 0)), bit for bit,
// whatever the size, the strides and the machine. Integers wrap. A and B have any row and column strides (in
// elements); C has contiguous rows c_row apart and must not overlap A or B. Nothing is allocated:
// rt_gemm_scratch says how many bytes the caller lends.
//
// Few rows, and small operands, are read where they lie; more of them repay copies of blocks of A and B that
// fit the caches, with sums continued from block to block of k. gemm_packed.h has products with a B that is
// copied beforehand.
#pragma once
#include "gemm_tile.h"

inline namespace cohort_rt {

inline constexpr int rt_tile_ahead = 12;  // rows of B that are fetched ahead
// Where operands are read where they lie: both stay in the second cache, or rows are few tiles.
inline constexpr int64_t rt_in_place_bytes = int64_t{1} << 20;
inline constexpr int64_t rt_in_place_rows = 8 * rt_tile_rows;

template <class V>
RT_INLINE V rt_multiply_add(V a, V b, V sum) {
  if constexpr (rt_traits<V>::is_float)
    return rt_fma_same(a, b, sum);
  else
    return rt_add(sum, rt_mul(a, b));
}

// Rows rows of outputs, a vector at a time, without scratch.
template <int Rows, class T>
RT_INLINE void rt_gemm_rows(int64_t n, int64_t depth, const rt_matrix<const T>& a,
                            const rt_matrix<const T>& b, const rt_matrix<T>& c) {
  rt_simd_for<rt_width<T>>(n, [&](auto j) {
    decltype(rt_splat<T>(j, T(0))) sum[Rows];
    RT_UNROLL
    for (int i = 0; i < Rows; ++i) sum[i] = rt_splat<T>(j, T(0));
    const auto add = [&](int64_t k, auto right) {
      RT_UNROLL
      for (int i = 0; i < Rows; ++i)
        sum[i] = rt_multiply_add(rt_splat<T>(j, a.data[i * a.row + k * a.column]), right, sum[i]);
    };
    if (b.column == 1) {
      for (int64_t k = 0; k < depth; ++k) add(k, rt_load(b.data + k * b.row, j));
    } else {
      for (int64_t k = 0; k < depth; ++k) add(k, rt_gather(b.data, k * b.row, b.column, j));
    }
    RT_UNROLL
    for (int i = 0; i < Rows; ++i) {
      if (c.column == 1)
        rt_store(c.data + i * c.row, j, sum[i]);
      else
        rt_scatter(c.data, i * c.row, c.column, j, sum[i]);
    }
  });
}
// Small products and all integers: four rows together; the last four may do some rows again, to the same
// values.
template <class T>
RT_CALL void rt_gemm_plain(int64_t m, int64_t n, int64_t depth, const rt_matrix<const T>& a,
                           const rt_matrix<const T>& b, const rt_matrix<T>& c) {
  if (m < 4) {
    for (int64_t i = 0; i < m; ++i) rt_gemm_rows<1>(n, depth, rt_from_row(a, i), b, rt_from_row(c, i));
  } else {
    for (int64_t i = 0; i < m; i += 4) {
      const int64_t first = i + 4 <= m ? i : m - 4;
      rt_gemm_rows<4>(n, depth, rt_from_row(a, first), b, rt_from_row(c, first));
    }
  }
}

// Panels of Vectors vectors of columns from `j` on, where B lies; gives the first column that is left. The
// last panel, if wanted, ends with the last column and does some columns again, to the same values.
template <int MaxRows, int Vectors, class T>
RT_INLINE int64_t rt_gemm_panels(int64_t j, int64_t m, int64_t n, int64_t depth, const rt_matrix<const T>& a,
                                 const rt_matrix<const T>& b, const rt_matrix<T>& c, bool last) {
  constexpr int64_t panel = Vectors * rt_width<T>, pair = rt_tile_vectors * rt_width<T>;
  while (j < n && (j + panel <= n || (last && n >= panel))) {
    const int64_t at = j + panel <= n ? j : n - panel;
    rt_gemm_panel<MaxRows, Vectors, T>(m, depth, a, {b.data + at, b.row, pair, rt_tile_ahead * b.row},
                                       {c.data + at * c.column, c.row, c.column}, panel);
    j = at + panel;
  }
  return j;
}

// --- Blocks ---

// What fits the caches: a block of B (1 MB at most) stays in the second one, and a panel of it (64 KB) is
// read by all tiles of a block of A. Deeper blocks read and write C less often.
inline constexpr int64_t rt_block_depth = 512, rt_block_panels = 16, rt_block_tiles = 12;
template <class T>
inline constexpr int64_t rt_panel_columns = rt_tile_vectors* rt_width<T>;
// Elements from row to row of a packed tile of A.
template <class T>
inline constexpr int64_t rt_tile_stride = (rt_tile_rows + rt_width<T> - 1) / rt_width<T>* rt_width<T>;

static constexpr int64_t rt_smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static constexpr int64_t rt_in_steps(int64_t n, int64_t step) { return (n + step - 1) / step; }

// Rows of A in tiles of nearly equal, even height (but for the last row of an odd number): where a tile
// begins.
static constexpr int64_t rt_tile_begin(int64_t rows, int64_t tile) {
  const int64_t tiles = rt_in_steps(rows, rt_tile_rows), begin = (rows + 1) / 2 * tile / tiles * 2;
  return rt_smaller(begin, rows);
}
// Packed tiles of A by packed panels of B; sums go on from those in c if `more`. What is no tile of
// contiguous columns goes by a buffer.
template <class T>
RT_CALL void rt_gemm_block(int64_t rows, int64_t columns, int64_t depth, const T* a, const T* b,
                           const rt_matrix<T>& c, bool more) {
  constexpr int64_t panel = rt_panel_columns<T>, stride = rt_tile_stride<T>;
  for (int64_t j = 0; j < columns; j += panel) {
    const int64_t live = rt_smaller(columns - j, panel);
    const rt_columns<T> right{b + j * depth, panel, panel, 0};
    for (int64_t t = 0, i = 0, height; i < rows; ++t, i += height) {
      height = rt_tile_begin(rows, t + 1) - i;
      const int64_t computed = rt_tile_height(height);
      const rt_matrix<const T> left{a + t * stride * depth, 1, stride};
      T* const to = c.data + i * c.row + j * c.column;
      for (int64_t r = height; r < rt_smaller(rows - i, 2 * height); ++r)  // the next tile's
        for (int64_t l = 0; l < live; l += 64 / static_cast<int64_t>(sizeof(T)))
          __builtin_prefetch(to + r * c.row + l, 1);
      if (computed == height && c.column == 1) {
        if (live > rt_width<T>)
          rt_gemm_tile_of<rt_tile_rows, rt_tile_vectors>(height, depth, left, right, to, c.row, live, more);
        else
          rt_gemm_tile_of<rt_tile_rows, 1>(height, depth, left, right, to, c.row, live, more);
        continue;
      }
      T tile[rt_tile_rows * panel] = {};
      if (more)
        for (int64_t r = 0; r < height; ++r)
          for (int64_t l = 0; l < live; ++l) tile[r * panel + l] = to[r * c.row + l * c.column];
      rt_gemm_tile_of<rt_tile_rows, rt_tile_vectors>(computed, depth, left, right, tile, panel, panel, more);
      for (int64_t r = 0; r < height; ++r)
        for (int64_t l = 0; l < live; ++l) to[r * c.row + l * c.column] = tile[r * panel + l];
    }
  }
}
template <class T>
RT_CALL void rt_gemm_blocked(int64_t m, int64_t n, int64_t depth, const rt_matrix<const T>& a,
                             const rt_matrix<const T>& b, const rt_matrix<T>& c, T* scratch) {
  constexpr int64_t panel = rt_panel_columns<T>, stride = rt_tile_stride<T>;
  constexpr int64_t most_columns = rt_block_panels * panel, most_rows = rt_block_tiles * rt_tile_rows;
  T* const packed_a = scratch;
  T* const packed_b = packed_a + rt_smaller(rt_in_steps(m, rt_tile_rows), rt_block_tiles) * stride *
                                     rt_smaller(depth, rt_block_depth);
  for (int64_t j = 0; j < n; j += most_columns) {
    const int64_t columns = rt_smaller(n - j, most_columns);
    for (int64_t k = 0; k < depth; k += rt_block_depth) {
      const int64_t deep = rt_smaller(depth - k, rt_block_depth);
      rt_gemm_pack_panels<T>(deep, {b.data + k * b.row + j * b.column, b.row, b.column}, columns, panel,
                             packed_b, deep);
      for (int64_t i = 0; i < m; i += most_rows) {
        const int64_t rows = rt_smaller(m - i, most_rows);
        for (int64_t t = 0, r = 0, end; r < rows; ++t, r = end) {
          end = rt_tile_begin(rows, t + 1);
          rt_gemm_pack<T>(deep, {a.data + (i + r) * a.row + k * a.column, a.column, a.row}, end - r, stride,
                          packed_a + t * stride * deep);
        }
        rt_gemm_block<T>(rows, columns, deep, packed_a, packed_b,
                         {c.data + i * c.row + j * c.column, c.row, c.column}, k > 0);
      }
    }
  }
}

// --- Any product ---

template <class T>
static constexpr bool rt_gemm_is_small(int64_t m, int64_t n, int64_t depth) {
  return !rt_traits<T>::is_float || m * n * depth <= (n <= rt_width<T> ? 8192 : 512);
}
// Bytes of scratch that rt_gemm<T> of this size asks for, 64-byte aligned; 0 for sizes that need none.
template <class T>
static constexpr int64_t rt_gemm_scratch(int64_t m, int64_t n, int64_t depth) {
  if (rt_gemm_is_small<T>(m, n, depth)) return 0;
  const int64_t most = m > n ? m : n;  // m and n may change places
  const int64_t tiles = rt_smaller(rt_in_steps(most, rt_tile_rows), rt_block_tiles);
  const int64_t panels = rt_smaller(rt_in_steps(most, rt_panel_columns<T>), rt_block_panels);
  return (tiles * rt_tile_stride<T> + panels * rt_panel_columns<T>)*rt_smaller(depth, rt_block_depth) *
         static_cast<int64_t>(sizeof(T));
}

template <class T>
RT_CALL void rt_gemm_tiled(int64_t m, int64_t n, int64_t depth, const rt_matrix<const T>& a,
                           const rt_matrix<const T>& b, const rt_matrix<T>& c, T* scratch) {
  const bool fits = (m + n) * depth * static_cast<int64_t>(sizeof(T)) <= rt_in_place_bytes;
  if (b.column == 1 && n >= rt_panel_columns<T> && (fits || m <= rt_in_place_rows)) {
    // A single row needs more columns to keep enough sums in flight.
    int64_t j = m == 1 ? rt_gemm_panels<1, 8>(0, m, n, depth, a, b, c, false) : 0;
    j = rt_gemm_panels<rt_tile_rows, rt_tile_vectors>(j, m, n, depth, a, b, c, false);
    if (n - j > rt_width<T>)
      rt_gemm_panels<rt_tile_rows, rt_tile_vectors>(j, m, n, depth, a, b, c, true);
    else
      rt_gemm_panels<rt_tile_rows, 1>(j, m, n, depth, a, b, c, true);
  } else {
    rt_gemm_blocked(m, n, depth, a, b, c, scratch);
  }
}

// C[m,n] = A[m,depth] B[depth,n]. Without scratch (null) the same result comes slower.
template <class T>
RT_CALL void rt_gemm(int64_t m, int64_t n, int64_t depth, const T* a, int64_t a_row, int64_t a_column,
                     const T* b, int64_t b_row, int64_t b_column, T* c, int64_t c_row, void* scratch) {
  const rt_matrix<const T> left{a, a_row, a_column}, right{b, b_row, b_column};
  const rt_matrix<T> out{c, c_row, 1};
  if constexpr (rt_traits<T>::is_float) {
    if (scratch != nullptr && !rt_gemm_is_small<T>(m, n, depth)) {
      T* const room = static_cast<T*>(scratch);
      // Vectors run across the longer side: C' = B' A'.
      if (n < rt_width<T> && m > n)
        rt_gemm_tiled<T>(n, m, depth, {b, b_column, b_row}, {a, a_column, a_row}, {c, 1, c_row}, room);
      else
        rt_gemm_tiled<T>(m, n, depth, left, right, out, room);
      return;
    }
  }
  // A single column whose rows lie side by side in A and C: vectors run down it.
  if (n == 1 && a_row == 1 && c_row == 1)
    rt_gemm_plain<T>(1, m, depth, {b, b_column, b_row}, {a, a_column, a_row}, {c, m, 1});
  else
    rt_gemm_plain<T>(m, n, depth, left, right, out);
}

}  // namespace cohort_rt
