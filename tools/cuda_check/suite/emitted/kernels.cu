// Device code that wants the flags of Cohort's recipe: products and sums are rounded one by one, and a
// constexpr function of the host is called on the device.
#include <cuda_runtime.h>

constexpr float half_of(float x) { return x * 0.5f; }

__global__ void __launch_bounds__(64) multiply_and_add(const float* a, const float* b, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] * b[i] + half_of(b[i]);
}

cudaError_t start(const float* a, const float* b, float* y, int n, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3((n + 63) / 64);
  config.blockDim = dim3(64);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, multiply_and_add, a, b, y, n);
}
