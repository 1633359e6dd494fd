// Products on a GPU. A block computes tiles of 64 rows and 64 columns, a thread sixteen elements of one;
// blocks of the operands pass through shared memory. Every element is one chain of fused multiply-adds in
// order of k, so it has the bits that a CPU gives it. What becomes of an element is the caller's: emitted
// kernels give a function of its place and value, and a call of rt_gemm (calls.h has its arguments) stores
// it.
#pragma once
#include "cuda.h"

// Of what is done to a thread's elements a copy for each of four is enough.
#if defined(__CUDACC__)
#define RT_NO_UNROLL _Pragma("unroll 1")
#else
#define RT_NO_UNROLL
#endif

inline namespace cohort_rt {

// For p < batch, i < m, j < n the sum over l < depth of
// a[a_at + p*a_batch + i*a_row + l*a_column] * b[b_at + p*b_batch + l*b_row + j*b_column].
struct rt_product {
  int64_t a_at = 0, b_at = 0, batch = 1, m = 0, n = 0, depth = 0;
  int64_t a_batch = 0, a_row = 0, a_column = 0, b_batch = 0, b_row = 0, b_column = 0;
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

// Calls each(p, i, j, value) for every element, by all threads of the launch.
template <class T, class F>
RT_DEVICE void rt_gemm_tiles(const rt_product& s, const T* a, const T* b, F&& each) {
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
    // One row after the other becomes the first, for registers have no index.
    RT_NO_UNROLL
    for (int64_t i = i0 + row; i < i0 + rt_tile && i < s.m; i += rt_tile_side) {
      RT_UNROLL
      for (int j = 0; j < 4; ++j)
        if (j0 + column + rt_tile_side * j < s.n) each(p, i, j0 + column + rt_tile_side * j, sum[0][j]);
      RT_UNROLL
      for (int r = 0; r < 3; ++r) {
        RT_UNROLL
        for (int j = 0; j < 4; ++j) sum[r][j] = sum[r + 1][j];
      }
    }
  }
}

// How many threads a launch over the elements has work for.
inline int64_t rt_tile_threads(int64_t batch, int64_t m, int64_t n) {
  return rt_block_threads * batch * ((m + rt_tile - 1) / rt_tile) * ((n + rt_tile - 1) / rt_tile);
}

struct rt_result {
  int64_t at, batch, row, column;
};

template <class T>
RT_DEVICE_KERNEL void rt_gemm_kernel(const rt_failure* failure, rt_product product, rt_result place, T* c,
                                     const T* a, const T* b) {
  if (failure && failure->first != rt_no_failure) return;
  rt_gemm_tiles(product, a, b, [&](int64_t p, int64_t i, int64_t j, T value) {
    c[place.at + p * place.batch + i * place.row + j * place.column] = value;
  });
}

template <class T>
int32_t rt_launch_gemm(rt_workspace* header, const char* function, const rt_failure* failure, T* c,
                       const T* a, const T* b, int64_t c_at, int64_t a_at, int64_t b_at, int64_t batch,
                       int64_t m, int64_t n, int64_t depth, int64_t c_batch, int64_t c_row, int64_t c_column,
                       int64_t a_batch, int64_t a_row, int64_t a_column, int64_t b_batch, int64_t b_row,
                       int64_t b_column) {
  const rt_product product = {a_at,    b_at,  batch,    m,       n,     depth,
                              a_batch, a_row, a_column, b_batch, b_row, b_column};
  const rt_result place = {c_at, c_batch, c_row, c_column};
  return rt_launch(header, function, rt_gemm_kernel<T>, rt_tile_threads(batch, m, n), failure, product, place,
                   c, a, b);
}

}  // namespace cohort_rt
