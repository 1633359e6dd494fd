// Products on a GPU: what a call of rt_gemm becomes there (calls.h has its arguments). A block computes tiles
// of 64 rows and 64 columns, a thread sixteen elements of one; blocks of the operands pass through shared
// memory. Every element is one chain of fused multiply-adds in order of k, so it has the bits that a CPU
// gives it.
#pragma once
#include "cuda.h"

inline namespace cohort_rt {

struct rt_gemm_shape {
  int64_t c_at, a_at, b_at, batch, m, n, depth;
  int64_t c_batch, c_row, c_column, a_batch, a_row, a_column, b_batch, b_row, b_column;
};

constexpr int rt_tile = 64, rt_tile_depth = 16, rt_tile_side = 16;  // rt_tile_side^2 threads

// Copies a tile of [depth, tile] elements, of which `live_depth` and `live` exist. Neighbouring threads take
// neighbouring elements of memory, whichever axis that is.
template <class T>
RT_DEVICE void rt_load_tile(T (&tile)[rt_tile_depth][rt_tile + 1], const T* from, int64_t step,
                            int64_t depth_step, int64_t live, int64_t live_depth) {
  for (int e = static_cast<int>(threadIdx.x); e < rt_tile * rt_tile_depth; e += rt_block_threads) {
    const bool along_depth = depth_step == 1;
    const int k = along_depth ? e % rt_tile_depth : e / rt_tile;
    const int i = along_depth ? e / rt_tile_depth : e % rt_tile;
    tile[k][i] = i < live && k < live_depth ? from[i * step + k * depth_step] : T(0);
  }
}

template <class T>
static __global__ void __launch_bounds__(256)
    rt_gemm_tiles(const rt_failure* failure, rt_gemm_shape s, T* c, const T* a, const T* b) {
  if (failure && failure->first != rt_no_failure) return;
  __shared__ T a_tile[rt_tile_depth][rt_tile + 1];
  __shared__ T b_tile[rt_tile_depth][rt_tile + 1];
  const int64_t tile_rows = (s.m + rt_tile - 1) / rt_tile, tile_columns = (s.n + rt_tile - 1) / rt_tile;
  const int row = static_cast<int>(threadIdx.x) / rt_tile_side,
            column = static_cast<int>(threadIdx.x) % rt_tile_side;
  for (int64_t tile = blockIdx.x; tile < s.batch * tile_rows * tile_columns; tile += gridDim.x) {
    const int64_t p = tile / (tile_rows * tile_columns), rest = tile % (tile_rows * tile_columns);
    const int64_t i0 = rest / tile_columns * rt_tile, j0 = rest % tile_columns * rt_tile;
    const T* left = a + s.a_at + p * s.a_batch + i0 * s.a_row;
    const T* right = b + s.b_at + p * s.b_batch + j0 * s.b_column;
    T sum[4][4] = {};
    for (int64_t k0 = 0; k0 < s.depth; k0 += rt_tile_depth) {
      const int64_t live = s.depth - k0 < rt_tile_depth ? s.depth - k0 : rt_tile_depth;
      rt_load_tile(a_tile, left + k0 * s.a_column, s.a_row, s.a_column, s.m - i0, live);
      rt_load_tile(b_tile, right + k0 * s.b_row, s.b_column, s.b_row, s.n - j0, live);
      __syncthreads();
      for (int k = 0; k < live; ++k) {
        RT_UNROLL
        for (int i = 0; i < 4; ++i) {
          RT_UNROLL
          for (int j = 0; j < 4; ++j)
            sum[i][j] =
                rt_fma(a_tile[k][row + rt_tile_side * i], b_tile[k][column + rt_tile_side * j], sum[i][j]);
        }
      }
      __syncthreads();
    }
    T* to = c + s.c_at + p * s.c_batch;
    RT_UNROLL
    for (int i = 0; i < 4; ++i) {
      RT_UNROLL
      for (int j = 0; j < 4; ++j) {
        const int64_t y = i0 + row + rt_tile_side * i, x = j0 + column + rt_tile_side * j;
        if (y < s.m && x < s.n) to[y * s.c_row + x * s.c_column] = sum[i][j];
      }
    }
  }
}

template <class T>
int32_t rt_launch_gemm(rt_workspace* header, const char* function, const rt_failure* failure, T* c,
                       const T* a, const T* b, int64_t c_at, int64_t a_at, int64_t b_at, int64_t batch,
                       int64_t m, int64_t n, int64_t depth, int64_t c_batch, int64_t c_row, int64_t c_column,
                       int64_t a_batch, int64_t a_row, int64_t a_column, int64_t b_batch, int64_t b_row,
                       int64_t b_column) {
  const rt_gemm_shape shape = {c_at,  a_at,     b_at,    batch, m,        n,       depth, c_batch,
                               c_row, c_column, a_batch, a_row, a_column, b_batch, b_row, b_column};
  const int64_t tiles = batch * ((m + rt_tile - 1) / rt_tile) * ((n + rt_tile - 1) / rt_tile);
  return rt_launch(header, function, rt_gemm_tiles<T>, tiles * rt_block_threads, failure, shape, c, a, b);
}

}  // namespace cohort_rt
