// What `cohort calibrate` measures of a GPU: prints lines of a name of compiler/device/constants.def and its
// value. Exit code 3: there is no GPU, and the reason is all that is printed.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(3);
}

// The median nanoseconds of `body`, which waits for what it starts.
template <class Body>
double time_of(const Body& body) {
  constexpr int kRounds = 15;
  body();
  std::vector<double> times;
  for (int r = 0; r < kRounds; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    times.push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  return times[kRounds / 2];
}

__global__ void nothing() {}

template <class T>
__global__ void copy(const T* in, T* out, long count) {
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long>(blockDim.x))
    out[i] = in[i];
}

// Four independent chains of `count` fused multiply-adds in each thread.
template <class T>
__global__ void arithmetic(T* out, int count, T factor) {
  T a = factor, b = factor + 1, c = factor + 2, d = factor + 3;
  for (int i = 0; i < count; ++i) {
    a = a * factor + b;
    b = b * factor + c;
    c = c * factor + d;
    d = d * factor + a;
  }
  if (a + b + c + d == T(12345)) *out = a;
}

template <class T>
__global__ void functions(T* out, int count, T start) {
  T a = start, b = start + T(0.25);
  for (int i = 0; i < count; ++i) {
    a = exp(a * T(-0.5));
    b = tanh(b + T(0.5));
  }
  if (a + b == T(12345)) *out = a;
}

__global__ void chain(double* out, int count, double factor) {
  double a = factor;
  for (int i = 0; i < count; ++i) a = a * factor + 1;
  *out = a;
}

__global__ void chase(const int* next, int count, int* out) {
  int at = 0;
  for (int i = 0; i < count; ++i) at = next[at];
  *out = at;
}

__global__ void barriers(int count) {
  for (int i = 0; i < count; ++i) __syncthreads();
}

// C = A B of n x n in tiles, as a product without a library is.
template <class T>
__global__ void product(const T* a, const T* b, T* c, int n) {
  constexpr int kTile = 64, kDepth = 16, kEach = 4;
  __shared__ T left[kDepth][kTile], right[kDepth][kTile];
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  T sum[kEach][kEach] = {};
  for (int k = 0; k < n; k += kDepth) {
    for (int e = threadIdx.x; e < kTile * kDepth; e += 256) {
      left[e % kDepth][e / kDepth] = a[(row + e / kDepth) * static_cast<long>(n) + k + e % kDepth];
      right[e / kTile][e % kTile] = b[(k + e / kTile) * static_cast<long>(n) + column + e % kTile];
    }
    __syncthreads();
    for (int d = 0; d < kDepth; ++d)
      for (int i = 0; i < kEach; ++i)
        for (int j = 0; j < kEach; ++j) sum[i][j] += left[d][ty * kEach + i] * right[d][tx * kEach + j];
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i)
    for (int j = 0; j < kEach; ++j)
      c[(row + ty * kEach + i) * static_cast<long>(n) + column + tx * kEach + j] = sum[i][j];
}

void wait() {
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
}

void report(const char* name, double value) { std::printf("%s %.6g\n", name, value); }

template <class T>
double instructions_per_ns(int blocks, void* memory) {
  constexpr int kCount = 4096;
  const double time = time_of([&] {
    arithmetic<T><<<blocks, 256>>>(static_cast<T*>(memory), kCount, T(0.5));
    wait();
  });
  return 4.0 * kCount * blocks * 256 / time;
}

template <class T>
double product_flops_per_ns(void* memory) {
  constexpr long n = 4096;
  T* const a = static_cast<T*>(memory);
  const double time = time_of([&] {
    product<T><<<dim3(n / 64, n / 64), 256>>>(a, a + n * n, a + 2 * n * n, n);
    wait();
  });
  return 2.0 * n * n * n / time;
}

}  // namespace

int main() {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  std::printf("name %s\n", gpu.name);
  constexpr long kBytes = 1L << 30;
  void* memory = nullptr;
  check(cudaMalloc(&memory, kBytes));
  check(cudaMemset(memory, 0, kBytes));
  const int blocks = gpu.multiProcessorCount * (gpu.maxThreadsPerMultiProcessor / 256);
  report("threads", static_cast<double>(blocks) * 256);

  constexpr int kLaunches = 1000;
  report("launch_ns", time_of([] {
                        for (int i = 0; i < kLaunches; ++i) nothing<<<1, 32>>>();
                        wait();
                      }) / kLaunches);
  constexpr int kChain = 1 << 16;
  report("instruction_ns", time_of([&] {
                             chain<<<1, 1>>>(static_cast<double*>(memory), kChain, 0.5);
                             wait();
                           }) / kChain);
  // Loads far apart, so that each comes from memory or the second-level cache.
  constexpr int kNodes = 1 << 14, kApart = 1 << 10;
  std::vector<int> next(static_cast<std::size_t>(kNodes) * kApart, 0);
  for (long i = 0; i < kNodes; ++i)
    next[static_cast<std::size_t>(i * kApart)] = static_cast<int>((i * 5 + 1) % kNodes * kApart);
  check(cudaMemcpy(memory, next.data(), next.size() * sizeof(int), cudaMemcpyHostToDevice));
  report("access_ns", time_of([&] {
                        chase<<<1, 1>>>(static_cast<int*>(memory), kNodes, static_cast<int*>(memory) + 1);
                        wait();
                      }) / kNodes);
  constexpr int kBarriers = 100000;
  report("barrier_ns", time_of([] {
                         barriers<<<1, 1024>>>(kBarriers);
                         wait();
                       }) / kBarriers);
  const double f32 = instructions_per_ns<float>(blocks, memory),
               f64 = instructions_per_ns<double>(blocks, memory);
  constexpr int kFunctions = 1024;
  const double functions_f32 = time_of([&] {
    functions<float><<<blocks, 256>>>(static_cast<float*>(memory), kFunctions, 0.5F);
    wait();
  });
  report("function_instructions", functions_f32 / (2.0 * kFunctions * blocks * 256) * f32);
  report("f32_instructions_per_ns", f32);
  report("f64_instructions_per_ns", f64);
  report("memory_bytes_per_ns", kBytes / time_of([&] {
                                  const long half = kBytes / 32;
                                  copy<<<blocks, 256>>>(static_cast<double2*>(memory),
                                                        static_cast<double2*>(memory) + half, half);
                                  wait();
                                }));
  report("f32_product_flops_per_ns", product_flops_per_ns<float>(memory));
  report("f64_product_flops_per_ns", product_flops_per_ns<double>(memory));

  std::vector<char> host(1 << 26, 1);
  report("link_ns", time_of([&] { check(cudaMemcpy(memory, host.data(), 64, cudaMemcpyHostToDevice)); }));
  report("link_bytes_per_ns", static_cast<double>(host.size()) / time_of([&] {
                                check(cudaMemcpy(memory, host.data(), host.size(), cudaMemcpyHostToDevice));
                              }));
  return 0;
}
