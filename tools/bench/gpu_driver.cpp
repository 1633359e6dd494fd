// The driver of tools/gpu_check: the functions of gpu.txt on a GPU, their state resident, beside what the
// device reaches at copies and at cuBLAS's products, which it looks for when it runs. Compiled with -DON_CPU
// it runs the module for the CPU, for its results. The extents come from the command line, as those of the
// graph do.
//
//   driver FILE calls      saves the state after that many calls of each function
//   driver --time          prints a row for each function
//
// All but `crossing` have their arrays on the device; its own come from and go to the host's pinned memory.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "gpu.h"
#ifndef ON_CPU
#include <cuda_runtime.h>
#include <dlfcn.h>
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

struct Arrays {
  float *x, *y, *p, *q;
};
template <auto call>
int32_t crossing(void* workspace, const void* given) {
  const Arrays& arrays = *static_cast<const Arrays*>(given);
  gpu_crossing_args args = {};
  args.struct_size = sizeof args;
  args.x = arrays.x, args.y = arrays.y, args.p = arrays.p, args.q = arrays.q;
  args.x_bytes = args.y_bytes = args.p_bytes = args.q_bytes = sizeof(float) * GPU_ROWS * GPU_COLUMNS;
  return call(workspace, &args);
}

#ifdef ON_CPU
#define CALL(name) gpu_##name
#else
#define CALL(name) gpu_##name##_async
#endif
#define FUNCTION(name) plain<CALL(name), gpu_##name##_args>

constexpr size_t kElements = GPU_CHAIN, kTable = size_t{GPU_ROWS} * GPU_COLUMNS;
constexpr size_t kSquare = size_t{GPU_MATRIX} * GPU_MATRIX, kWeights = size_t{GPU_UNITS} * GPU_UNITS;
constexpr size_t kHidden = size_t{GPU_BATCH} * GPU_UNITS;
constexpr double kChain = 4.0 * kElements, kRows = 4.0 * kTable, kMatrix = 4.0 * kSquare;
const Function kFunctions[] = {
    {"chain", FUNCTION(chain), 2 * kChain, 0},
    {"sums", FUNCTION(sums), kRows, 0},
    {"softmax", FUNCTION(softmax), 2 * kRows, 0},
    {"product", FUNCTION(product), 3 * kMatrix, 2.0 * kSquare* GPU_MATRIX},
    {"step", FUNCTION(step), (kWeights + 2.0 * kHidden) * 4, 2.0 * kHidden* GPU_UNITS},
    {"crossing", crossing<CALL(crossing)>, 0, 0},
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
void random_values(float* values, size_t count, float scale) {
  unsigned state = 1;
  for (size_t k = 0; k < count; ++k) {
    state = state * 1664525u + 1013904223u;
    values[k] = scale * (static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
  }
}
void fill(void* workspace, const char* name, size_t count, float scale) {
  std::vector<float> values(count);
  random_values(values.data(), count, scale);
  if (gpu_set(workspace, name, values.data(), count * sizeof(float)) != COHORT_OK) fail(name);
}

void fill_all(void* workspace) {
  fill(workspace, "x", kElements, 1.0f);
  fill(workspace, "rows", kTable, 3.0f);
  fill(workspace, "left", kSquare, 0.1f);
  fill(workspace, "right", kSquare, 0.1f);
  fill(workspace, "weights", kWeights, 0.1f);
  fill(workspace, "hidden", kHidden, 1.0f);
}

float* host_array() {
  void* memory = nullptr;
#ifdef ON_CPU
  memory = std::malloc(sizeof(float) * kTable);
#else
  if (cudaMallocHost(&memory, sizeof(float) * kTable) != cudaSuccess) memory = nullptr;
#endif
  if (!memory) fail("no memory for arrays of the host");
  return static_cast<float*>(memory);
}
Arrays host_arrays() {
  const Arrays arrays = {host_array(), host_array(), host_array(), host_array()};
  random_values(arrays.x, kTable, 3.0f);
  random_values(arrays.y, kTable, 1.0f);
  return arrays;
}
// What `crossing` gives, as a file behind that of the state.
void save_outputs(const char* path, const Arrays& arrays) {
  std::FILE* file = std::fopen(path, "wb");
  if (!file) fail("the outputs are not saved");
  for (const float* values : {arrays.p, arrays.q})
    if (std::fwrite(values, sizeof(float), kTable, file) != kTable) fail("the outputs are not saved");
  std::fclose(file);
}

#ifndef ON_CPU
// A quarter of a second; of small arrays, which are for trying the program out, little.
constexpr double kEnough = kElements > 100000 ? 0.25 : 0.002;
// Seconds of one call, from as many as take so long.
double seconds_of(const std::function<void()>& call, const std::function<void()>& wait) {
  call();
  wait();
  for (int calls = 1;; calls *= 2) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    wait();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds > kEnough || calls >= 1 << 20) return seconds / calls;
  }
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "gpu_driver: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// Bytes a second, read and written ones.
double copy_rate(cudaStream_t stream) {
  const size_t bytes = 8 * size_t{GPU_CHAIN};
  void *from, *to;
  check(cudaMalloc(&from, bytes), "memory for copies");
  check(cudaMalloc(&to, bytes), "memory for copies");
  check(cudaMemsetAsync(from, 0, bytes, stream), "memory for copies");
  const double seconds =
      seconds_of([&] { check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "a copy"); },
                 [&] { check(cudaStreamSynchronize(stream), "a copy"); });
  check(cudaFree(from), "memory for copies");
  check(cudaFree(to), "memory for copies");
  return 2.0 * static_cast<double>(bytes) / seconds;
}

