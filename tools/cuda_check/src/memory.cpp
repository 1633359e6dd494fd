#include "memory.h"

#include <sys/mman.h>

#include <cstring>

#include "access.h"
#include "shared_memory.h"

namespace cuda_check {
namespace {

constexpr uintptr_t kMiddle = kSlotBytes / 2;
constexpr size_t kPage = 4096;

struct Space {
  Allocation slots[kSlots];
  uint32_t used = 0, next_reused = 0;
  bool open = false;
};
Space& space() {
  static Space& s = *new Space;  // never destroyed: reports at exit name allocations
  return s;
}

uintptr_t reserve() {
  watch_faults();
  void* p = mmap(nullptr, kSlots * kSlotBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) unsupported("no address space for the device (2 TiB; is `ulimit -v` set?)");
  return reinterpret_cast<uintptr_t>(p);
}

size_t words_of(size_t bytes) { return bytes / 4 + 2; }
size_t mapped_cells(size_t bytes) { return (words_of(bytes) * 5) * sizeof(Cell); }

// All slots at once, what lies between them as well: a call for each would take most of the time of programs
// with many allocations, and accesses by device code are checked one by one anyway.
void protect(const Space& s) {
  mprotect(reinterpret_cast<void*>(device_base), s.used * kSlotBytes,
           s.open ? PROT_READ | PROT_WRITE : PROT_NONE);
}
void set_open(bool open) {
  Space& s = space();
  if (s.open == open) return;
  s.open = open;
  protect(s);
}

// A slot that was never used; when there are none, the one that was freed longest ago.
Allocation& free_slot(Space& s) {
  if (s.used < kSlots) return s.slots[s.used++];
  for (uint32_t i = 0; i < kSlots; i++) {
    s.next_reused = (s.next_reused + 1) % kSlots;
    if (!s.slots[s.next_reused].live) return s.slots[s.next_reused];
  }
  unsupported("more than %u allocations at one time", kSlots);
}

}  // namespace

const uintptr_t device_base = reserve();

Cells new_cells(size_t bytes) {
  void* p = mmap(nullptr, mapped_cells(bytes), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) unsupported("no memory to watch %zu bytes", bytes);
  return {static_cast<Cell*>(p), static_cast<Cell*>(p) + words_of(bytes)};
}

void delete_cells(Cells cells, size_t bytes) { munmap(cells.words, mapped_cells(bytes)); }

Allocation& slot_of(uintptr_t a) { return space().slots[(a - device_base) / kSlotBytes]; }

Allocation* allocate(size_t bytes) {
  Space& s = space();
  if (bytes > kMiddle - (1 << 20)) return nullptr;
  Allocation& a = free_slot(s);
  a = {};
  a.base = device_base + static_cast<uintptr_t>(&a - s.slots) * kSlotBytes + kMiddle;
  a.size = bytes;
  a.mapped = (bytes + kPage - 1) / kPage * kPage;
  if (mprotect(reinterpret_cast<void*>(a.base), a.mapped, PROT_READ | PROT_WRITE) != 0) return nullptr;
  // What was never written looks like NaN and like a negative index.
  std::memset(reinterpret_cast<void*>(a.base), 0xff, a.mapped);
  a.cells = new_cells(bytes);
  a.live = true;
  protect(s);
  return &a;
}

void release(Allocation& a) {
  a.live = false;
  a.freed = true;
  void* start = reinterpret_cast<void*>(a.base);
  madvise(start, a.mapped, MADV_DONTNEED);
  delete_cells(a.cells, a.size);
  a.cells = {};
}

Allocation* allocation_at(const void* start) {
  uintptr_t a = reinterpret_cast<uintptr_t>(start);
  if (!is_device(a)) return nullptr;
  Allocation& slot = slot_of(a);
  return slot.live && slot.base == a ? &slot : nullptr;
}

Allocation* inside_allocation(uintptr_t a, size_t bytes, bool writes, Site site) {
  Allocation& slot = slot_of(a);
  if (slot.live && a >= slot.base && a + bytes <= slot.base + slot.size) return &slot;
  const char* verb = writes ? "write" : "read";
  if (slot.freed) {
    report(Check::kUseAfterFree, site, "%s of %zu bytes at %s, which was freed", verb, bytes,
           describe(a).c_str());
  } else if (!slot.size) {
    report(Check::kOutOfBounds, site, "%s of %zu bytes at %p, where nothing was ever allocated", verb, bytes,
           reinterpret_cast<void*>(a));
  } else {
    bool before = a < slot.base;
    report(Check::kOutOfBounds, site, "%s of %zu bytes, %zu bytes %s of allocation #%zu (%zu bytes)", verb,
           bytes, before ? slot.base - a : a + bytes - slot.base - slot.size,
           before ? "before the start" : "past the end", static_cast<size_t>((a - device_base) / kSlotBytes),
           slot.size);
  }
  return nullptr;
}

std::string describe(uintptr_t a) {
  if (!is_device(a)) return describe_shared(a);
  const Allocation& slot = slot_of(a);
  std::string place =
      text("allocation #%zu (%zu bytes) +%ld", static_cast<size_t>((a - device_base) / kSlotBytes), slot.size,
           static_cast<long>(a - slot.base));
  for (const Range& r : slot.ranges) {
    if (a >= r.begin && a < r.end) return "'" + r.name + "' " + text("+%zu in ", a - r.begin) + place;
  }
  return place;
}

OpenMemory::OpenMemory() : was_open_(space().open) { set_open(true); }
OpenMemory::~OpenMemory() { set_open(was_open_); }

// A program may load many modules, each with a checker of its own, one after another.
__attribute__((destructor)) static void give_back_addresses() {
  munmap(reinterpret_cast<void*>(device_base), kSlots * kSlotBytes);
}

}  // namespace cuda_check
