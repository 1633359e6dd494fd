#include "block.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "counts.h"
#include "settings.h"
#include "shared_memory.h"

#define BUILT_IN __attribute__((section("cuda_check_builtin")))
BUILT_IN uint3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0};
BUILT_IN dim3 blockDim, gridDim;

// Saves the callee-saved registers and the stack pointer, and continues on the other stack.
extern "C" void cuda_check_switch(void** save, void* load);
#if defined(__x86_64__)
asm(R"(.text
.hidden cuda_check_switch
.globl cuda_check_switch
.type cuda_check_switch,@function
cuda_check_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size cuda_check_switch, .-cuda_check_switch
)");
#elif defined(__aarch64__)
asm(R"(.text
.hidden cuda_check_switch
.globl cuda_check_switch
cuda_check_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
)");
#else
#error "no switch of stacks for this processor"
#endif

namespace cuda_check {
namespace {

void* scheduler_stack_pointer;

[[noreturn]] void thread_main() {
  Block& b = the_block();
  b.kernel.thunk(b.kernel.arguments);
  b.current->state = ThreadState::kReturned;
  b.alive--;
  try_barrier();
  switch_away();
  std::abort();  // a thread that has returned is never chosen again
}

// A stack whose first switch to it enters thread_main.
void* fresh_stack(uintptr_t lowest) {
  auto* top = reinterpret_cast<void**>(lowest + kStackBytes - 64);
#if defined(__x86_64__)
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(thread_main);
  for (int i = 0; i < 6; i++) *--top = nullptr;
#else
  top -= 20;
  std::memset(top, 0, 160);
  top[11] = reinterpret_cast<void*>(thread_main);
#endif
  return top;
}

void make_stacks(Block& b) {
  size_t bytes = kStackBytes * kMostThreads;
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) unsupported("no memory for the threads' stacks");
  for (unsigned i = 0; i < kMostThreads; i++) {
    b.threads[i].stack = reinterpret_cast<uintptr_t>(p) + i * kStackBytes;
    mprotect(reinterpret_cast<void*>(b.threads[i].stack), 4096, PROT_NONE);
  }
}

[[noreturn]] void report_deadlock(const Block& b) {
  unsigned barriers = 0, collectives = 0;
  int barrier = 0, warp = 0;
  for (unsigned i = 0; i < b.size; i++) {
    const Thread& t = b.threads[i];
    if (t.state == ThreadState::kAtBarrier) barriers++, barrier = t.barrier_site;
    if (t.state == ThreadState::kAtCollective) collectives++, warp = t.collective.site;
  }
  report(Check::kDeadlock, {nullptr, barrier ? barrier : warp},
         "%u threads wait at __syncthreads (line %d), %u at a warp collective (line %d), %u have returned",
         barriers, barrier & 0xfffff, collectives, warp & 0xfffff, b.size - b.alive);
  stop();
}

Thread* choose(Block& b) {
  if (b.ready.empty()) report_deadlock(b);
  if (settings().order == Order::kRandom) std::swap(b.ready.front(), b.ready[random_below(b.ready.size())]);
  Thread* t = b.ready.front();
  b.ready.pop_front();
  return t;
}

void run_block(Block& b) {
  b.barriers = 1;
  b.at_barrier = 0;
  b.alive = b.size;
  b.ready.clear();
  b.acquired.clear();
  totals().blocks++;
  poison_shared(b.kernel.shared_bytes);
  for (unsigned i = 0; i < b.size; i++) {
    Thread& t = b.threads[i];
    uintptr_t stack = t.stack;
    t = Thread{};
    t.stack = stack;
    t.number = i;
    t.index = {i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y)};
    t.stack_pointer = fresh_stack(stack);
    make_ready(t);
  }
  if (settings().order == Order::kReverse) std::reverse(b.ready.begin(), b.ready.end());
  while (b.alive) {
    Thread* t = choose(b);
    b.current = t;
    threadIdx = t->index;
    cuda_check_switch(&scheduler_stack_pointer, t->stack_pointer);
    b.current = nullptr;
  }
  if (settings().counts) finish_counting_block();
}

std::vector<uint32_t> order_of_blocks(uint64_t count) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  if (settings().order == Order::kReverse) std::reverse(order.begin(), order.end());
  if (settings().order == Order::kRandom) {
    for (uint64_t i = count; i > 1; i--) std::swap(order[i - 1], order[random_below(i)]);
  }
  return order;
}

}  // namespace

Block& the_block() {
  static Block& b = *[] {
    auto* made = new Block;  // never destroyed: reports at exit look at it
    make_stacks(*made);
    return made;
  }();
  return b;
}

Totals& totals() {
  static Totals t;
  return t;
}

void make_ready(Thread& t) {
  t.state = ThreadState::kReady;
  the_block().ready.push_back(&t);
}

void switch_away() {
  totals().switches++;
  cuda_check_switch(&the_block().current->stack_pointer, scheduler_stack_pointer);
}

void run_grid(const Kernel& kernel) {
  Block& b = the_block();
  b.kernel = kernel;
  b.size = kernel.block.x * kernel.block.y * kernel.block.z;
  b.released.clear();
  blockDim = kernel.block;
  gridDim = kernel.grid;
  totals().launches++;
  for (uint32_t i : order_of_blocks(uint64_t{gridDim.x} * gridDim.y * gridDim.z)) {
    b.number = i;
    blockIdx = {i % gridDim.x, i / gridDim.x % gridDim.y, i / (gridDim.x * gridDim.y)};
    run_block(b);
  }
}

}  // namespace cuda_check
