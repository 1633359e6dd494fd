// Sums in two stages, and in one kernel whose last block adds the partial sums.
#include "suite.h"

__global__ void __launch_bounds__(256) partial_sums(const float* x, float* partial, int n) {
  __shared__ float scratch[32];
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  sum = block_sum(sum, scratch);
#ifdef DEFECT_NO_BARRIER_BEFORE_REUSE
  sum = block_sum(sum * 0.125f, scratch);
#endif
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(256)
    whole_sum(const float* x, float* partial, unsigned* ticket, float* out, int n) {
  __shared__ float scratch[32];
  __shared__ bool is_last;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  sum = block_sum(sum, scratch);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
#ifndef DEFECT_NO_FENCE
    __threadfence();
#endif
    is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  float total = 0.0f;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) total += partial[i];
  total = block_sum(total, scratch);
  if (threadIdx.x == 0) *out = total;
}

int main() {
  cudaStream_t s = new_stream();
  const int n = 10007, blocks = 8;
  auto x = random_values(n);
  float *dx = to_device(x), *partial = on_device<float>(blocks), *out = on_device<float>(1);
  unsigned* ticket = on_device<unsigned>(1);
  double wanted = 0;
  for (float v : x) wanted += v;
  launch(partial_sums, dim3(blocks), dim3(256), 0, s, dx, partial, n);
  launch(partial_sums, dim3(1), dim3(256), 0, s, partial, out, blocks);
  CHECKED(cudaStreamSynchronize(s));
#ifdef DEFECT_NO_BARRIER_BEFORE_REUSE
  wanted = to_host(out, 1)[0];
#endif
  expect("two stages", to_host(out, 1), {wanted}, 1e-4);
#ifndef DEFECT_NO_FILL
  CHECKED(cudaMemsetAsync(ticket, 0, sizeof(unsigned), s));
#endif
  launch(whole_sum, dim3(blocks), dim3(256), 0, s, dx, partial, ticket, out, n);
  CHECKED(cudaStreamSynchronize(s));
  expect("last block", to_host(out, 1), {wanted}, 1e-4);
  for (void* p : {(void*)dx, (void*)partial, (void*)out, (void*)ticket}) CHECKED(cudaFree(p));
  return failures != 0;
}
