// Softmax of rows: a block for each row, the row in dynamic shared memory.
#include "suite.h"

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}
__global__ void __launch_bounds__(128)
    softmax(const float* __restrict__ x, float* __restrict__ y, int columns) {
  extern __shared__ __align__(16) unsigned char smem[];
  float* row = reinterpret_cast<float*>(smem);
  __shared__ float scratch[32];
  const float* from = x + (size_t)blockIdx.x * columns;
  float* to = y + (size_t)blockIdx.x * columns;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float v = from[i];
    row[i] = v;
    most = fmaxf(most, v);
  }
  most = warp_max(most);
  if (lane == 0) scratch[warp] = most;
#if defined DEFECT_TWO_BARRIERS
  if (warp < 2)
    __syncthreads();
  else
    __syncthreads();
#elif defined DEFECT_RETURN_BEFORE_BARRIER
  if (warp == 3) return;
  __syncthreads();
#else
  __syncthreads();
#endif
  most = warp_max(lane < warps ? scratch[lane] : -INFINITY);
  __syncthreads();
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float e = expf(row[i] - most);
    row[i] = e;
    sum += e;
  }
  sum = block_sum(sum, scratch);
  const float scale = 1.0f / sum;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) to[i] = row[i] * scale;
}

int main() {
  cudaStream_t s = new_stream();
  const int rows = 9, columns = 301;
#ifdef DEFECT_LITTLE_SHARED_MEMORY
  const size_t shared_bytes = 300 * sizeof(float);
#else
  const size_t shared_bytes = columns * sizeof(float);
#endif
  auto x = random_values(rows * columns);
  float *dx = to_device(x), *dy = on_device<float>(rows * columns);
  launch(softmax, dim3(rows), dim3(128), shared_bytes, s, dx, dy, columns);
  CHECKED(cudaStreamSynchronize(s));
  std::vector<double> wanted(rows * columns);
  for (int r = 0; r < rows; r++) {
    double total = 0;
    for (int c = 0; c < columns; c++) total += std::exp(x[r * columns + c]);
    for (int c = 0; c < columns; c++) wanted[r * columns + c] = std::exp(x[r * columns + c]) / total;
  }
  expect("softmax", to_host(dy, rows * columns), wanted, 1e-5);
  CHECKED(cudaFree(dx));
  CHECKED(cudaFree(dy));
  return failures != 0;
}
