// What products are made of: a tile of outputs that stays in registers while k runs, and copies of operands
// in the order in which tiles read them. Every output adds its products in order of k by fused multiply-add,
// from 0 or from the sum so far, so tiles, panels and blocks of k change no bit.
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

// Passed by reference: a copy is made by vector loads of what was just stored in words, which no CPU
// forwards, so that each call would wait until all stores before it have reached the cache.
template <class T>
struct rt_matrix {
  T* data;
  int64_t row, column;
};
template <class T>
RT_INLINE rt_matrix<T> rt_from_row(const rt_matrix<T>& x, int64_t i) {
  return {x.data + i * x.row, x.row, x.column};
}

// Columns of the right operand: rows of contiguous elements, `row` apart. Tiles wider than two vectors
// continue `next` further on. `ahead` of each element that is read another is fetched into the cache.
template <class T>
struct rt_columns {
  const T* data;
  int64_t row, next, ahead;
};

// A tile of outputs, of which the first `columns` columns are kept; c holds sums to be continued if `more`.
template <int Rows, int Vectors, class T>
RT_CALL void rt_gemm_tile(int64_t depth, const rt_matrix<const T>& a, const rt_columns<T>& b, T* c,
                          int64_t c_row, int64_t columns, bool more) {
  constexpr int width = rt_width<T>;
  using V = rt_vec<T, width>;
  V sum[Rows][Vectors];
  const auto each_vector = [&](auto whole, auto part) {
    RT_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      const int64_t live = columns - v * width;
      if (live >= width) {
        RT_UNROLL
        for (int i = 0; i < Rows; ++i) whole(i, v);
      } else if (live > 0) {
        RT_UNROLL
        for (int i = 0; i < Rows; ++i) part(i, v, static_cast<int>(live));
      }
    }
  };
  RT_UNROLL
  for (int i = 0; i < Rows; ++i) {
    RT_UNROLL
    for (int v = 0; v < Vectors; ++v) sum[i][v] = V{};
  }
  if (more)
    each_vector([&](int i, int v) { sum[i][v] = rt_read(c + i * c_row, rt_lanes<width>{v * width}); },
                [&](int i, int v, int live) {
                  sum[i][v] = rt_read(c + i * c_row, rt_tail<width>{v * width, live});
                });
  const T *left = a.data, *from = b.data;
  for (int64_t k = 0; k < depth; ++k, left += a.column, from += b.row) {
    V right[Vectors];
    RT_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      const T* const at = from + v / rt_tile_vectors * b.next + v % rt_tile_vectors * width;
      right[v] = rt_read(at, rt_lanes<width>{0});
      __builtin_prefetch(at + b.ahead);
    }
    RT_UNROLL
    for (int i = 0; i < Rows; ++i) {
      const V factor = rt_fill<V>(left[i * a.row]);
      RT_UNROLL
      for (int v = 0; v < Vectors; ++v) sum[i][v] = rt_fma_same(factor, right[v], sum[i][v]);
    }
  }
  each_vector([&](int i, int v) { rt_write(c + i * c_row, rt_lanes<width>{v * width}, sum[i][v]); },
              [&](int i, int v, int live) {
                rt_write(c + i * c_row, rt_tail<width>{v * width, live}, sum[i][v]);
              });
}

// Heights of tiles that are compiled: all to 6, even ones above.
static constexpr int64_t rt_tile_height(int64_t rows) { return rows > 6 ? rows + rows % 2 : rows; }

