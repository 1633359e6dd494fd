// Launches, and what the program asks about the device.
#include <unordered_map>

#include "arguments.h"
#include "block.h"
#include "launch.h"
#include "report.h"
#include "settings.h"
#include "shared_memory.h"
#include "stream.h"

namespace cuda_check {
namespace {

std::unordered_map<const void*, int>& allowed_shared_bytes() {
  static auto& m = *new std::unordered_map<const void*, int>;
  return m;
}

// Names of kernels by address; they live as long as the program.
const char* name_of(const void* kernel) {
  static auto& names = *new std::unordered_map<const void*, std::string>;
  auto found = names.find(kernel);
  if (found != names.end()) return found->second.c_str();
  std::string s = symbol(static_cast<char*>(const_cast<void*>(kernel)) + 1);
  return names.emplace(kernel, s.substr(0, s.find_first_of("(<"))).first->second.c_str();
}

}  // namespace

cudaError_t check_launch(const void* kernel, dim3 grid, dim3 block, size_t shared_bytes) {
  ++called().launches;
  if (settings().no_code) return fail(cudaErrorNoKernelImageForDevice);
  uint64_t threads = uint64_t{block.x} * block.y * block.z;
  bool valid = grid.x && grid.y && grid.z && threads && threads <= kMostThreads && block.z <= 64 &&
               grid.x <= 0x7fffffffu && grid.y <= 65535 && grid.z <= 65535;
  if (!valid) return fail(cudaErrorInvalidConfiguration);
  auto allowed = allowed_shared_bytes().find(kernel);
  size_t most = allowed == allowed_shared_bytes().end() ? kSharedBytesWithoutOptIn
                                                        : static_cast<size_t>(allowed->second);
  return shared_bytes > most ? fail(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t launch(const Kernel& kernel, cudaStream_t stream) {
  return enqueue(stream_of(stream), {kernel.name,
                                     [kernel] {
                                       open_ranges(kernel.arguments, kernel.argument_bytes);
                                       run_grid(kernel);
                                     },
                                     {}});
}

}  // namespace cuda_check

using namespace cuda_check;

extern "C" {
void* cuda_check_arguments(size_t bytes) { return new_arguments(bytes); }

cudaError_t cuda_check_launch(const void* kernel, void (*thunk)(const void*), void* arguments, size_t bytes,
                              dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  if (cudaError_t e = check_launch(kernel, grid, block, shared_bytes)) return e;
  return launch({name_of(kernel), thunk, arguments, bytes, grid, block, shared_bytes}, stream);
}

cudaError_t cuda_check_allow_shared_bytes(const void* kernel, int bytes) {
  if (bytes < 0 || static_cast<size_t>(bytes) > kMostSharedBytes) return fail(cudaErrorInvalidValue);
  allowed_shared_bytes()[kernel] = bytes;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice); }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

// As of an H100, but for few multiprocessors, so that grids sized by them stay small enough to interpret.
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = static_cast<int>(kMostThreads);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(kSharedBytesWithoutOptIn);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(kMostSharedBytes);
      break;
    case cudaDevAttrWarpSize:
      *value = static_cast<int>(kLanes);
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = 4;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = 0;
      break;
    default:
      return fail(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define NAME(e) \
  case e:       \
    return #e;
    NAME(cudaSuccess)
    NAME(cudaErrorInvalidValue)
    NAME(cudaErrorMemoryAllocation)
    NAME(cudaErrorInvalidConfiguration)
    NAME(cudaErrorInvalidDevice)
    NAME(cudaErrorInvalidResourceHandle)
    NAME(cudaErrorNotReady)
    NAME(cudaErrorStreamCaptureUnsupported)
    NAME(cudaErrorStreamCaptureInvalidated)
    NAME(cudaErrorStreamCaptureMerge)
    NAME(cudaErrorStreamCaptureUnjoined)
    NAME(cudaErrorStreamCaptureIsolation)
    NAME(cudaErrorCapturedEvent)
#undef NAME
    default:
      return "cudaErrorUnknown";
  }
}
const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }
}
