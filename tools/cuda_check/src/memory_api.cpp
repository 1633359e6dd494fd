// Allocations, copies and fills.
#include <sys/mman.h>

#include <cstring>
#include <map>

#include "access.h"
#include "arguments.h"
#include "memory.h"
#include "report.h"
#include "stream.h"

namespace cuda_check {
namespace {

std::map<uintptr_t, size_t>& pinned() {
  static auto& p = *new std::map<uintptr_t, size_t>;
  return p;
}

bool is_pinned(const void* p, size_t bytes) {
  uintptr_t a = reinterpret_cast<uintptr_t>(p);
  auto after = pinned().upper_bound(a);
  if (after == pinned().begin()) return false;
  --after;
  return a + bytes <= after->first + after->second;
}

uint64_t hash(const void* p, size_t bytes) {
  uint64_t h = 1469598103934665603ull;
  for (size_t i = 0; i < bytes; i++) h = (h ^ static_cast<const unsigned char*>(p)[i]) * 1099511628211ull;
  return h;
}

struct Copy {
  void* to;
  const void* from;
  size_t bytes;
  bool to_device, from_device;
  const char* name() const {
    return to_device ? (from_device ? "copy on the device" : "copy to the device")
                     : (from_device ? "copy to the host" : "copy on the host");
  }
};

void carry_out(const Copy& c, uint64_t hash_then) {
  bool possible = true;
  if (c.to_device) possible &= operation_access(c.to, c.bytes, Use::kWrite, c.name());
  if (c.from_device) possible &= operation_access(c.from, c.bytes, Use::kRead, c.name());
  if (!possible) return;
  if (hash_then && hash(c.from, c.bytes) != hash_then) {
    report(Check::kHostRace, {}, "the host wrote the source of a copy of %zu bytes before it had run",
           c.bytes);
  }
  std::memcpy(c.to, c.from, c.bytes);
}

// The host must not find the result of a download before it has waited. Pending operations still get the
// bytes as they are: for them the destination is filled in the stream's order.
void hide_destination(const Copy& c, const HostBytes& used, CUstream_st& stream) {
  auto fill = [c] { std::memset(c.to, 0xff, c.bytes); };
  if (!uses_host(used.begin, c.bytes, false)) return fill();
  enqueue(stream, {"before a copy to the host", fill, used});
}

cudaError_t enqueue_copy(const Copy& c, CUstream_st& stream, bool asynchronous) {
  const void* host = c.to_device ? c.from : c.to;
  bool both = c.to_device == c.from_device;
  // Copies from and to pageable memory return when they are done; the others run when the stream comes to
  // them.
  bool deferred = asynchronous && (both || is_pinned(host, c.bytes));
  if (stream.capture && !deferred && !both) {
    report(Check::kCapture, {}, "%s with pageable host memory inside a capture", c.name());
  }
  uint64_t hash_now = 0;
  HostBytes used;
  if (deferred && !both) {
    uintptr_t begin = reinterpret_cast<uintptr_t>(host);
    used = {begin, begin + c.bytes, !c.to_device};
    // What an operation before writes there is not yet what this one will find.
    if (!stream.capture && c.to_device && !uses_host(begin, c.bytes, true)) hash_now = hash(host, c.bytes);
    if (!stream.capture && !c.to_device) hide_destination(c, used, stream);
  }
  bool captured = stream.capture != nullptr;
  enqueue(stream, {c.name(), [c, hash_now] { carry_out(c, hash_now); }, used});
  if (!deferred && !captured) wait_for(stream.last);
  return cudaSuccess;
}

cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, CUstream_st& stream,
                 bool asynchronous) {
  if (!bytes) return cudaSuccess;
  Copy c{to, from, bytes, is_device(reinterpret_cast<uintptr_t>(to)),
         is_device(reinterpret_cast<uintptr_t>(from))};
  bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind != cudaMemcpyDefault && (c.to_device != to_device || c.from_device != from_device)) {
    report(Check::kMemcpyKind, {},
           "a copy of kind %d, but the destination is %s memory and the source %s memory",
           static_cast<int>(kind), c.to_device ? "device" : "host", c.from_device ? "device" : "host");
    return fail(cudaErrorInvalidValue);
  }
  return enqueue_copy(c, stream, asynchronous);
}