// cuBLAS by name, so that a program that was built elsewhere needs none.
struct Blas {
  int (*create)(void**) = nullptr;
  int (*set_stream)(void*, cudaStream_t) = nullptr;
  int (*sgemm)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int,
               const float*, float*, int) = nullptr;
};
bool load(Blas& blas) {
  void* library = nullptr;
  for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
    if (!library) library = dlopen(name, RTLD_NOW);
  if (!library) return false;
  blas.create = reinterpret_cast<decltype(blas.create)>(dlsym(library, "cublasCreate_v2"));
  blas.set_stream = reinterpret_cast<decltype(blas.set_stream)>(dlsym(library, "cublasSetStream_v2"));
  blas.sgemm = reinterpret_cast<decltype(blas.sgemm)>(dlsym(library, "cublasSgemm_v2"));
  return blas.create && blas.set_stream && blas.sgemm;
}

// Operations a second of cuBLAS's product of f32 matrices, without tensor cores; 0 without cuBLAS.
double matrix_rate(cudaStream_t stream) {
  Blas blas;
  void* handle = nullptr;
  if (!load(blas) || blas.create(&handle) != 0 || blas.set_stream(handle, stream) != 0) return 0;
  const int n = GPU_MATRIX;
  void *a, *b, *c;
  for (void** p : {&a, &b, &c}) check(cudaMalloc(p, 4 * kSquare), "memory for a product");
  for (void* p : {a, b}) check(cudaMemsetAsync(p, 0, 4 * kSquare, stream), "memory for a product");
  const float one = 1, zero = 0;
  const double seconds = seconds_of(
      [&] {
        if (blas.sgemm(handle, 0, 0, n, n, n, &one, static_cast<float*>(a), n, static_cast<float*>(b), n,
                       &zero, static_cast<float*>(c), n) != 0)
          fail("cuBLAS");
      },
      [&] { check(cudaStreamSynchronize(stream), "a product"); });
  for (void* p : {a, b, c}) check(cudaFree(p), "memory for a product");
  return 2.0 * n * n * n / seconds;
}

void time_all(void* workspace, const Arrays& arrays, cudaStream_t stream) {
  const double copies = copy_rate(stream), products = matrix_rate(stream);
  std::printf("copy %.0f GB/s, product of matrices %.1f Tflop/s\n", copies / 1e9, products / 1e12);
  for (const Function& f : kFunctions) {
    const double seconds = seconds_of(
        [&] {
          if (f.call(workspace, &arrays) != COHORT_OK) fail(f.name);
        },
        [&] {
          if (gpu_wait(workspace) != COHORT_OK) fail(f.name);
        });
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
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
  if (gpu_attach(workspace, nullptr, 0, stream) != COHORT_OK) {
    char text[400] = "";
    gpu_error_text(workspace, text, sizeof text);
    fail(text);
  }
#endif
  const Arrays arrays = host_arrays();
#ifndef ON_CPU
  if (argc == 2 && std::strcmp(argv[1], "--time") == 0) {
    time_all(workspace, arrays, stream);
    gpu_detach(workspace);
    check(cudaStreamDestroy(stream), "the stream");
    std::free(workspace);
    return 0;
  }
#endif
  if (argc != 3) fail("usage: driver FILE calls, or driver --time");
  for (int i = 0; i < std::atoi(argv[2]); ++i)
    for (const Function& f : kFunctions)
      if (f.call(workspace, &arrays) != COHORT_OK) fail(f.name);
  if (gpu_save(workspace, argv[1]) != COHORT_OK) fail("the state is not saved");
#ifndef ON_CPU
  if (gpu_detach(workspace) != COHORT_OK) fail("the module does not detach from the GPU");  // and waits
  check(cudaStreamDestroy(stream), "the stream");
#endif
  save_outputs((std::string(argv[1]) + ".outputs").c_str(), arrays);
  std::free(workspace);
}
