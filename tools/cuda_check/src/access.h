// Checks of single accesses: is the address one that this code may touch, has it a value, and does something
// order the access with those of others.
#pragma once
#include <cstddef>
#include <cstdint>

#include "memory.h"

namespace cuda_check {

enum class Use : uint8_t { kRead, kWrite, kAtomic };  // kAtomic: reads and writes

// An access of the current thread. Other threads may run before it. Does not return from an access that would
// fault.
void thread_access(uintptr_t a, size_t bytes, Use use, Site site);
// The same, and orders the blocks: an atomic after a fence releases, an atomic acquires what was released at
// its address.
void atomic_access(uintptr_t a, size_t bytes, Site site);
// An access of a copy or a fill; false if it cannot be carried out.
bool operation_access(const void* p, size_t bytes, Use use, const char* what);
// The bytes have no value from now on; a write for all other purposes.
void lose_value(void* p, size_t bytes);
// Every check of reads of undefined values is off where code that is not watched writes device memory.
void watch_values(bool on);
// From now on a fault of code that is not instrumented is a finding.
void watch_faults();

}  // namespace cuda_check
