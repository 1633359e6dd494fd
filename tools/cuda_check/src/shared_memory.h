// Shared memory. `__shared__` variables are thread-local variables of the host, so the block that runs has
// them all in the thread-local segment of the module that this code is part of; dynamic shared memory is one
// such array.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "memory.h"

namespace cuda_check {

constexpr size_t kMostSharedBytes = 227 * 1024;  // of a block, by opting in
constexpr size_t kSharedBytesWithoutOptIn = 48 * 1024;

struct SharedSegment {
  uintptr_t begin = 0;
  size_t bytes = 0;
  Cells cells;
};
const SharedSegment& shared_segment();
unsigned char* dynamic_shared();           // kMostSharedBytes bytes inside the segment
void poison_shared(size_t dynamic_bytes);  // what a new block finds
std::string describe_shared(uintptr_t a);
inline bool is_shared(uintptr_t a) { return a - shared_segment().begin < shared_segment().bytes; }

}  // namespace cuda_check
