// Accesses whose cost is known: transactions per request are compared with counts.txt.
#include "suite.h"

__global__ void __launch_bounds__(128) copy_rows(const float* in, float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i];  // 128 bytes of a warp, side by side: 4 sectors
}
__global__ void __launch_bounds__(128) copy_strided(const float* in, float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[i % 16 * 32 + i / 16];  // 16 sectors for a warp, where 4 would do
}
__global__ void __launch_bounds__(128) copy_shifted(const float* in, float* out) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < 511) out[i] = in[i + 1];  // one sector more
}
__global__ void __launch_bounds__(1024) transpose(const float* in, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // all lanes in one bank
}
__global__ void __launch_bounds__(1024) transpose_padded(const float* in, float* out) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // each lane in another
}

int main() {
  cudaStream_t s = new_stream();
  float *in = to_device(random_values(1024)), *out = on_device<float>(1024);
  launch(copy_rows, dim3(4), dim3(128), 0, s, in, out);
  launch(copy_strided, dim3(4), dim3(128), 0, s, in, out);
  launch(copy_shifted, dim3(4), dim3(128), 0, s, in, out);
  launch(transpose, dim3(1), dim3(32, 32), 0, s, in, out);
  launch(transpose_padded, dim3(1), dim3(32, 32), 0, s, in, out);
  CHECKED(cudaStreamSynchronize(s));
  CHECKED(cudaFree(in));
  CHECKED(cudaFree(out));
  return 0;
}
