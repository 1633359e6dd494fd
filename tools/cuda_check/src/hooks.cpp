// What compilers call under -fsanitize=thread: here every load and store of the checked code arrives. The
// thread sanitizer's own runtime is not linked; these functions take its place. Also the signal handler for
// accesses by code that is not instrumented.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "access.h"
#include "block.h"
#include "memory.h"
#include "operation.h"
#include "report.h"
#include "settings.h"

namespace cuda_check {
namespace {

void host_side(uintptr_t a, size_t bytes, bool writes, void* pc) {
  if (current_operation()) return;  // code of the operation itself, which checks on its own
  host_access(a, bytes, writes, pc);
  if (!is_device(a)) return;
  report(Check::kDevicePointer, {pc, 0}, "host code %s %zu bytes at %s", writes ? "writes" : "reads", bytes,
         describe(a).c_str());
  stop();
}

void access(const volatile void* p, size_t bytes, Use use, void* pc) {
  uintptr_t a = reinterpret_cast<uintptr_t>(p);
  if (current_thread()) {
    thread_access(a, bytes, use, {pc, 0});
  } else {
    host_side(a, bytes, use != Use::kRead, pc);
  }
}

// Bytes of a copy, in pieces of at most 4 that are aligned.
void range(const void* p, size_t bytes, Use use, void* pc) {
  if (!bytes) return;
  uintptr_t a = reinterpret_cast<uintptr_t>(p);
  if (!current_thread()) return host_side(a, bytes, use != Use::kRead, pc);
  while (bytes) {
    size_t piece = std::min<size_t>(bytes, 4 - a % 4);
    if (piece == 3) piece = 1;
    thread_access(a, piece, use, {pc, 0});
    a += piece;
    bytes -= piece;
  }
}

void on_fault(int, siginfo_t* info, void*) {
  uintptr_t a = reinterpret_cast<uintptr_t>(info->si_addr);
  if (is_device(a) && !current_thread()) {
    report(Check::kDevicePointer, {}, "host code that is not instrumented touches %s", describe(a).c_str());
  } else if (is_device(a)) {
    report(Check::kOutOfBounds, {}, "code that is not instrumented touches %s", describe(a).c_str());
  } else {
    std::fprintf(stderr, "cuda_check: the program faults at %p\n", info->si_addr);
    _exit(87);
  }
  stop();
}

struct Start {
  Start() {
    static char stack[65536];
    stack_t alternative{};
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
  }
  ~Start() {
    if (!settings().statistics) return;
    const Totals& t = totals();
    std::fprintf(
        stderr,
        "cuda_check: %llu accesses, %llu switches, %llu launches, %llu blocks, %llu PTX instructions\n",
        static_cast<unsigned long long>(t.accesses), static_cast<unsigned long long>(t.switches),
        static_cast<unsigned long long>(t.launches), static_cast<unsigned long long>(t.blocks),
        static_cast<unsigned long long>(t.instructions));
  }
};

}  // namespace

void watch_faults() { static Start start; }

}  // namespace cuda_check

using namespace cuda_check;

#define CALLER __builtin_return_address(0)
extern "C" {
#define HOOKS(N)                                                                          \
  void __tsan_read##N(void* p) { access(p, N, Use::kRead, CALLER); }                      \
  void __tsan_write##N(void* p) { access(p, N, Use::kWrite, CALLER); }                    \
  void __tsan_unaligned_read##N(void* p) { access(p, N, Use::kRead, CALLER); }            \
  void __tsan_unaligned_write##N(void* p) { access(p, N, Use::kWrite, CALLER); }          \
  void __tsan_volatile_read##N(void* p) { access(p, N, Use::kRead, CALLER); }             \
  void __tsan_volatile_write##N(void* p) { access(p, N, Use::kWrite, CALLER); }           \
  void __tsan_unaligned_volatile_read##N(void* p) { access(p, N, Use::kRead, CALLER); }   \
  void __tsan_unaligned_volatile_write##N(void* p) { access(p, N, Use::kWrite, CALLER); } \
  void __tsan_read_write##N(void* p) {                                                    \
    access(p, N, Use::kRead, CALLER);                                                     \
    access(p, N, Use::kWrite, CALLER);                                                    \
  }                                                                                       \
  void __tsan_unaligned_read_write##N(void* p) {                                          \
    access(p, N, Use::kRead, CALLER);                                                     \
    access(p, N, Use::kWrite, CALLER);                                                    \
  }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
#undef HOOKS

void __tsan_read_range(void* p, size_t bytes) { range(p, bytes, Use::kRead, CALLER); }
void __tsan_write_range(void* p, size_t bytes) { range(p, bytes, Use::kWrite, CALLER); }
void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  range(from, bytes, Use::kRead, CALLER);
  range(to, bytes, Use::kWrite, CALLER);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  range(from, bytes, Use::kRead, CALLER);
  range(to, bytes, Use::kWrite, CALLER);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, size_t bytes) {
  range(to, bytes, Use::kWrite, CALLER);
  return std::memset(to, value, bytes);
}
void* cuda_check_memcpy(void* to, const void* from, size_t bytes) {
  range(from, bytes, Use::kRead, CALLER);
  range(to, bytes, Use::kWrite, CALLER);
  return std::memcpy(to, from, bytes);
}
void* cuda_check_memmove(void* to, const void* from, size_t bytes) {
  range(from, bytes, Use::kRead, CALLER);
  range(to, bytes, Use::kWrite, CALLER);
  return std::memmove(to, from, bytes);
}
void* cuda_check_memset(void* to, int value, size_t bytes) {
  range(to, bytes, Use::kWrite, CALLER);
  return std::memset(to, value, bytes);
}

// Called when a module with hooks is loaded: from now on nothing writes device memory unseen.
void __tsan_init() { watch_values(true); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// Atomics of host code (guards of static variables, reference counts).
#define ATOMICS(BITS, T)                                                                                  \
  T __tsan_atomic##BITS##_load(const volatile T* p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); } \
  void __tsan_atomic##BITS##_store(volatile T* p, T v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); } \
  T __tsan_atomic##BITS##_exchange(volatile T* p, T v, int) {                                             \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                       \
  T __tsan_atomic##BITS##_fetch_add(volatile T* p, T v, int) {                                            \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                       \
  T __tsan_atomic##BITS##_fetch_sub(volatile T* p, T v, int) {                                            \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                       \
  T __tsan_atomic##BITS##_fetch_and(volatile T* p, T v, int) {                                            \
    return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                       \
  T __tsan_atomic##BITS##_fetch_or(volatile T* p, T v, int) {                                             \
    return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                                     \
  }                                                                                                       \
  T __tsan_atomic##BITS##_fetch_xor(volatile T* p, T v, int) {                                            \
    return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                       \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* p, T* c, T v, int, int) {                 \
    return __atomic_compare_exchange_n(p, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
  }                                                                                                       \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* p, T* c, T v, int, int) {                   \
    return __atomic_compare_exchange_n(p, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
  }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
#undef ATOMICS
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
}
