// The block that runs. Its threads are fibers of one host thread: they switch where they wait for each other
// and at random accesses in between. The blocks of a grid run one after another, in random order, so a kernel
// whose blocks wait for each other (a barrier over the grid) cannot be checked here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "../include/cuda_runtime.h"
#undef __shared__
#include "memory.h"

namespace cuda_check {

constexpr unsigned kMostThreads = 1024, kLanes = 32;
constexpr size_t kStackBytes = 256 * 1024;
constexpr uint32_t kNoThread = 0xffffffffu;  // the thread number of copies and fills

enum class ThreadState : uint8_t { kReady, kAtBarrier, kAtCollective, kReturned };
enum class CollectiveKind : uint8_t {
  kShuffle,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kBallot,
  kBarrier,
  kMatch
};

struct Collective {
  CollectiveKind kind;
  unsigned mask;
  int site, argument, width;
  uint64_t value, result;
  bool complete;
};

struct Thread {
  void* stack_pointer;
  uintptr_t stack;  // lowest address
  ThreadState state;
  uint3 index;
  uint32_t number;  // in the block, x fastest
  // By lane of its warp: how many warp barriers that lane had passed when this thread last met it in one, or
  // met one who had; since the last barrier of the block. Of its own lane: its own.
  uint32_t warp_barriers[kLanes];
  bool fenced;  // since its last write of global memory
  int barrier_site, predicate;
  Collective collective;
};

// `released`: what a thread of another block had done before a fence and an atomic that thread `by` then
// read.
struct Acquired {
  Epoch released;
  uint32_t releasing_thread, by;
  Epoch at;
};
struct Released {
  uint32_t block, thread;
  Epoch epoch;
};

struct Kernel {
  const char* name = "";
  void (*thunk)(const void*) = nullptr;
  const void* arguments = nullptr;
  size_t argument_bytes = 0;
  dim3 grid, block;
  size_t shared_bytes = 0;
};

struct Block {
  Thread threads[kMostThreads];
  unsigned size = 0, alive = 0, at_barrier = 0;
  uint32_t number = 0;  // in the grid, x fastest
  uint64_t barriers = 0;
  int votes[3] = {};  // of the last barrier: count, and, or
  Kernel kernel;
  std::deque<Thread*> ready;
  Thread* current = nullptr;
  std::unordered_map<uint32_t, std::vector<Acquired>> acquired;   // by block
  std::unordered_map<uintptr_t, std::vector<Released>> released;  // by address, over the grid
};
Block& the_block();

inline Thread* current_thread() { return the_block().current; }
inline const char* kernel_name() { return the_block().kernel.name; }
inline Epoch now(const Thread& t) {
  return the_block().barriers << kWarpEpochBits | t.warp_barriers[t.number % kLanes];
}

void run_grid(const Kernel& kernel);
void make_ready(Thread& thread);
void switch_away();  // the current thread goes on when it was made ready and chosen
unsigned live_lanes(unsigned warp);
// Completes the block's barrier if all its living threads have arrived.
void try_barrier();
uint64_t collective(CollectiveKind kind, unsigned mask, uint64_t value, int argument, int width, int site);

struct Totals {
  uint64_t accesses = 0, switches = 0, launches = 0, blocks = 0, instructions = 0;
};
Totals& totals();

}  // namespace cuda_check
