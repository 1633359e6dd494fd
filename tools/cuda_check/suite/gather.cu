// Rows of a table by index, and their sums back into it.
#include "suite.h"

__global__ void __launch_bounds__(256) gather(const float* __restrict__ table, const int* __restrict__ index,
                                              float* __restrict__ out, int n, int d) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * d; i += gridDim.x * blockDim.x)
    out[i] = table[(size_t)index[i / d] * d + i % d];
}
__global__ void __launch_bounds__(256)
    scatter_add(const float* __restrict__ in, const int* __restrict__ index, float* __restrict__ table, int n,
                int d) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * d; i += gridDim.x * blockDim.x)
#ifdef DEFECT_NOT_ATOMIC
    table[(size_t)index[i / d] * d + i % d] += in[i];
#else
    atomicAdd(&table[(size_t)index[i / d] * d + i % d], in[i]);
#endif
}

int main() {
  cudaStream_t s = new_stream();
  const int rows = 50, d = 20, n = 300;
  auto table = random_values(rows * d);
  std::vector<int> index(n);
  for (int i = 0; i < n; i++) index[i] = i * 31 % rows;
#ifdef DEFECT_INDEX
  index[n / 2] = rows;
#endif
  float *dt = to_device(table), *taken = on_device<float>(n * d), *sums = on_device<float>(rows * d);
  int* di = to_device(index);
  launch(gather, dim3(6), dim3(256), 0, s, dt, di, taken, n, d);
  CHECKED(cudaMemsetAsync(sums, 0, rows * d * sizeof(float), s));
  launch(scatter_add, dim3(6), dim3(256), 0, s, taken, di, sums, n, d);
  CHECKED(cudaStreamSynchronize(s));
  std::vector<double> wanted(rows * d, 0.0);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < d; j++) wanted[index[i] * d + j] += table[index[i] * d + j];
  expect("gather and scatter_add", to_host(sums, rows * d), wanted, 1e-4);
  for (void* p : {(void*)dt, (void*)taken, (void*)sums, (void*)di}) CHECKED(cudaFree(p));
  return failures != 0;
}
