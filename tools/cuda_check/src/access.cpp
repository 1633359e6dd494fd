#include "access.h"

#include <link.h>

#include <algorithm>
#include <cstring>

#include "arguments.h"
#include "block.h"
#include "counts.h"
#include "operation.h"
#include "races.h"
#include "settings.h"
#include "shared_memory.h"

extern "C" {
extern char __start_cuda_check_builtin[], __stop_cuda_check_builtin[];
extern char __start_cuda_check_constant[] __attribute__((weak)),
    __stop_cuda_check_constant[] __attribute__((weak));
}

namespace cuda_check {
namespace {

bool between(uintptr_t a, const char* begin, const char* end) {
  return a - reinterpret_cast<uintptr_t>(begin) < static_cast<uintptr_t>(end - begin);
}

int look_for_read_only(dl_phdr_info* info, size_t, void* data) {
  auto* ranges = static_cast<std::vector<std::pair<uintptr_t, uintptr_t>>*>(data);
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W)) continue;
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    ranges->push_back({begin, begin + header.p_memsz});
  }
  return 0;
}

bool is_read_only(uintptr_t a) {
  static const auto& ranges = *[] {
    auto* found = new std::vector<std::pair<uintptr_t, uintptr_t>>;
    dl_iterate_phdr(look_for_read_only, found);
    return found;
  }();
  return std::any_of(ranges.begin(), ranges.end(), [a](auto& r) { return a >= r.first && a < r.second; });
}

// What is neither device memory, nor shared, nor the thread's own stack.
void other_access(uintptr_t a, size_t bytes, bool writes, Site site) {
  if (between(a, __start_cuda_check_builtin, __stop_cuda_check_builtin)) {
    if (writes)
      report(Check::kConstantWrite, site, "a kernel writes threadIdx, blockIdx, blockDim or gridDim");
    return;
  }
  bool constant =
      __start_cuda_check_constant && between(a, __start_cuda_check_constant, __stop_cuda_check_constant);
  if (constant || is_argument(a) || is_read_only(a)) {
    if (writes) report(Check::kConstantWrite, site, "a kernel writes its parameters or constant memory");
    return;
  }
  uintptr_t stacks = the_block().threads[0].stack;
  if (a - stacks < kStackBytes * kMostThreads) {
    report(Check::kForeignLocal, site, "a local variable of thread #%zu is used by another",
           (a - stacks) / kStackBytes);
    return;
  }
  const char* verb = writes ? "writes" : "reads";
  if (a < 65536) {
    report(Check::kNullPointer, site, "a kernel %s %zu bytes at %p", verb, bytes, reinterpret_cast<void*>(a));
    stop();
  }
  report(Check::kHostPointer, site, "a kernel %s %zu bytes at %p, which is host memory", verb, bytes,
         reinterpret_cast<void*>(a));
}

void maybe_switch(Thread& me) {
  static int left = 1;
  if (!settings().preempt || --left > 0) return;
  left = 1 + static_cast<int>(random_below(2 * static_cast<unsigned>(settings().preempt)));
  make_ready(me);
  switch_away();
}

void device_access(uintptr_t a, size_t bytes, Use use, Site site, const Access& access) {
  bool writes = use != Use::kRead;
  Allocation* allocation = inside_allocation(a, bytes, writes, site);
  if (!allocation) stop();
  if (!allocation->ranges.empty()) check_range(a, bytes, writes, site);
  if ((bytes & (bytes - 1)) == 0 && a % bytes) {
    report(Check::kMisaligned, site, "%zu-byte access at %s", bytes, describe(a).c_str());
  }
  if (use == Use::kWrite) current_thread()->fenced = false;
  if (settings().counts) count_access(a, bytes, writes, false, site);
  check_cells({allocation->cells, a - allocation->base, a, bytes, false}, use, access, site);
}

void shared_access(uintptr_t a, size_t bytes, Use use, Site site, const Access& access) {
  const SharedSegment& segment = shared_segment();
  uintptr_t offset = a - reinterpret_cast<uintptr_t>(dynamic_shared());
  bool writes = use != Use::kRead;
  if (offset < kMostSharedBytes && offset + bytes > the_block().kernel.shared_bytes) {
    report(Check::kSharedOutOfBounds, site,
           "%s of %zu bytes at offset %zu, but the launch asked for %zu bytes", writes ? "write" : "read",
           bytes, static_cast<size_t>(offset), the_block().kernel.shared_bytes);
  }
  if ((bytes & (bytes - 1)) == 0 && a % bytes) {
    report(Check::kMisaligned, site, "%zu-byte access at %s", bytes, describe(a).c_str());
  }
  if (settings().counts) count_access(a, bytes, writes, true, site);
  check_cells({segment.cells, a - segment.begin, a, bytes, true}, use, access, site);
}

}  // namespace

void thread_access(uintptr_t a, size_t bytes, Use use, Site site) {
  Thread& me = *current_thread();
  if (a - me.stack < kStackBytes) return;
  totals().accesses++;
  maybe_switch(me);
  Access access{current_operation(), the_block().number, me.number, now(me)};
  if (is_device(a)) {
    device_access(a, bytes, use, site, access);
  } else if (is_shared(a)) {
    shared_access(a, bytes, use, site, access);
  } else {
    other_access(a, bytes, use != Use::kRead, site);
  }
}

void atomic_access(uintptr_t a, size_t bytes, Site site) {
  thread_access(a, bytes, Use::kAtomic, site);
  if (is_device(a)) order_blocks(a);
}

bool operation_access(const void* p, size_t bytes, Use use, const char* what) {
  if (!bytes) return true;
  uintptr_t a = reinterpret_cast<uintptr_t>(p);
  if (!is_device(a)) {
    report(Check::kHostPointer, {}, "%s: %p is not device memory", what, p);
    return false;
  }
  Allocation* allocation = inside_allocation(a, bytes, use == Use::kWrite, {});
  if (!allocation) return false;
  Access access{current_operation(), kNoThread, 0, 0};
  check_cells({allocation->cells, a - allocation->base, a, bytes, false}, use, access, {});
  return true;
}

void lose_value(void* p, size_t bytes) {
  if (!operation_access(p, bytes, Use::kWrite, "undefined range")) return;
  uintptr_t a = reinterpret_cast<uintptr_t>(p);
  Allocation& allocation = slot_of(a);
  set_value({allocation.cells, a - allocation.base, a, bytes, false}, false);
  std::memset(p, 0xff, bytes);
}

}  // namespace cuda_check
