// A fused elementwise kernel: loop over the grid, 16-byte accesses, a rest.
#include "suite.h"

__device__ __forceinline__ float gelu(float v) {
  return 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}
__global__ void __launch_bounds__(256) fused(const float* __restrict__ x, const float* __restrict__ bias,
                                             float* __restrict__ y, float alpha, int n, int columns) {
  const int stride = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x, n4 = n / 4;
  for (int i = first; i < n4; i += stride) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
#ifdef DEFECT_SIGNED_OVERFLOW
    const int c = (int)((unsigned)((i + 1) * 4 * 10000000) % (unsigned)columns) & ~3;
#else
    const int c = (i * 4) % columns;
#endif
    float4 b = *reinterpret_cast<const float4*>(bias + c), r;
    r.x = gelu(fmaf(alpha, v.x, b.x));
    r.y = gelu(fmaf(alpha, v.y, b.y));
    r.z = gelu(fmaf(alpha, v.z, b.z));
    r.w = gelu(fmaf(alpha, v.w, b.w));
    reinterpret_cast<float4*>(y)[i] = r;
  }
#ifdef DEFECT_ONE_TOO_MANY
  for (int i = n4 * 4 + first; i <= n; i += stride) y[i] = gelu(fmaf(alpha, x[i], bias[i % columns]));
#else
  for (int i = n4 * 4 + first; i < n; i += stride) y[i] = gelu(fmaf(alpha, x[i], bias[i % columns]));
#endif
}

int main() {
  cudaStream_t s = new_stream();
  const int columns = 64, n = 4099;
  auto x = random_values(n), b = random_values(columns);
  float *dx = to_device(x), *db = to_device(b), *dy = on_device<float>(n);
#if defined DEFECT_HOST_POINTER
  launch(fused, dim3(4), dim3(256), 0, s, dx, b.data(), dy, 0.5f, n, columns);
#elif defined DEFECT_MISALIGNED
  launch(fused, dim3(4), dim3(256), 0, s, dx + 1, db, dy, 0.5f, n - 1, columns);
#elif defined DEFECT_TOO_MANY_THREADS
  launch(fused, dim3(4), dim3(2048), 0, s, dx, db, dy, 0.5f, n, columns);
#elif defined DEFECT_DIVISION_BY_ZERO
  launch(fused, dim3(4), dim3(256), 0, s, dx, db, dy, 0.5f, n, 0);
#elif defined DEFECT_NULL
  launch(fused, dim3(4), dim3(256), 0, s, dx, db, static_cast<float*>(nullptr), 0.5f, n, columns);
#else
  launch(fused, dim3(4), dim3(256), 0, s, dx, db, dy, 0.5f, n, columns);
#endif
  CHECKED(cudaStreamSynchronize(s));
#if defined DEFECT_HOST_READS_DEVICE
  std::printf("%f\n", dy[3]);
#elif defined DEFECT_HOST_COPIES_DEVICE
  std::vector<float> copied(n);
  std::memcpy(copied.data(), dy, n * sizeof(float));
#elif defined DEFECT_COPY_KIND
  std::vector<float> copied(n);
  (void)cudaMemcpy(copied.data(), dy, n * sizeof(float), cudaMemcpyHostToDevice);
#endif
  std::vector<double> wanted(n);
  for (int i = 0; i < n; i++) {
    double v = 0.5 * x[i] + b[i % columns];
    wanted[i] = 0.5 * v * (1 + std::tanh(0.79788456 * (v + 0.044715 * v * v * v)));
  }
  expect("elementwise", to_host(dy, n), wanted, 1e-5);
  CHECKED(cudaFree(dx));
  CHECKED(cudaFree(db));
  CHECKED(cudaFree(dy));
#ifdef DEFECT_FREED_TWICE
  (void)cudaFree(dy);
#endif
  return failures != 0;
}
