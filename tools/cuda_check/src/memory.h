// The device's address space and what is known about each byte of it.
//
// Each allocation has a slot of 4 GiB of addresses to itself and starts in its middle, so that an overrun of
// any size that matters meets no other allocation. Between operations the pages are protected: host code that
// follows a device pointer traps. Each 4 bytes have a cell, which remembers who wrote and read them last.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report.h"

namespace cuda_check {

// One thread's place in time: barriers it has passed, then warp barriers since the last one.
using Epoch = uint64_t;
constexpr int kWarpEpochBits = 24;
inline Epoch barriers_passed(Epoch e) { return e >> kWarpEpochBits; }
inline uint32_t warp_barriers_passed(Epoch e) {
  return static_cast<uint32_t>(e & ((Epoch{1} << kWarpEpochBits) - 1));
}

struct Access {
  uint32_t operation = 0, block = 0, thread = 0;
  Epoch epoch = 0;
};

// The last write and the last reads of 4 bytes, or of one byte. Masks tell which of the bytes.
struct Cell {
  Access write, read;
  uint8_t write_mask, read_mask, written;  // written: bytes that have a value
  bool atomic_write;
  bool many_warps, many_blocks;  // of the reads since `read` became what it is
  bool split;                    // the bytes are remembered one by one from now on
  uint32_t read_lanes;  // of the warp of `read`: readers that nothing orders; the greatest epoch is kept
};

// What is known about the bytes of an allocation: a cell for each 4 bytes and, for words of which parts are
// used on their own, for each byte. Pages that are never touched take no memory.
struct Cells {
  Cell* words = nullptr;
  Cell* bytes = nullptr;
};

struct Range {
  uintptr_t begin, end;
  std::string name;
};

struct Allocation {
  uintptr_t base = 0;
  size_t size = 0, mapped = 0;
  Cells cells;
  bool live = false, freed = false;
  std::vector<Range> ranges;  // marked buffers; none: the allocation is one buffer
};

constexpr uint32_t kSlots = 512;
constexpr uintptr_t kSlotBytes = uintptr_t{1} << 32;
extern const uintptr_t device_base;

inline bool is_device(uintptr_t a) { return a - device_base < kSlots * kSlotBytes; }
Allocation& slot_of(uintptr_t a);    // `a` is a device address
Allocation* allocate(size_t bytes);  // null: no memory
void release(Allocation& allocation);
Allocation* allocation_at(const void* start);  // live and starting there, or null
// The live allocation that [a, a + bytes) lies in; otherwise reports and gives null.
Allocation* inside_allocation(uintptr_t a, size_t bytes, bool writes, Site site);
std::string describe(uintptr_t a);  // "x of allocation #2 (64 bytes) +12"

// Device memory is accessible while one of these lives.
class OpenMemory {
 public:
  OpenMemory();
  ~OpenMemory();

 private:
  bool was_open_;
};

Cells new_cells(size_t bytes);
void delete_cells(Cells cells, size_t bytes);

}  // namespace cuda_check
