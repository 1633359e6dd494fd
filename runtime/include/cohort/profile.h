// What an instrumented module counts in a call: calls of functions, values of their named dims, time in
// kernels. The counters lie behind the temporaries in the workspace, so that each thread has its own and a
// call allocates nothing. profile_text.h tells them.
//
// Of a function from its first byte on: u64 calls; for each dim rt_dim_counters; for each kernel
// rt_kernel_counters.
#pragma once
#include <time.h>

#include "module.h"

inline namespace cohort_rt {

constexpr int rt_counted_values = 16;
struct rt_dim_counters {
  struct {
    int64_t value;
    uint64_t calls;  // 0: no value has this place yet
  } values[rt_counted_values];
  uint64_t other;  // calls with values that came later
};
struct rt_kernel_counters {
  uint64_t calls;
  uint64_t ns;
};
static_assert(sizeof(rt_dim_counters) == 264 && sizeof(rt_kernel_counters) == 16,
              "the emitter lays the counters out");

RT_CALL void rt_clear_counters(void* workspace, uint64_t offset, uint64_t bytes) {
  __builtin_memset(rt_place<unsigned char>(workspace, offset), 0, bytes);
}
RT_INLINE void rt_count_call(void* workspace, uint64_t offset) { ++*rt_place<uint64_t>(workspace, offset); }
RT_CALL void rt_count_dim(void* workspace, uint64_t offset, int64_t value) {
  rt_dim_counters* counters = rt_place<rt_dim_counters>(workspace, offset);
  for (auto& at : counters->values) {
    if (at.calls != 0 && at.value != value) continue;
    at.value = value;
    ++at.calls;
    return;
  }
  ++counters->other;
}

// Nanoseconds of a clock that only runs forward.
RT_INLINE uint64_t rt_clock() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}
// A kernel has run since the clock showed `since`; gives what it shows now. One reading ends a kernel and
// begins the next.
RT_INLINE uint64_t rt_count_kernel(void* workspace, uint64_t offset, uint64_t since) {
  rt_kernel_counters* counters = rt_place<rt_kernel_counters>(workspace, offset);
  const uint64_t now = rt_clock();
  ++counters->calls;
  counters->ns += now - since;
  return now;
}

}  // namespace cohort_rt
