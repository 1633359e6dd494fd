#include "arguments.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace cuda_check {
namespace {

constexpr size_t kPoolBytes = size_t{1} << 30;

struct Pool {
  unsigned char* begin;
  size_t used = 0;
};

Pool& pool() {
  static Pool p = [] {
    void* m =
        mmap(nullptr, kPoolBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m == MAP_FAILED) unsupported("no memory for kernels' arguments");
    return Pool{static_cast<unsigned char*>(m)};
  }();
  return p;
}

struct Interval {
  uintptr_t begin, end;
};
std::vector<Interval>& opened() {
  static std::vector<Interval> intervals;
  return intervals;
}

bool inside(const Interval& i, uintptr_t a, size_t bytes) { return a >= i.begin && a + bytes <= i.end; }

void open_from(uintptr_t pointer) {
  if (!is_device(pointer)) return;
  const Allocation& allocation = slot_of(pointer);
  if (allocation.ranges.empty()) return;
  if (pointer == allocation.base) opened().push_back({allocation.base, allocation.base + allocation.size});
  for (const Range& r : allocation.ranges) {
    if (pointer >= r.begin && pointer < r.end) opened().push_back({r.begin, r.end});
  }
}

}  // namespace

void* new_arguments(size_t bytes) {
  Pool& p = pool();
  p.used = (p.used + 15) / 16 * 16;
  if (p.used + bytes > kPoolBytes) unsupported("more than 1 GiB of kernels' arguments in one run");
  void* start = p.begin + p.used;
  p.used += bytes;
  return start;
}

bool is_argument(uintptr_t a) { return a - reinterpret_cast<uintptr_t>(pool().begin) < kPoolBytes; }

void mark_range(uintptr_t begin, size_t bytes, const char* name) {
  if (!bytes) return;
  if (!is_device(begin)) {
    report(Check::kHostPointer, {}, "range '%s' is marked at %p, which is not device memory", name,
           reinterpret_cast<void*>(begin));
    return;
  }
  Allocation* allocation = inside_allocation(begin, bytes, true, {});
  if (!allocation) return;
  auto same = std::find_if(allocation->ranges.begin(), allocation->ranges.end(),
                           [&](const Range& r) { return r.begin == begin && r.end == begin + bytes; });
  if (same == allocation->ranges.end()) {
    allocation->ranges.push_back({begin, begin + bytes, name});
  } else {
    same->name = name;
  }
}

void open_ranges(const void* arguments, size_t bytes) {
  opened().clear();
  for (size_t i = 0; i + sizeof(uintptr_t) <= bytes; i += sizeof(uintptr_t)) {
    uintptr_t pointer;
    std::memcpy(&pointer, static_cast<const char*>(arguments) + i, sizeof pointer);
    open_from(pointer);
  }
}

void check_range(uintptr_t a, size_t bytes, bool writes, Site site) {
  std::vector<Interval>& intervals = opened();
  for (size_t i = 0; i < intervals.size(); i++) {
    if (!inside(intervals[i], a, bytes)) continue;
    if (i) std::swap(intervals[i], intervals[0]);  // the next access is likely to be near
    return;
  }
  report(Check::kOutOfRange, site, "%s of %zu bytes at %s, which no argument of the kernel points into",
         writes ? "write" : "read", bytes, describe(a).c_str());
}

}  // namespace cuda_check
