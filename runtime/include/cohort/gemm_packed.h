// Products whose right operand is copied beforehand, once for many products: weights that all steps of a loop
// read. The same bits as rt_gemm.
//
// The copy: panels of 128 bytes' worth of columns (32 of f32, 16 of f64), one after the other, the last one
// filled up with zeros; within a panel row after row. So element [k, j] lies at
// (j / P * depth + k) * P + j % P with P = rt_packed_columns<T>, on every machine.
#pragma once
#include "gemm_tile.h"

inline namespace cohort_rt {

template <class T>
inline constexpr int64_t rt_packed_columns = 128 / static_cast<int64_t>(sizeof(T));

// Columns [at, at + n) of the first `rows` rows of the copy, which has `depth`, become those of b[rows, n];
// the columns behind them, to the end of the panel, zeros.
template <class T>
RT_CALL void rt_gemm_pack_columns(int64_t at, int64_t n, int64_t rows, int64_t depth,
                                  const rt_matrix<const T>& b, T* packed) {
  constexpr int64_t panel = rt_packed_columns<T>, together = 16;
  const int64_t begun = at % panel, room = begun ? panel - begun : 0, first = n < room ? n : room;
  for (int64_t k = 0; first > 0 && k < rows; ++k)
    for (int64_t i = 0; i < room; ++i)
      packed[(at - begun) * depth + k * panel + begun + i] =
          i < first ? b.data[k * b.row + i * b.column] : T(0);
  for (int64_t j = first; j < n; j += together * panel) {
    const int64_t columns = n - j < together * panel ? n - j : together * panel;
    rt_gemm_pack_panels<T>(rows, {b.data + j * b.column, b.row, b.column}, columns, panel,
                           packed + (at + j) * depth, depth);
  }
}

// How far ahead a tile fetches the packed operand: what it needs soon; where several tiles use a panel, all
// but the first fetch the next panel.
inline constexpr int64_t rt_packed_ahead_bytes = 4096;

// Columns [begin, end) of C, which begin with a panel.
template <class T>
RT_CALL void rt_gemm_packed_columns(int64_t begin, int64_t end, int64_t m, int64_t depth,
                                    const rt_matrix<const T>& a, const T* packed, T* c, int64_t c_row) {
  constexpr int64_t panel = rt_packed_columns<T>, tile = rt_tile_vectors * rt_width<T>, wide = 4;
  constexpr int64_t soon = rt_packed_ahead_bytes / static_cast<int64_t>(sizeof(T));
  const int64_t next = depth * panel;
  int64_t j = begin;
  if constexpr (tile == panel) {
    // One row of sums in two vectors would wait for itself.
    for (; m == 1 && j + wide * panel <= end; j += wide * panel)
      rt_gemm_tile<1, wide * rt_tile_vectors>(depth, a, rt_columns<T>{packed + j * depth, panel, next, soon},
                                              c + j, c_row, wide * panel, false);
  }
  const int64_t tiles = m > 6 && m < rt_tile_rows && m % 2 ? 2 : (m + rt_tile_rows - 1) / rt_tile_rows;
  for (; j < end; j += panel) {
    for (int64_t i = 0; i < tiles; ++i) {
      const int64_t first = m * i / tiles, rows = rt_tile_height(m * (i + 1) / tiles - first);
      const int64_t from = first + rows <= m ? first : m - rows;
      for (int64_t v = 0; v < panel && j + v < end; v += tile) {
        const int64_t columns = end - j - v < tile ? end - j - v : tile;
        const rt_columns<T> right{packed + j * depth + v, panel, next, i == 0 ? soon : next};
        T* const to = c + from * c_row + j + v;
        if (columns > rt_width<T>)
          rt_gemm_tile_of<rt_tile_rows, rt_tile_vectors>(rows, depth, rt_from_row(a, from), right, to, c_row,
                                                         columns, false);
        else
          rt_gemm_tile_of<rt_tile_rows, 1>(rows, depth, rt_from_row(a, from), right, to, c_row, columns,
                                           false);
      }
    }
  }
}

}  // namespace cohort_rt
