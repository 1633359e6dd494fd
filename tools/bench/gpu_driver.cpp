// The driver of tools/gpu_check: the functions of gpu.txt on a GPU, their state resident, beside what the
// device reaches at copies and at cuBLAS's products. Compiled with -DON_CPU it runs the module for the CPU,
// for its results.
//
//   driver FILE calls      saves the state after that many calls of each function
//   driver --time          prints a row for each function
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "gpu.h"
#ifndef ON_CPU
#include <cuda_runtime.h>
#endif
#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif

namespace {

struct Function {
  const char* name;
  int32_t (*call)(void*, const void*);
  double bytes, operations;  // that it cannot do with less of
};

template <auto call, class Args>
int32_t plain(void* workspace, const void*) {
  const Args args{sizeof(Args)};
  return call(workspace, &args);
}

#ifdef ON_CPU
#define FUNCTION(name) plain<gpu_##name, gpu_##name##_args>
#else
#define FUNCTION(name) plain<gpu_##name##_async, gpu_##name##_args>
#endif

constexpr double kChain = 33554432.0 * 4, kRows = 8192.0 * 4096 * 4, kMatrix = 4096.0 * 4096 * 4;
const Function kFunctions[] = {
    {"chain", FUNCTION(chain), 2 * kChain, 0},
    {"sums", FUNCTION(sums), kRows, 0},
    {"softmax", FUNCTION(softmax), 2 * kRows, 0},
    {"product", FUNCTION(product), 3 * kMatrix, 2 * 4096.0 * 4096 * 4096},
    {"step", FUNCTION(step), (512.0 * 512 + 2 * 64 * 512) * 4, 2 * 64.0 * 512 * 512},
};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "gpu_driver: %s\n", what);
  std::exit(1);
}

void* make_workspace() {
  void* workspace = std::aligned_alloc(GPU_WORKSPACE_ALIGN, (GPU_WORKSPACE_SIZE + 255) / 256 * 256);
  if (!workspace || gpu_init(workspace, GPU_WORKSPACE_SIZE) != COHORT_OK) fail("no workspace");
  return workspace;
}

// Values in [-scale, scale], the same in every program.
void fill(void* workspace, const char* name, size_t count, float scale) {
  std::vector<float> values(count);
  unsigned state = 1;
  for (float& v : values) {
    state = state * 1664525u + 1013904223u;
    v = scale * (static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
  }
  if (gpu_set(workspace, name, values.data(), count * sizeof(float)) != COHORT_OK) fail(name);
}

void fill_all(void* workspace) {
  fill(workspace, "x", 33554432, 1.0f);
  fill(workspace, "rows", size_t{8192} * 4096, 3.0f);
  fill(workspace, "left", size_t{4096} * 4096, 0.1f);
  fill(workspace, "right", size_t{4096} * 4096, 0.1f);
  fill(workspace, "weights", 512 * 512, 0.1f);
  fill(workspace, "hidden", 64 * 512, 1.0f);
}

#ifndef ON_CPU
// Seconds of one call, from as many as take a quarter of a second.
double seconds_of(const std::function<void()>& call, const std::function<void()>& wait) {
  call();
  wait();
  for (int calls = 1;; calls *= 2) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    wait();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds > 0.25 || calls >= 1 << 20) return seconds / calls;
  }
}

double copy_rate(cudaStream_t stream) {
  const size_t bytes = size_t{1} << 28;
  void *from, *to;
  if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess)
    fail("no memory on the GPU");
  const double seconds =
      seconds_of([&] { cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream); },
                 [&] { cudaStreamSynchronize(stream); });
  cudaFree(from);
  cudaFree(to);
  return 2.0 * static_cast<double>(bytes) / seconds;
}

// Operations a second of cuBLAS's product of f32 matrices, without tensor cores; 0 without cuBLAS.
double matrix_rate(cudaStream_t stream) {
#ifdef WITH_CUBLAS
  const int n = 4096;
  float *a, *b, *c;
  for (float** p : {&a, &b, &c})
    if (cudaMalloc(p, size_t{4} * n * n) != cudaSuccess) fail("no memory on the GPU");
  cudaMemset(a, 0, size_t{4} * n * n);
  cudaMemset(b, 0, size_t{4} * n * n);
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) fail("cublasCreate");
  cublasSetStream(handle, stream);
  const float one = 1, zero = 0;
  const double seconds = seconds_of(
      [&] { cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n); },
      [&] { cudaStreamSynchronize(stream); });
  cublasDestroy(handle);
  for (float* p : {a, b, c}) cudaFree(p);
  return 2.0 * n * n * n / seconds;
#else
  (void)stream;
  return 0;
#endif
}

void time_all(void* workspace, cudaStream_t stream) {
  const double copies = copy_rate(stream), products = matrix_rate(stream);
  std::printf("copy %.0f GB/s, product of matrices %.1f Tflop/s\n", copies / 1e9, products / 1e12);
  for (const Function& f : kFunctions) {
    const double seconds = seconds_of(
        [&] {
          if (f.call(workspace, nullptr) != COHORT_OK) fail(f.name);
        },
        [&] { gpu_wait(workspace); });
    std::printf("%s %.3f %.3f %.3f\n", f.name, seconds * 1e6, f.bytes / seconds / copies,
                products > 0 ? f.operations / seconds / products : 0.0);
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  void* workspace = make_workspace();
  fill_all(workspace);
#ifndef ON_CPU
  cudaStream_t stream;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) fail("no stream");
  if (gpu_attach(workspace, nullptr, 0, stream) != COHORT_OK) fail("the module does not attach to the GPU");
  if (argc == 2 && std::strcmp(argv[1], "--time") == 0) {
    time_all(workspace, stream);
    return 0;
  }
#endif
  if (argc != 3) fail("usage: driver FILE calls, or driver --time");
  for (int i = 0; i < std::atoi(argv[2]); ++i)
    for (const Function& f : kFunctions)
      if (f.call(workspace, nullptr) != COHORT_OK) fail(f.name);
  if (gpu_save(workspace, argv[1]) != COHORT_OK) fail("the state is not saved");
#ifndef ON_CPU
  gpu_detach(workspace);
#endif
  std::free(workspace);
}
