// Matrix products in strict order: C[i,j] = fma(A[i,K-1], B[K-1,j], ... fma(A[i,0], B[0,j], 0)), bit for bit,
// whatever the size, the strides and the machine. Integers wrap. A and B have any row and column strides (in
// elements); C has contiguous rows c_row apart and must not overlap A or B. Nothing is allocated:
// rt_gemm_scratch says how many bytes the caller lends.
//
// Fast paths only change which outputs are in registers together: a tile of Rows x Vectors outputs, vectors
// across columns, walks k once. Columns that are not contiguous, or few, or used by many rows, are first
// packed into the scratch buffer.
#pragma once
#include "math_core.h"
#include "memory.h"
#include "vector.h"

inline namespace cohort_rt {

// Rows of a tile: as many as the registers hold two vectors of.
#if defined(RT_AVX512) && COHORT_VECTOR_BYTES == 64
inline constexpr int rt_tile_rows = 14;
#elif defined(__aarch64__)
inline constexpr int rt_tile_rows = 12;
#else
inline constexpr int rt_tile_rows = 6;
#endif
inline constexpr int rt_tile_vectors = 2;
inline constexpr int rt_tile_ahead = 12;  // rows of B that are fetched ahead

template <class T>
struct rt_matrix {
  T* data;
  int64_t row, column;
};

template <class V>
RT_INLINE V rt_multiply_add(V a, V b, V sum) {
  if constexpr (rt_traits<V>::is_float)
    return rt_fma_same(a, b, sum);
  else
    return rt_add(sum, rt_mul(a, b));
}

// Rows rows of outputs, a vector at a time, without scratch.
template <int Rows, class T>
RT_INLINE void rt_gemm_rows(int64_t n, int64_t depth, rt_matrix<const T> a, rt_matrix<const T> b,
                            rt_matrix<T> c) {
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
template <class T>
RT_INLINE rt_matrix<T> rt_from_row(rt_matrix<T> x, int64_t i) {
  return {x.data + i * x.row, x.row, x.column};
}
// Small products and all integers: four rows together; the last four may do some rows again, to the same
// values.
template <class T>
RT_CALL void rt_gemm_plain(int64_t m, int64_t n, int64_t depth, rt_matrix<const T> a, rt_matrix<const T> b,
                           rt_matrix<T> c) {
  if (m < 4) {
    for (int64_t i = 0; i < m; ++i) rt_gemm_rows<1>(n, depth, rt_from_row(a, i), b, rt_from_row(c, i));
  } else {
    for (int64_t i = 0; i < m; i += 4) {
      const int64_t first = i + 4 <= m ? i : m - 4;
      rt_gemm_rows<4>(n, depth, rt_from_row(a, first), b, rt_from_row(c, first));
    }
  }
}

// A tile of outputs: rows of a and c, contiguous columns of b (rows b_row apart) and c.
template <int Rows, int Vectors, class T>
RT_CALL void rt_gemm_tile(int64_t depth, rt_matrix<const T> a, const T* b, int64_t b_row, T* c,
                          int64_t c_row) {
  constexpr int width = rt_width<T>;
  using V = rt_vec<T, width>;
  V sum[Rows][Vectors];
  RT_UNROLL
  for (int i = 0; i < Rows; ++i) {
    RT_UNROLL
    for (int v = 0; v < Vectors; ++v) sum[i][v] = V{};
  }
  const T* left = a.data;
  for (int64_t k = 0; k < depth; ++k, left += a.column, b += b_row) {
    V right[Vectors];
    RT_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      right[v] = rt_read(b, rt_lanes<width>{v * width});
      __builtin_prefetch(b + rt_tile_ahead * b_row +
                         v * width);  // rows far apart are no stream to the hardware
    }
    RT_UNROLL
    for (int i = 0; i < Rows; ++i) {
      const V factor = rt_fill<V>(left[i * a.row]);
      RT_UNROLL
      for (int v = 0; v < Vectors; ++v) sum[i][v] = rt_fma_same(factor, right[v], sum[i][v]);
    }
  }
  RT_UNROLL
  for (int i = 0; i < Rows; ++i) {
    RT_UNROLL
    for (int v = 0; v < Vectors; ++v) rt_write(c + i * c_row, rt_lanes<width>{v * width}, sum[i][v]);
  }
}
// A tile of `rows` rows: any number to 4, even ones above, so that few are compiled. A part of a tile, or one
// whose outputs lie apart, goes by a buffer.
template <int Rows, int Vectors, class T>
RT_INLINE void rt_gemm_tile_of(int64_t rows, int64_t depth, rt_matrix<const T> a, const T* b, int64_t b_row,
                               T* c, int64_t c_row) {
  if (Rows == 1 || rows == Rows)
    rt_gemm_tile<Rows, Vectors>(depth, a, b, b_row, c, c_row);
  else if constexpr (Rows > 1)
    rt_gemm_tile_of<(Rows > 4 ? Rows - 2 : Rows - 1), Vectors>(rows, depth, a, b, b_row, c, c_row);
}
template <int MaxRows, int Vectors, class T>
RT_CALL void rt_gemm_tile_rows(int64_t first, int64_t rows, int64_t depth, rt_matrix<const T> a, const T* b,
                               int64_t b_row, rt_matrix<T> c, int64_t columns) {
  constexpr int64_t panel = Vectors * rt_width<T>;
  a = rt_from_row(a, first);
  c = rt_from_row(c, first);
  if (columns == panel && c.column == 1) {
    rt_gemm_tile_of<MaxRows, Vectors>(rows, depth, a, b, b_row, c.data, c.row);
  } else {
    T tile[MaxRows * panel];
    rt_gemm_tile_of<MaxRows, Vectors>(rows, depth, a, b, b_row, tile, panel);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) c.data[i * c.row + j * c.column] = tile[i * panel + j];
  }
}
// All m rows of a panel of columns, in tiles of nearly equal height. A row may be done by two tiles, to the
// same values.
template <int MaxRows, int Vectors, class T>
RT_INLINE void rt_gemm_panel(int64_t m, int64_t depth, rt_matrix<const T> a, const T* b, int64_t b_row,
                             rt_matrix<T> c, int64_t columns) {
  const int64_t tiles = m > 4 && m < MaxRows && m % 2 ? 2 : (m + MaxRows - 1) / MaxRows;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    const int64_t first = m * tile / tiles, rows = m * (tile + 1) / tiles - first,
                  even = rows + (rows > 4 ? rows % 2 : 0);
    rt_gemm_tile_rows<MaxRows, Vectors>(first + even <= m ? first : m - even, even, depth, a, b, b_row, c,
                                        columns);
  }
}

