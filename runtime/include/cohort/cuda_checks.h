// Checks on a GPU: what fails leaves a record in the block (rt_failure in device.h), and launches after it do
// nothing until the record is read.
#pragma once
#include "cuda.h"

inline namespace cohort_rt {

// Of a launch without checks: whether one before it failed.
RT_DEVICE bool rt_failed(const rt_failure* failure) { return failure->first != rt_no_failure; }

// Of one with checks, whose own threads may be failing meanwhile; all threads of the block ask together.
RT_DEVICE bool rt_failed_before(rt_failure* failure, unsigned long long launch) {
  __shared__ bool failed;
  if (threadIdx.x == 0) {
    const unsigned long long first = atomicAdd(&failure->first, 0ull);
    failed = first != rt_no_failure && first >> rt_order_bits != launch;
  }
  __syncthreads();
  return failed;
}

// The record is that of the least `order` of the launch: every word has the order in front, so each by
// itself keeps what belongs to the least, whichever thread comes first.
static __device__ void rt_report(rt_failure* failure, unsigned long long launch, unsigned long long check,
                                 int64_t order, int64_t index, int64_t size) {
  const unsigned long long place = static_cast<unsigned long long>(order);
  const unsigned long long mine = launch << rt_order_bits | place;
  if (atomicMin(&failure->first, mine) <= mine) return;
  unsigned long long words[3] = {check, static_cast<unsigned long long>(index),
                                 static_cast<unsigned long long>(size)};
  for (int k = 0; k < rt_failure_pieces; ++k) {
    unsigned long long& word = words[k == 0 ? 0 : (k + 2) / 3];
    atomicMin(&failure->pieces[k], place << rt_piece_bits | (word & rt_piece_mask));
    word >>= rt_piece_bits;
  }
}

}  // namespace cohort_rt

#ifdef COHORT_NO_CHECKS
#define RT_DEVICE_CHECK(good, launch, check, order, index, size) ((void)(good))
#else
#define RT_DEVICE_CHECK(good, launch, check, order, index, size) \
  if (!(good)) rt_report(failure, launch, check, order, index, size)
#endif
#define RT_DEVICE_ASSERT(good, launch, check, order) \
  if (!(good)) rt_report(failure, launch, check, order, 0, 0)
