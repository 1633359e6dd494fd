// Buffers inside one allocation. A memory planner puts many buffers into one device block, where an overrun
// of one lands in its neighbour and is no error of the block. Host code that knows the plan says so:
//
//   COHORT_MARK_RANGE(ptr, bytes, name)     these bytes are one buffer
//   COHORT_MARK_UNDEFINED(ptr, bytes, stream)  from here in the stream's order these bytes have no value
//
// From the first mark of an allocation on, a kernel may touch only ranges that one of its pointer arguments
// points into (a pointer to the very start of the allocation opens all of it), and nothing outside ranges.
// Marks are made by the host, once, after the allocation; ranges that share bytes at different times are
// marked each. An undefined range is a write in the stream: reading it before it is written again, or from a
// stream that is not ordered, is reported.
//
// Emitted code defines both as nothing where the checker's headers are not in front: see
// tools/cuda_check/README.md.
#pragma once
#ifdef CUDA_CHECK
#include "runtime_api.h"
#endif

extern "C" {
void cuda_check_mark_range(const void* start, size_t bytes, const char* name);
void cuda_check_mark_undefined(void* start, size_t bytes, cudaStream_t stream);
}
#define COHORT_MARK_RANGE(ptr, bytes, name) cuda_check_mark_range((ptr), (bytes), (name))
#define COHORT_MARK_UNDEFINED(ptr, bytes, stream) cuda_check_mark_undefined((ptr), (bytes), (stream))