// Exchanges rows and columns of a square of vectors: each round interleaves vector i with i + W/2.
template <class V, int... L>
RT_INLINE V rt_interleave_low(V a, V b, rt_seq<L...>) {
  constexpr int width = rt_traits<V>::lanes;
  return __builtin_shufflevector(a, b, (L / 2 + L % 2 * width)...);
}
template <class V, int... L>
RT_INLINE V rt_interleave_high(V a, V b, rt_seq<L...>) {
  constexpr int width = rt_traits<V>::lanes;
  return __builtin_shufflevector(a, b, (width / 2 + L / 2 + L % 2 * width)...);
}
template <class V, int Rounds = rt_traits<V>::lanes>
RT_INLINE void rt_transpose(V* v) {
  constexpr int width = rt_traits<V>::lanes;
  if constexpr (Rounds > 1) {
    V next[width];
    RT_UNROLL
    for (int i = 0; i < width / 2; ++i) {
      next[2 * i] = rt_interleave_low(v[i], v[i + width / 2], rt_make_seq<width>{});
      next[2 * i + 1] = rt_interleave_high(v[i], v[i + width / 2], rt_make_seq<width>{});
    }
    RT_UNROLL
    for (int i = 0; i < width; ++i) v[i] = next[i];
    rt_transpose<V, Rounds / 2>(v);
  }
}

