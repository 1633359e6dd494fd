// An inclusive scan: of blocks, of their sums, and both added.
#include "suite.h"

__global__ void __launch_bounds__(256) scan_blocks(const int* in, int* out, int* sums, int n) {
  __shared__ int warp_sums[8];
  const int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#ifdef DEFECT_RETURN_BEFORE_COLLECTIVE
  if (i >= n) return;
#endif
  int v = i < n ? in[i] : 0;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const int u = __shfl_up_sync(0xffffffffu, v, o);
    if (lane >= o) v += u;
  }
  if (lane == 31) warp_sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int t = lane < 8 ? warp_sums[lane] : 0;
#pragma unroll
    for (int o = 1; o < 8; o <<= 1) {
      const int u = __shfl_up_sync(0xffffffffu, t, o);
      if (lane >= o) t += u;
    }
    if (lane < 8) warp_sums[lane] = t;
  }
  __syncthreads();
  if (warp > 0) v += warp_sums[warp - 1];
  if (i < n) out[i] = v;
  if (sums && threadIdx.x == 255) sums[blockIdx.x] = v;
}
__global__ void __launch_bounds__(256) add_sums(int* out, const int* sums, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

int main() {
  cudaStream_t s = new_stream();
  const int n = 5003, blocks = (n + 255) / 256;
  std::vector<int> x(n);
  for (int i = 0; i < n; i++) x[i] = i * 7919 % 7 - 3;
  int *dx = to_device(x), *dy = on_device<int>(n), *sums = on_device<int>(blocks),
      *scanned = on_device<int>(blocks);
  launch(scan_blocks, dim3(blocks), dim3(256), 0, s, dx, dy, sums, n);
  launch(scan_blocks, dim3(1), dim3(256), 0, s, sums, scanned, static_cast<int*>(nullptr), blocks);
  launch(add_sums, dim3(blocks), dim3(256), 0, s, dy, scanned, n);
  CHECKED(cudaStreamSynchronize(s));
  std::vector<double> wanted(n);
  double total = 0;
  for (int i = 0; i < n; i++) wanted[i] = total += x[i];
  expect("scan", to_host(dy, n), wanted, 0);
  for (int* p : {dx, dy, sums, scanned}) CHECKED(cudaFree(p));
  return failures != 0;
}
