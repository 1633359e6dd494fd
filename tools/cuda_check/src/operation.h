// Operations (kernels, copies, fills, events) and the order that streams, events and graphs put them in: a
// vector clock each. An operation runs some time after it was submitted and after all those it waits for;
// which of several runs next is drawn at random, so a missing dependence shows as a wrong order and, whatever
// the order, as a race of the clocks.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cuda_check {

using Clock = std::vector<uint32_t>;  // by stream: how many of its operations have happened

// Pinned host memory that an operation uses while it is pending.
struct HostBytes {
  uintptr_t begin = 0, end = 0;
  bool writes = false;
};

struct Work {
  std::string name;
  std::function<void()> run;
  HostBytes host;
};

struct Operation {
  std::string name;
  int stream = 0;
  uint32_t sequence = 0;  // in its stream, from 1
  Clock clock;
  std::vector<uint32_t> after;
  std::function<void()> run;
  HostBytes host;
  bool done = false;
};

Operation& operation(uint32_t id);  // ids count from 1
uint32_t current_operation();       // 0: none runs
bool happens_before(uint32_t a, uint32_t b);

// Puts work behind `after`; the host's own past is part of its clock. Gives its id.
uint32_t submit(int stream, uint32_t sequence, std::vector<uint32_t> after, Work work);
// Runs operations until this one is done and makes its clock the host's past.
void wait_for(uint32_t id);
void run_all();
void host_saw(uint32_t id);

// An access of the host outside the API: reports it if an operation still uses these bytes.
void host_access(uintptr_t a, size_t bytes, bool writes, void* pc);
// Whether an operation that has not run yet uses (or writes) them.
bool uses_host(uintptr_t a, size_t bytes, bool only_writes);
bool any_pending();

}  // namespace cuda_check
