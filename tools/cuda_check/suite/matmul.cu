// A tiled matrix product with two buffers in shared memory.
#include "suite.h"

constexpr int kTile = 64, kDepth = 16, kEach = 4, kThreads = (kTile / kEach) * (kTile / kEach);

__global__ void __launch_bounds__(256) matmul(const float* __restrict__ a, const float* __restrict__ b,
                                              float* __restrict__ c, int m, int n, int k) {
  __shared__ float as[2][kDepth][kTile + 1];
  __shared__ float bs[2][kDepth][kTile + 1];
  const int t = threadIdx.x, tx = t % (kTile / kEach), ty = t / (kTile / kEach);
  const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  float sums[kEach][kEach] = {};
  auto load = [&](int buffer, int k0) {
    for (int i = t; i < kTile * kDepth; i += kThreads) {
      const int r = i / kDepth, d = i % kDepth;
      as[buffer][d][r] = row0 + r < m && k0 + d < k ? a[(size_t)(row0 + r) * k + k0 + d] : 0.0f;
    }
    for (int i = t; i < kDepth * kTile; i += kThreads) {
      const int d = i / kTile, j = i % kTile;
#ifdef DEFECT_SHARED_INDEX
      bs[buffer][d][j + 2] = k0 + d < k && column0 + j < n ? b[(size_t)(k0 + d) * n + column0 + j] : 0.0f;
#else
      bs[buffer][d][j] = k0 + d < k && column0 + j < n ? b[(size_t)(k0 + d) * n + column0 + j] : 0.0f;
#endif
    }
  };
  load(0, 0);
  __syncthreads();
  const int steps = (k + kDepth - 1) / kDepth;
  for (int step = 0; step < steps; ++step) {
    const int now = step & 1;
    if (step + 1 < steps) load(now ^ 1, (step + 1) * kDepth);
#pragma unroll
    for (int d = 0; d < kDepth; ++d)
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j)
          sums[i][j] = fmaf(as[now][d][ty * kEach + i], bs[now][d][tx * kEach + j], sums[i][j]);
#ifndef DEFECT_NO_BARRIER_IN_LOOP
    __syncthreads();
#endif
  }
  for (int i = 0; i < kEach; ++i)
    for (int j = 0; j < kEach; ++j) {
      const int row = row0 + ty * kEach + i, column = column0 + tx * kEach + j;
      if (row < m && column < n) c[(size_t)row * n + column] = sums[i][j];
    }
}

int main() {
  cudaStream_t s = new_stream();
  const int m = 97, n = 70, k = 50;
  auto a = random_values(m * k), b = random_values(k * n);
  float *da = to_device(a), *db = to_device(b), *dc = on_device<float>(m * n);
#ifdef DEFECT_FREED
  CHECKED(cudaFree(db));
#endif
  launch(matmul, dim3((n + kTile - 1) / kTile, (m + kTile - 1) / kTile), dim3(kThreads), 0, s, da, db, dc, m,
         n, k);
  CHECKED(cudaStreamSynchronize(s));
  std::vector<double> wanted(m * n);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int d = 0; d < k; d++) wanted[i * n + j] += (double)a[i * k + d] * b[d * n + j];
  expect("matmul", to_host(dc, m * n), wanted, 1e-5);
  for (float* p : {da, db, dc}) CHECKED(cudaFree(p));
  return failures != 0;
}
