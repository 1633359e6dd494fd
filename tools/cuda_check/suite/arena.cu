// Buffers in one block of device memory, some of them in the same bytes at different times; state that is
// captured.
#include "suite.h"

__constant__ float weights[4];

__global__ void __launch_bounds__(128) weigh(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = x[i] * weights[i % 4];
#ifdef DEFECT_OVERRUN
  if (blockIdx.x == 0 && threadIdx.x == 0) y[n] = 1.0f;
#endif
#ifdef DEFECT_CONSTANT_WRITTEN
  if (blockIdx.x == 0 && threadIdx.x == 0) const_cast<float&>(weights[0]) = 1.0f;
#endif
}
__global__ void __launch_bounds__(128) add(const float* x, const float* y, float* z, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) z[i] = x[i] + y[i];
}
// Each thread publishes a pointer to a variable of its own.
__global__ void __launch_bounds__(128) publish(float* out) {
  __shared__ const float* published[128];
  float mine[2] = {static_cast<float>(threadIdx.x), 1.0f};
  published[threadIdx.x] = mine;
  __syncthreads();
  out[threadIdx.x] = published[threadIdx.x ^ 1][0];
  __syncthreads();
}

int main() {
  // x, y and z side by side without gaps; t lies where x lay, from the time x is not needed any more.
  const int n = 256;
  const size_t bytes = n * sizeof(float);
  cudaStream_t s = new_stream(), other = new_stream();
  float* block = on_device<float>(3 * n + 64);
  float *x = block + 64, *y = x + n, *z = y + n, *t = x;
  COHORT_MARK_RANGE(x, bytes, "x");
  COHORT_MARK_RANGE(y, bytes, "y");
  COHORT_MARK_RANGE(z, bytes, "z");
  const float w[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  CHECKED(cudaMemcpyToSymbol(weights, w, sizeof w));
  auto values = random_values(n);
  float* host;
  CHECKED(cudaMallocHost(&host, bytes));
  std::memcpy(host, values.data(), bytes);
  COHORT_MARK_UNDEFINED(x, bytes, s);
  CHECKED(cudaMemcpyAsync(x, host, bytes, cudaMemcpyHostToDevice, s));
  launch(weigh, dim3(2), dim3(128), 0, s, x, y, n);
  cudaEvent_t done;
  CHECKED(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  CHECKED(cudaEventRecord(done, s));
#ifndef DEFECT_REUSED_TOO_EARLY
  CHECKED(cudaStreamWaitEvent(other, done, 0));
#endif
  COHORT_MARK_UNDEFINED(t, bytes, other);
#ifndef DEFECT_STALE
  launch(weigh, dim3(2), dim3(128), 0, other, y, t, n);
#endif
  launch(add, dim3(2), dim3(128), 0, other, t, y, z, n);
  CHECKED(cudaStreamSynchronize(other));
  CHECKED(cudaMemcpy(host, z, bytes, cudaMemcpyDeviceToHost));
  std::vector<double> wanted(n);
  for (int i = 0; i < n; i++) wanted[i] = values[i] * w[i % 4] * (1.0 + w[i % 4]);
  expect("arena", std::vector<float>(host, host + n), wanted, 1e-5);
#ifdef DEFECT_FOREIGN_LOCAL
  launch(publish, dim3(1), dim3(128), 0, s, z);
#else
  (void)publish;
#endif
  CHECKED(cudaDeviceSynchronize());
  CHECKED(cudaFreeHost(host));
  CHECKED(cudaFree(block));
  return failures != 0;
}
