// What threads do together: barriers, fences, warp collectives, atomics.
#pragma once
#include <stdint.h>

#include "language.h"

extern "C" {
// `site` tells one call in the source from another. A return address would not: compilers copy calls.
void cuda_check_barrier(int site);
int cuda_check_barrier_vote(int predicate, int kind, int site);  // kind 0: count, 1: and, 2: or
void cuda_check_warp_barrier(unsigned mask, int site);
uint64_t cuda_check_shuffle(unsigned mask, uint64_t value, int argument, int width, int kind, int site);
unsigned cuda_check_ballot(unsigned mask, int predicate, int site);
unsigned cuda_check_match(unsigned mask, uint64_t value, int site);
unsigned cuda_check_active_mask();
void cuda_check_fence();
// Checks one atomic access of the calling thread; the caller then reads and writes without a switch of
// threads.
void cuda_check_atomic(const volatile void* address, int bytes, void* pc);
}

#define CUDA_CHECK_SITE (__COUNTER__ << 20 | __LINE__)
#define __syncthreads() cuda_check_barrier(CUDA_CHECK_SITE)
#define __syncthreads_count(p) cuda_check_barrier_vote((p), 0, CUDA_CHECK_SITE)
#define __syncthreads_and(p) cuda_check_barrier_vote((p), 1, CUDA_CHECK_SITE)
#define __syncthreads_or(p) cuda_check_barrier_vote((p), 2, CUDA_CHECK_SITE)
__forceinline__ void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) {
  cuda_check_warp_barrier(mask, line);
}
inline void __threadfence() { cuda_check_fence(); }
inline void __threadfence_system() { cuda_check_fence(); }
inline void __threadfence_block() {}

template <class T>
__forceinline__ T cuda_check_shuffle_value(unsigned mask, T value, int argument, int width, int kind,
                                           int line) {
  static_assert(sizeof(T) <= 8 && __is_trivially_copyable(T), "shuffles move plain values of up to 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = cuda_check_shuffle(mask, bits, argument, width, kind, line);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T>
__forceinline__ T __shfl_sync(unsigned mask, T value, int lane, int width = 32, int line = __builtin_LINE()) {
  return cuda_check_shuffle_value(mask, value, lane, width, 0, line);
}
template <class T>
__forceinline__ T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32,
                                 int line = __builtin_LINE()) {
  return cuda_check_shuffle_value(mask, value, (int)by, width, 1, line);
}
template <class T>
__forceinline__ T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32,
                                   int line = __builtin_LINE()) {
  return cuda_check_shuffle_value(mask, value, (int)by, width, 2, line);
}
template <class T>
__forceinline__ T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32,
                                  int line = __builtin_LINE()) {
  return cuda_check_shuffle_value(mask, value, with, width, 3, line);
}
__forceinline__ unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return cuda_check_ballot(mask, predicate, line);
}
__forceinline__ int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return cuda_check_ballot(mask, predicate, line) != 0;
}
__forceinline__ int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return cuda_check_ballot(mask, predicate, line) == mask;
}
template <class T>
__forceinline__ unsigned __match_any_sync(unsigned mask, T value, int line = __builtin_LINE()) {
  static_assert(sizeof(T) <= 8, "matches compare values of up to 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return cuda_check_match(mask, bits, line);
}
__forceinline__ unsigned __activemask() { return cuda_check_active_mask(); }

#if defined(__clang__)
#define CUDA_CHECK_UNCHECKED __attribute__((no_sanitize("thread"), noinline))
#else
#define CUDA_CHECK_UNCHECKED __attribute__((no_sanitize_thread, noinline))
#endif
template <class T>
struct CudaCheckSame {
  using type = T;
};
#define CUDA_CHECK_ATOMIC(NAME, RESULT)                                  \
  template <class T>                                                     \
  CUDA_CHECK_UNCHECKED T NAME(T* p, typename CudaCheckSame<T>::type v) { \
    cuda_check_atomic(p, sizeof(T), __builtin_return_address(0));        \
    T old = *p;                                                          \
    *p = (RESULT);                                                       \
    return old;                                                          \
  }
CUDA_CHECK_ATOMIC(atomicAdd, old + v)
CUDA_CHECK_ATOMIC(atomicSub, old - v)
CUDA_CHECK_ATOMIC(atomicExch, v)
CUDA_CHECK_ATOMIC(atomicMax, old > v ? old : v)
CUDA_CHECK_ATOMIC(atomicMin, old < v ? old : v)
CUDA_CHECK_ATOMIC(atomicAnd, old& v)
CUDA_CHECK_ATOMIC(atomicOr, old | v)
CUDA_CHECK_ATOMIC(atomicXor, old ^ v)
CUDA_CHECK_ATOMIC(atomicInc, old >= v ? 0u : old + 1)
CUDA_CHECK_ATOMIC(atomicDec, old == 0 || old > v ? v : old - 1)
#undef CUDA_CHECK_ATOMIC
template <class T>
CUDA_CHECK_UNCHECKED T atomicCAS(T* p, typename CudaCheckSame<T>::type expected,
                                 typename CudaCheckSame<T>::type v) {
  cuda_check_atomic(p, sizeof(T), __builtin_return_address(0));
  T old = *p;
  if (old == expected) *p = v;
  return old;
}
