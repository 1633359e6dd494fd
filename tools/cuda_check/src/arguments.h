// What a kernel is given: the memory of its arguments, and the buffers that they open to it (ranges.h of the
// headers).
#pragma once
#include <cstddef>
#include <cstdint>

#include "memory.h"

namespace cuda_check {

void* new_arguments(size_t bytes);  // lives as long as the program, since graphs replay launches
bool is_argument(uintptr_t a);

void mark_range(uintptr_t begin, size_t bytes, const char* name);
// Finds the ranges of the running kernel: those that an aligned pointer among the arguments points into.
void open_ranges(const void* arguments, size_t bytes);
// Reports an access to bytes of a marked allocation that no argument opened.
void check_range(uintptr_t a, size_t bytes, bool writes, Site site);

}  // namespace cuda_check