// A tile of `rows` rows, one of these heights.
template <int Rows, int Vectors, class T>
RT_INLINE void rt_gemm_tile_of(int64_t rows, int64_t depth, const rt_matrix<const T>& a,
                               const rt_columns<T>& b, T* c, int64_t c_row, int64_t columns, bool more) {
  if (Rows == 1 || rows == Rows)
    rt_gemm_tile<Rows, Vectors>(depth, a, b, c, c_row, columns, more);
  else if constexpr (Rows > 1)
    rt_gemm_tile_of<(Rows > 6 ? Rows - 2 : Rows - 1), Vectors>(rows, depth, a, b, c, c_row, columns, more);
}
// Outputs whose columns lie apart go by a buffer.
template <int MaxRows, int Vectors, class T>
RT_CALL void rt_gemm_tile_rows(int64_t rows, int64_t depth, const rt_matrix<const T>& a,
                               const rt_columns<T>& b, const rt_matrix<T>& c, int64_t columns) {
  if (c.column == 1)
    return rt_gemm_tile_of<MaxRows, Vectors>(rows, depth, a, b, c.data, c.row, columns, false);
  constexpr int64_t panel = Vectors * rt_width<T>;
  T tile[MaxRows * panel];
  rt_gemm_tile_of<MaxRows, Vectors>(rows, depth, a, b, tile, panel, panel, false);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) c.data[i * c.row + j * c.column] = tile[i * panel + j];
}
// All m rows of a panel of columns, in tiles of nearly equal height. A row may be done by two tiles, to the
// same values.
template <int MaxRows, int Vectors, class T>
RT_INLINE void rt_gemm_panel(int64_t m, int64_t depth, const rt_matrix<const T>& a, const rt_columns<T>& b,
                             const rt_matrix<T>& c, int64_t columns) {
  const int64_t tiles = m > 6 && m < MaxRows && m % 2 ? 2 : (m + MaxRows - 1) / MaxRows;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    const int64_t begin = m * tile / tiles, rows = rt_tile_height(m * (tile + 1) / tiles - begin);
    const int64_t first = begin + rows <= m ? begin : m - rows;
    rt_gemm_tile_rows<MaxRows, Vectors>(rows, depth, rt_from_row(a, first), b, rt_from_row(c, first),
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

// A vector's width of elements or fewer, zeros behind them.
template <int W, class T>
RT_INLINE rt_vec<T, W> rt_read_some(const T* from, int64_t live) {
  return live >= W ? rt_read(from, rt_lanes<W>{0}) : rt_read(from, rt_tail<W>{0, static_cast<int>(live)});
}

// Copies columns [0, live) of b, at most a vector's width of them, into rows of one vector, `stride` apart,
// with zeros behind them.
template <class T>
RT_CALL void rt_gemm_pack_vector(int64_t depth, const rt_matrix<const T>& b, int64_t live, int64_t stride,
                                 T* packed) {
  constexpr int width = rt_width<T>;
  if (b.column == 1 || live == 1) {
    for (int64_t k = 0; k < depth; ++k)
      rt_write(packed + k * stride, rt_lanes<width>{0}, rt_read_some<width>(b.data + k * b.row, live));
  } else if (b.row == 1) {
    for (int64_t k = 0; k < depth; k += width) {
      const int64_t rows = depth - k < width ? depth - k : width;
      rt_vec<T, width> square[width];
      RT_UNROLL
      for (int i = 0; i < width; ++i)
        square[i] = i < live ? rt_read_some<width>(b.data + i * b.column + k, rows) : rt_vec<T, width>{};
      rt_transpose(square);
      RT_UNROLL
      for (int i = 0; i < width; ++i)
        if (i < rows) rt_write(packed + (k + i) * stride, rt_lanes<width>{0}, square[i]);
    }
  } else {
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t i = 0; i < width; ++i)
        packed[k * stride + i] = i < live ? b.data[k * b.row + i * b.column] : T(0);
  }
}
// Copies columns [0, columns) of b into rows of `stride` elements, zeros behind them; a multiple of a vector.
template <class T>
RT_INLINE void rt_gemm_pack(int64_t depth, const rt_matrix<const T>& b, int64_t columns, int64_t stride,
                            T* packed) {
  constexpr int width = rt_width<T>;
  for (int64_t j = 0; j < stride; j += width) {
    const int64_t live = columns - j < 0 ? 0 : columns - j < width ? columns - j : width;
    rt_gemm_pack_vector<T>(depth, {b.data + (live ? j : 0) * b.column, b.row, b.column}, live, stride,
                           packed + j);
  }
}

// The same for panel after panel of columns, each `panel` wide and of `whole_depth` rows, of which these are
// some: rows of b are read on end where they lie so.
template <class T>
RT_CALL void rt_gemm_pack_panels(int64_t depth, const rt_matrix<const T>& b, int64_t columns, int64_t panel,
                                 T* packed, int64_t whole_depth) {
  constexpr int width = rt_width<T>;
  if (b.column == 1) {
    const int64_t whole = columns / panel * panel;
    for (int64_t k = 0; k < depth; ++k) {
      const T* const row = b.data + k * b.row;
      for (int64_t j = 0; j < whole; j += panel) {
        T* const to = packed + j * whole_depth + k * panel;
        for (int64_t v = 0; v < panel; v += width)
          rt_write(to, rt_lanes<width>{v}, rt_read(row, rt_lanes<width>{j + v}));
      }
    }
    if (whole < columns)
      rt_gemm_pack<T>(depth, {b.data + whole, b.row, 1}, columns - whole, panel,
                      packed + whole * whole_depth);
    return;
  }
  for (int64_t j = 0; j < columns; j += panel) {
    const int64_t live = columns - j < panel ? columns - j : panel;
    rt_gemm_pack<T>(depth, {b.data + j * b.column, b.row, b.column}, live, panel, packed + j * whole_depth);
  }
}

}  // namespace cohort_rt