// Copies columns [0, columns) of b into rows of `stride` contiguous elements, zeros behind them.
template <class T>
RT_CALL void rt_gemm_pack(int64_t depth, rt_matrix<const T> b, int64_t columns, int64_t stride, T* packed) {
  constexpr int width = rt_width<T>;
  for (int64_t j = 0; j < stride; j += width) {
    const int64_t live = columns - j < 0 ? 0 : columns - j < width ? columns - j : width;
    const T* from = b.data + j * b.column;
    int64_t k = 0;
    if (live == width && b.column == 1) {
      for (; k < depth; ++k)
        rt_write(packed + k * stride, rt_lanes<width>{j}, rt_read(from + k * b.row, rt_lanes<width>{0}));
    } else if (live == width && b.row == 1) {
      for (; k + width <= depth; k += width) {
        rt_vec<T, width> square[width];
        RT_UNROLL
        for (int i = 0; i < width; ++i) square[i] = rt_read(from + i * b.column, rt_lanes<width>{k});
        rt_transpose(square);
        RT_UNROLL
        for (int i = 0; i < width; ++i) rt_write(packed + (k + i) * stride, rt_lanes<width>{j}, square[i]);
      }
    }
    for (; k < depth; ++k)
      for (int64_t i = 0; i < width; ++i)
        packed[k * stride + j + i] = i < live ? from[k * b.row + i * b.column] : T(0);
  }
}

// Panels of Vectors vectors of columns from *j on, as many as are whole (or, at the last width, one part).
template <int MaxRows, int Vectors, bool Last, class T>
RT_INLINE void rt_gemm_panels(int64_t m, int64_t n, int64_t depth, rt_matrix<const T> a, rt_matrix<const T> b,
                              rt_matrix<T> c, T* scratch, int64_t* j) {
  constexpr int64_t panel = Vectors * rt_width<T>;
  for (; *j + (Last ? 1 : panel) <= n; *j += panel) {
    const int64_t columns = n - *j < panel ? n - *j : panel;
    const rt_matrix<const T> from{b.data + *j * b.column, b.row, b.column};
    const rt_matrix<T> to{c.data + *j * c.column, c.row, c.column};
    // Reading B in place costs long strides; packing costs a copy, which two tiles of rows repay.
    if (b.column == 1 && columns == panel && m <= 2 * MaxRows) {
      rt_gemm_panel<MaxRows, Vectors>(m, depth, a, from.data, b.row, to, columns);
    } else {
      rt_gemm_pack(depth, from, columns, panel, scratch);
      rt_gemm_panel<MaxRows, Vectors>(m, depth, a, scratch, panel, to, columns);
    }
  }
}
template <class T>
RT_CALL void rt_gemm_tiled(int64_t m, int64_t n, int64_t depth, rt_matrix<const T> a, rt_matrix<const T> b,
                           rt_matrix<T> c, T* scratch) {
  int64_t j = 0;
  // A single row needs more columns to keep enough sums in flight; in place, as scratch has room for two
  // vectors.
  if (m == 1 && b.column == 1) rt_gemm_panels<1, 8, false>(m, n, depth, a, b, c, scratch, &j);
  rt_gemm_panels<rt_tile_rows, rt_tile_vectors, true>(m, n, depth, a, b, c, scratch, &j);
}

template <class T>
static constexpr bool rt_gemm_is_small(int64_t m, int64_t n, int64_t depth) {
  return !rt_traits<T>::is_float || m * n * depth <= (n <= rt_width<T> ? 8192 : 512);
}
// Bytes of scratch that rt_gemm<T> of this size asks for, 64-byte aligned; 0 for sizes that need none.
template <class T>
static constexpr int64_t rt_gemm_scratch(int64_t m, int64_t n, int64_t depth) {
  if (rt_gemm_is_small<T>(m, n, depth)) return 0;
  return depth * rt_tile_vectors * rt_width<T> * static_cast<int64_t>(sizeof(T));
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
  rt_gemm_plain<T>(m, n, depth, left, right, out);
}

}  // namespace cohort_rt
