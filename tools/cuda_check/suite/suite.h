// What the kernels of the suite and their host code share. One text for nvcc and for the checker;
// -DDEFECT_NAME plants one of the defects that defects.txt lists.
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#ifndef COHORT_MARK_RANGE
#define COHORT_MARK_RANGE(ptr, bytes, name) ((void)0)
#define COHORT_MARK_UNDEFINED(ptr, bytes, stream) ((void)0)
#endif

#define CHECKED(call)                                                                                   \
  do {                                                                                                  \
    cudaError_t error = (call);                                                                         \
    if (error != cudaSuccess) {                                                                         \
      std::printf("FAIL %s:%d %s: %s, status %d\n", __FILE__, __LINE__, #call, cudaGetErrorName(error), \
                  static_cast<int>(error));                                                             \
      std::exit(3);                                                                                     \
    }                                                                                                   \
  } while (0)

template <class... P, class... A>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
            A&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  CHECKED(cudaLaunchKernelEx(&config, kernel, std::forward<A>(arguments)...));
}

// In [-1, 1), the same in every run.
inline std::vector<float> random_values(size_t n) {
  static unsigned state = 7;
  std::vector<float> values(n);
  for (float& v : values) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
  return values;
}

template <class T>
T* on_device(size_t n) {
  T* p;
  CHECKED(cudaMalloc(&p, n * sizeof(T)));
  return p;
}
template <class T>
T* to_device(const std::vector<T>& values) {
  T* p = on_device<T>(values.size());
  CHECKED(cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <class T>
std::vector<T> to_host(const T* p, size_t n) {
  std::vector<T> values(n);
  CHECKED(cudaMemcpy(values.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}
inline cudaStream_t new_stream() {
  cudaStream_t s;
  CHECKED(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  return s;
}

inline int failures = 0;
template <class T>
void expect(const char* name, const std::vector<T>& found, const std::vector<double>& wanted,
            double tolerance) {
  double worst = 0;
  for (size_t i = 0; i < wanted.size(); i++) {
    double error = std::fabs(static_cast<double>(found[i]) - wanted[i]) / (1.0 + std::fabs(wanted[i]));
    if (!(error <= worst)) worst = error;
  }
  if (!(worst <= tolerance)) failures++;
  std::printf("%-24s %s  error %.3g\n", name, worst <= tolerance ? "ok" : "FAIL", worst);
}

// Sums over a warp and over a block. `scratch` has a place for each warp.
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
__device__ __forceinline__ float block_sum(float v, float (&scratch)[32]) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
  v = warp_sum(v);
  if (lane == 0) scratch[warp] = v;
#ifndef DEFECT_NO_BARRIER
  __syncthreads();
#endif
  v = lane < warps ? scratch[lane] : 0.0f;
  v = warp_sum(v);
#ifndef DEFECT_NO_BARRIER_BEFORE_REUSE
  __syncthreads();
#endif
  return v;
}
