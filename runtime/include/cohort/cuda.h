// The prelude of emitted device code: scalar operators as in C++, who a thread is, sums of teams, launches.
// Compiled by nvcc, or by clang or g++ as C++ over a header that stands in for cuda_runtime.h.
//
// A team is sixteen neighbouring threads, half a warp: a thread of it is a lane, and holds one of the sixteen
// accumulators of a reduction.
#pragma once
#include <cuda_runtime.h>

#include "accumulator.h"
#include "arithmetic.h"
#include "base.h"
#include "cast.h"
#include "device.h"
#include "fma.h"
#include "half.h"
#include "hardware.h"
#include "math.h"
#include "memory.h"
#include "philox.h"
#include "special.h"
#include "vector.h"

// What a checker is told of the block: these bytes are one buffer (tools/cuda_check defines it).
#ifndef COHORT_MARK_RANGE
#define COHORT_MARK_RANGE(place, bytes, name) ((void)0)
#endif

#define RT_DEVICE static __device__ __forceinline__
// 256 threads a block, one block at least. With the second number ptxas gives a kernel the registers that it
// wants; left to itself it puts some aside into local memory where that lets another block run at the same
// time.
#define RT_DEVICE_KERNEL static __global__ __launch_bounds__(256, 1)

// Before a loop in which lanes add up, one element after the other: several loads are under way at a time.
#if defined(__CUDACC__)
#define RT_UNROLL_LANES _Pragma("unroll 8")
#else
#define RT_UNROLL_LANES
#endif

inline namespace cohort_rt {

constexpr int rt_block_threads = 256;
constexpr int64_t rt_most_blocks = 4096;  // a launch with more to do goes round

// What the compiler has placed at a multiple of sixteen bytes.
template <class T>
RT_DEVICE T* rt_aligned(T* place) {
  return static_cast<T*>(__builtin_assume_aligned(place, 16));
}

RT_DEVICE int64_t rt_thread() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
RT_DEVICE int64_t rt_threads() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }
RT_DEVICE int64_t rt_team() { return rt_thread() / rt_accumulators; }
RT_DEVICE int64_t rt_teams() { return rt_threads() / rt_accumulators; }
RT_DEVICE int64_t rt_block_team() { return threadIdx.x / rt_accumulators; }
RT_DEVICE int64_t rt_block_teams() { return blockDim.x / rt_accumulators; }
RT_DEVICE int64_t rt_lane() { return threadIdx.x % rt_accumulators; }
RT_DEVICE unsigned rt_team_mask() { return 0xffffu << (threadIdx.x & 16u); }
RT_DEVICE void rt_team_barrier() { __syncwarp(rt_team_mask()); }

// The lanes' values of a team, combined by halves as rt_combine does; every lane gets the result.
template <class Op, class T>
static __device__ T rt_team_combine(T value) {
  using Word = rt_if<(sizeof(T) < 4), int, T>;
  const unsigned mask = rt_team_mask();
  for (int half = rt_accumulators / 2; half > 0; half /= 2) {
    const Word other = __shfl_down_sync(mask, static_cast<Word>(value), half, rt_accumulators);
    value = Op::apply(value, static_cast<T>(other));
  }
  return static_cast<T>(__shfl_sync(mask, static_cast<Word>(value), 0, rt_accumulators));
}

// rt_accumulator with one of its lanes in each thread: element j is added by lane j mod 16.
template <class Op, class T>
struct rt_team_accumulator {
  T value;
  __device__ rt_team_accumulator() : value(Op::template identity<T>()) {}
  __device__ void add(int64_t, T element) { value = Op::apply(value, element); }
  __device__ T finish() const { return rt_team_combine<Op>(value); }
};

// *place + value, in one step that no other thread comes between.
RT_DEVICE void rt_atomic_add(float* place, float value) { atomicAdd(place, value); }
RT_DEVICE void rt_atomic_add(double* place, double value) { atomicAdd(place, value); }
RT_DEVICE void rt_atomic_add(int32_t* place, int32_t value) { atomicAdd(place, value); }
RT_DEVICE void rt_atomic_add(uint32_t* place, uint32_t value) { atomicAdd(place, value); }
RT_DEVICE void rt_atomic_add(uint64_t* place, uint64_t value) {
  static_assert(sizeof(unsigned long long) == sizeof(uint64_t));
  atomicAdd(reinterpret_cast<unsigned long long*>(place), value);
}
RT_DEVICE void rt_atomic_add(int64_t* place, int64_t value) {
  rt_atomic_add(reinterpret_cast<uint64_t*>(place), static_cast<uint64_t>(value));
}

// --- Host ---

template <class... P, class... A>
int32_t rt_launch(rt_workspace* header, const char* function, void (*kernel)(P...), int64_t threads,
                  A... args) {
  if (threads <= 0) return COHORT_OK;
  const int64_t blocks = (threads + rt_block_threads - 1) / rt_block_threads;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks < rt_most_blocks ? blocks : rt_most_blocks));
  config.blockDim = dim3(rt_block_threads);
  config.stream = static_cast<cudaStream_t>(header->stream);
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, static_cast<P>(args)...);
  if (error == cudaSuccess) return COHORT_OK;
  return rt_fail(header, COHORT_DEVICE_ERROR, function, nullptr, cudaGetErrorString(error), 0,
                 static_cast<int64_t>(error));
}

