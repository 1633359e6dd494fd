#include "codegen/clang/headers.h"

namespace cohort {

namespace {

// What emitted host code and the runtime's headers take of the C library.
constexpr const char* kString = R"(#pragma once
#include <stddef.h>
extern "C" {
void* memcpy(void*, const void*, size_t) noexcept; void* memmove(void*, const void*, size_t) noexcept;
const void* memchr(const void*, int, size_t) noexcept;
void* memset(void*, int, size_t) noexcept; int memcmp(const void*, const void*, size_t) noexcept;
size_t strlen(const char*) noexcept; int strcmp(const char*, const char*) noexcept;
int strncmp(const char*, const char*, size_t) noexcept; const char* strchr(const char*, int) noexcept;
char* strerror(int) noexcept;
}
)";
constexpr const char* kStdio = R"(#pragma once
#include <stddef.h>
struct FILE;
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define EOF (-1)
extern "C" {
extern FILE* stderr;
FILE* fopen(const char*, const char*); int fclose(FILE*); size_t fread(void*, size_t, size_t, FILE*);
size_t fwrite(const void*, size_t, size_t, FILE*); int fseek(FILE*, long, int); long ftell(FILE*);
int fflush(FILE*); int fileno(FILE*); int ferror(FILE*); int fputc(int, FILE*); int fgetc(FILE*);
int getc(FILE*); int ungetc(int, FILE*); int rename(const char*, const char*); int remove(const char*);
int snprintf(char*, size_t, const char*, ...); int fprintf(FILE*, const char*, ...);
int fputs(const char*, FILE*); int fseeko(FILE*, long, int); long ftello(FILE*); int feof(FILE*);
}
)";
constexpr const char* kStdlib = R"(#pragma once
#include <stddef.h>
extern "C" {
void* malloc(size_t); void* calloc(size_t, size_t); void* realloc(void*, size_t); void free(void*);
void abort(); char* getenv(const char*); void qsort(void*, size_t, size_t, int (*)(const void*, const void*));
unsigned long strtoul(const char*, char**, int); unsigned long long strtoull(const char*, char**, int);
void* bsearch(const void*, const void*, size_t, size_t, int (*)(const void*, const void*));
}
)";
constexpr const char* kErrno = R"(#pragma once
extern "C" int* __errno_location();
#define errno (*__errno_location())
#define ENOENT 2
#define EIO 5
#define ENOMEM 12
#define EINVAL 22
#define ENOSPC 28
)";
constexpr const char* kTime = R"(#pragma once
struct timespec { long tv_sec; long tv_nsec; };
#define CLOCK_MONOTONIC 1
extern "C" int clock_gettime(int, timespec*);
)";
constexpr const char* kUnistd = R"(#pragma once
extern "C" { int fsync(int); int unlink(const char*); int getpid(); }
)";
constexpr const char* kNew = R"(#pragma once
#include <stddef.h>
inline void* operator new(size_t, void* place) noexcept { return place; }
)";
constexpr const char* kUtility = R"(#pragma once
namespace std {
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T> constexpr typename remove_reference<T>::type&& move(T&& x) noexcept {
  return static_cast<typename remove_reference<T>::type&&>(x);
}
template <class T> constexpr T&& forward(typename remove_reference<T>::type& x) noexcept {
  return static_cast<T&&>(x);
}
}
)";
constexpr const char* kOmp = R"(#pragma once
extern "C" {
int omp_get_max_threads(); int omp_in_parallel(); int omp_get_num_threads(); int omp_get_thread_num();
}
)";

// What emitted device code takes of the CUDA toolkit; the language itself clang knows.
constexpr const char* kCudaRuntime = R"(#pragma once
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  constexpr __host__ __device__ dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ uint3 blockDim, gridDim;
__device__ void __syncthreads();
__device__ void __syncwarp(unsigned mask = 0xffffffffu);
__device__ int __syncthreads_or(int);
__device__ void __threadfence();
template <class T> __device__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <class T> __device__ T __shfl_sync(unsigned mask, T value, int lane, int width = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32);
template <class T> __device__ T atomicMin(T*, T);
template <class T> __device__ T atomicMax(T*, T);
template <class T, class V> __device__ T atomicAdd(T*, V);
template <class T> __device__ T atomicExch(T*, T);
template <class T> __device__ T atomicCAS(T*, T, T);
enum cudaError_t { cudaSuccess = 0, cudaErrorNoKernelImageForDevice = 209 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
struct CUstream_st;
typedef CUstream_st* cudaStream_t;
#define cudaStreamNonBlocking 1
typedef struct CUevent_st* cudaEvent_t;
#define cudaEventDisableTiming 2
enum cudaDeviceAttr { cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor = 76 };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal };
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
struct cudaLaunchConfig_t { dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream; };
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t*, void (*)(P...), A&&...);
extern "C" {
cudaError_t cudaDeviceSynchronize(); cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t);
cudaError_t cudaMalloc(void**, size_t); cudaError_t cudaFree(void*);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned); cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaGetDeviceCount(int*); cudaError_t cudaGetDevice(int*);
cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned); cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus*);
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphDestroy(cudaGraph_t); cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
}
)";

constexpr const char* kCublas = R"(#pragma once
#include <cuda_runtime.h>
typedef struct cublasContext* cublasHandle_t;
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH, CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR
};
extern "C" {
cublasStatus_t cublasCreate(cublasHandle_t*); cublasStatus_t cublasDestroy(cublasHandle_t);
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t);
cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, size_t);
#define RT_GEMM(name, type) \
  cublasStatus_t name(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const type*, \
                      const type*, int, const type*, int, const type*, type*, int);
RT_GEMM(cublasSgemm, float)
RT_GEMM(cublasDgemm, double)
#undef RT_GEMM
#define RT_GEMM(name, type) \
  cublasStatus_t name(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const type*, \
                      const type*, int, long long, const type*, int, long long, const type*, type*, int, \
                      long long, int);
RT_GEMM(cublasSgemmStridedBatched, float)
RT_GEMM(cublasDgemmStridedBatched, double)
#undef RT_GEMM
}
)";

}  // namespace

std::vector<std::pair<std::string, std::string>> code_headers() {
  std::vector<std::pair<std::string, std::string>> headers = private_headers();
  for (const auto& [name, text] : {std::pair{"string.h", kString},
                                   {"stdio.h", kStdio},
                                   {"stdlib.h", kStdlib},
                                   {"errno.h", kErrno},
                                   {"time.h", kTime},
                                   {"unistd.h", kUnistd},
                                   {"new", kNew},
                                   {"utility", kUtility},
                                   {"omp.h", kOmp},
                                   {"cuda_runtime.h", kCudaRuntime},
                                   {"cublas_v2.h", kCublas}})
    headers.emplace_back(name, text);
  return headers;
}

}  // namespace cohort