cudaError_t fill(void* p, int value, size_t bytes, CUstream_st& stream) {
  return enqueue(stream, {"fill",
                          [=] {
                            if (operation_access(p, bytes, Use::kWrite, "fill")) std::memset(p, value, bytes);
                          },
                          {}});
}

}  // namespace
}  // namespace cuda_check

using namespace cuda_check;

extern "C" {
cudaError_t cuda_check_malloc(void** p, size_t bytes) {
  ++called().allocations;
  if (cudaError_t e = outside_capture()) return e;
  *p = nullptr;
  if (!bytes) return cudaSuccess;
  Allocation* a = allocate(bytes);
  if (!a) return fail(cudaErrorMemoryAllocation);
  *p = reinterpret_cast<void*>(a->base);
  return cudaSuccess;
}
cudaError_t cudaFree(void* p) {
  ++called().allocations;
  if (!p) return cudaSuccess;
  if (cudaError_t e = outside_capture()) return e;
  cudaDeviceSynchronize();
  Allocation* a = allocation_at(p);
  if (!a) {
    report(Check::kBadFree, {}, "cudaFree(%p), which is not the start of a living allocation", p);
    return fail(cudaErrorInvalidValue);
  }
  release(*a);
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
  ++called().allocations;
  Allocation* a = allocation_at(p);
  if (!a) {
    report(Check::kBadFree, {}, "cudaFreeAsync(%p), which is not the start of a living allocation", p);
    return fail(cudaErrorInvalidValue);
  }
  return enqueue(stream_of(stream), {"free",
                                     [a, p] {
                                       operation_access(p, a->size, Use::kWrite, "free");
                                       release(*a);
                                     },
                                     {}});
}
cudaError_t cuda_check_malloc_host(void** p, size_t bytes) {
  ++called().allocations;
  *p = mmap(nullptr, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (*p == MAP_FAILED) return fail(cudaErrorMemoryAllocation);
  std::memset(*p, 0xff, bytes);
  pinned()[reinterpret_cast<uintptr_t>(*p)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* p) {
  ++called().allocations;
  if (!p) return cudaSuccess;
  auto found = pinned().find(reinterpret_cast<uintptr_t>(p));
  if (found == pinned().end()) return fail(cudaErrorInvalidValue);
  if (any_pending()) report(Check::kHostRace, {}, "cudaFreeHost while operations are pending");
  run_all();
  munmap(p, found->second ? found->second : 1);
  pinned().erase(found);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  ++called().waits;
  if (cudaError_t e = outside_capture()) return e;
  return copy(to, from, bytes, kind, stream_of(nullptr), false);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  ++called().copies;
  return copy(to, from, bytes, kind, stream_of(stream), true);
}
cudaError_t cudaMemsetAsync(void* p, int value, size_t bytes, cudaStream_t stream) {
  return fill(p, value, bytes, stream_of(stream));
}
cudaError_t cudaMemset(void* p, int value, size_t bytes) {
  if (cudaError_t e = outside_capture()) return e;
  return fill(p, value, bytes, stream_of(nullptr));
}
cudaError_t cuda_check_copy_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset) {
  if (cudaError_t e = outside_capture()) return e;
  run_all();
  std::memcpy(static_cast<char*>(const_cast<void*>(symbol)) + offset, from, bytes);
  return cudaSuccess;
}

void cuda_check_mark_range(const void* start, size_t bytes, const char* name) {
  mark_range(reinterpret_cast<uintptr_t>(start), bytes, name);
}
void cuda_check_mark_undefined(void* start, size_t bytes, cudaStream_t stream) {
  enqueue(stream_of(stream), {"undefined range", [=] { lose_value(start, bytes); }, {}});
}
}