// A launch of a kernel that does nothing tells whether this GPU runs what is in the module.
static __global__ void rt_probe() {}

static int32_t rt_cuda_check() {
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  cudaError_t error = cudaLaunchKernelEx(&config, rt_probe);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error != cudaSuccess) cudaGetLastError();  // it is told; nobody else is to find it
  return static_cast<int32_t>(error);
}
static int64_t rt_cuda_architecture() {
  int device = 0, major = 0, minor = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  return 100 * major + 10 * minor;
}
#define RT_TEXT_OF(...) #__VA_ARGS__
#define RT_TEXT(...) RT_TEXT_OF(__VA_ARGS__)
#ifdef __CUDA_ARCH_LIST__
constexpr const char* rt_cuda_architectures = RT_TEXT(__CUDA_ARCH_LIST__);
#else
constexpr const char* rt_cuda_architectures = "unknown to it";
#endif
static int32_t rt_cuda_allocate(void** block, size_t bytes) {
  return static_cast<int32_t>(cudaMalloc(block, bytes));
}
static int32_t rt_cuda_release(void* block) { return static_cast<int32_t>(cudaFree(block)); }
static int32_t rt_cuda_create_stream(void** stream) {
  cudaStream_t created = nullptr;
  const cudaError_t error = cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking);
  *stream = created;
  return static_cast<int32_t>(error);
}
static int32_t rt_cuda_destroy_stream(void* stream) {
  return static_cast<int32_t>(cudaStreamDestroy(static_cast<cudaStream_t>(stream)));
}
static int32_t rt_cuda_clear(void* block, size_t bytes, void* stream) {
  return static_cast<int32_t>(cudaMemsetAsync(block, 0, bytes, static_cast<cudaStream_t>(stream)));
}
static int32_t rt_cuda_copy(void* to, const void* from, size_t bytes, rt_direction direction, void* stream) {
  const cudaMemcpyKind kind = direction == rt_to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  return static_cast<int32_t>(cudaMemcpyAsync(to, from, bytes, kind, static_cast<cudaStream_t>(stream)));
}
static int32_t rt_cuda_wait(void* stream) {
  return static_cast<int32_t>(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
}
static bool rt_cuda_is_captured(void* stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status);
  return error == cudaSuccess && status != cudaStreamCaptureStatusNone;
}
static int32_t rt_cuda_begin_capture(void* stream) {
  return static_cast<int32_t>(
      cudaStreamBeginCapture(static_cast<cudaStream_t>(stream), cudaStreamCaptureModeThreadLocal));
}
static int32_t rt_cuda_end_capture(void* stream, void** graph) {
  cudaGraph_t captured = nullptr;
  cudaError_t error = cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &captured);
  cudaGraphExec_t made = nullptr;
  if (error == cudaSuccess && graph) error = cudaGraphInstantiate(&made, captured, 0);
  if (captured) {
    const cudaError_t destroyed = cudaGraphDestroy(captured);
    if (error == cudaSuccess) error = destroyed;
  }
  if (graph) *graph = made;
  return static_cast<int32_t>(error);
}
static int32_t rt_cuda_launch(void* graph, void* stream) {
  return static_cast<int32_t>(
      cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), static_cast<cudaStream_t>(stream)));
}
static int32_t rt_cuda_destroy_graph(void* graph) {
  return static_cast<int32_t>(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)));
}
static const char* rt_cuda_describe(int32_t error) {
  return cudaGetErrorString(static_cast<cudaError_t>(error));
}

}  // namespace cohort_rt

// The one definition of what the module's host code calls the GPU by; last, perhaps, a library's calls.
#define RT_DEVICE_CALLS(name, mark, checks, ...)                            \
  extern "C" RT_HIDDEN const cohort_rt::rt_device_calls name;               \
  const cohort_rt::rt_device_calls name = {rt_cuda_check,                   \
                                           rt_cuda_architecture,            \
                                           rt_cuda_architectures,           \
                                           cudaErrorNoKernelImageForDevice, \
                                           rt_cuda_allocate,                \
                                           rt_cuda_release,                 \
                                           rt_cuda_create_stream,           \
                                           rt_cuda_destroy_stream,          \
                                           rt_cuda_clear,                   \
                                           rt_cuda_copy,                    \
                                           rt_cuda_wait,                    \
                                           rt_cuda_describe,                \
                                           mark,                            \
                                           rt_cuda_is_captured,             \
                                           rt_cuda_begin_capture,           \
                                           rt_cuda_end_capture,             \
                                           rt_cuda_launch,                  \
                                           rt_cuda_destroy_graph,           \
                                           checks,                          \
                                           __VA_ARGS__}
