#include "operation.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "memory.h"
#include "report.h"
#include "settings.h"

namespace cuda_check {
namespace {

struct Operations {
  std::vector<std::unique_ptr<Operation>> all;
  std::vector<uint32_t> pending;
  std::vector<uint32_t> using_host_memory;  // that the host has not synchronised with
  Clock host;
  uint32_t current = 0;
};
Operations& operations() {
  static Operations& o = *new Operations;  // never destroyed: reports at exit name operations
  return o;
}

void join(Clock& a, const Clock& b) {
  if (a.size() < b.size()) a.resize(b.size());
  for (size_t i = 0; i < b.size(); i++) a[i] = std::max(a[i], b[i]);
}

bool includes(const Clock& clock, const Operation& o) {
  return static_cast<size_t>(o.stream) < clock.size() && clock[o.stream] >= o.sequence;
}

bool is_ready(uint32_t id) {
  const auto& after = operation(id).after;
  return std::all_of(after.begin(), after.end(), [](uint32_t a) { return operation(a).done; });
}

void run(uint32_t id) {
  Operation& o = operation(id);
  if (settings().trace)
    std::fprintf(stderr, "cuda_check: operation %u, stream %d: %s\n", id, o.stream, o.name.c_str());
  Operations& all = operations();
  OpenMemory open;
  uint32_t before = all.current;
  all.current = id;
  if (o.run) o.run();
  all.current = before;
  o.done = true;
  o.run = nullptr;
  all.pending.erase(std::find(all.pending.begin(), all.pending.end(), id));
}

std::set<uint32_t> needed_for(uint32_t wanted) {
  std::set<uint32_t> needed;
  std::vector<uint32_t> open{wanted};
  while (!open.empty()) {
    uint32_t id = open.back();
    open.pop_back();
    if (operation(id).done || !needed.insert(id).second) continue;
    const auto& after = operation(id).after;
    open.insert(open.end(), after.begin(), after.end());
  }
  return needed;
}

// One of the pending operations that may run: the first, or at random; under the lazy order only one that
// `wanted` needs.
uint32_t next_operation(uint32_t wanted) {
  std::vector<uint32_t> ready;
  bool lazy = wanted && settings().streams == StreamOrder::kLazy;
  std::set<uint32_t> needed = lazy ? needed_for(wanted) : std::set<uint32_t>{};
  for (uint32_t id : operations().pending) {
    if (is_ready(id) && (!lazy || needed.count(id))) ready.push_back(id);
  }
  if (ready.empty()) unsupported("operations wait for each other in a circle");
  return settings().streams == StreamOrder::kRandom ? ready[random_below(ready.size())] : ready[0];
}

bool overlap(const HostBytes& a, const HostBytes& b) { return a.begin < b.end && b.begin < a.end; }

void forget_what_the_host_saw() {
  auto& ids = operations().using_host_memory;
  auto seen = [](uint32_t id) { return includes(operations().host, operation(id)); };
  ids.erase(std::remove_if(ids.begin(), ids.end(), seen), ids.end());
}

// Two copies, one writing pinned memory, that nothing orders.
void check_host_bytes(const Operation& o) {
  forget_what_the_host_saw();
  for (uint32_t id : operations().using_host_memory) {
    const Operation& other = operation(id);
    if (!overlap(o.host, other.host) || !(o.host.writes || other.host.writes)) continue;
    if (includes(o.clock, other)) continue;
    report(Check::kStreamRace, {},
           "'%s' (stream %d) %s pinned memory that '%s' (stream %d) %s; nothing orders them", o.name.c_str(),
           o.stream, o.host.writes ? "writes" : "reads", other.name.c_str(), other.stream,
           other.host.writes ? "writes" : "reads");
  }
}

}  // namespace

Operation& operation(uint32_t id) { return *operations().all[id - 1]; }
uint32_t current_operation() { return operations().current; }
bool any_pending() { return !operations().pending.empty(); }

bool happens_before(uint32_t a, uint32_t b) { return a == b || includes(operation(b).clock, operation(a)); }

uint32_t submit(int stream, uint32_t sequence, std::vector<uint32_t> after, Work work) {
  Operations& all = operations();
  auto o = std::make_unique<Operation>();
  o->name = std::move(work.name);
  o->run = std::move(work.run);
  o->host = work.host;
  o->stream = stream;
  o->sequence = sequence;
  o->clock = all.host;
  for (uint32_t a : after) join(o->clock, operation(a).clock);
  if (o->clock.size() <= static_cast<size_t>(stream)) o->clock.resize(stream + 1);
  o->clock[stream] = sequence;
  o->after = std::move(after);
  if (o->host.end) check_host_bytes(*o);
  all.all.push_back(std::move(o));
  uint32_t id = static_cast<uint32_t>(all.all.size());
  all.pending.push_back(id);
  if (work.host.end) all.using_host_memory.push_back(id);
  if (settings().streams == StreamOrder::kEager) run_all();
  while (settings().streams == StreamOrder::kRandom && any_pending() && random_below(4) == 0)
    run(next_operation(0));
  return id;
}

void host_saw(uint32_t id) {
  if (id) join(operations().host, operation(id).clock);
}

void wait_for(uint32_t id) {
  if (!id) return;
  while (!operation(id).done) run(next_operation(id));
  host_saw(id);
}

void run_all() {
  while (any_pending()) run(next_operation(0));
}

void host_access(uintptr_t a, size_t bytes, bool writes, void* pc) {
  forget_what_the_host_saw();
  for (uint32_t id : operations().using_host_memory) {
    const Operation& o = operation(id);
    if (a >= o.host.end || a + bytes <= o.host.begin || !(writes || o.host.writes)) continue;
    report(Check::kHostRace, {pc, 0},
           "the host %s pinned memory that operation '%s' (stream %d) %s, without having waited for it",
           writes ? "writes" : "reads", o.name.c_str(), o.stream, o.host.writes ? "writes" : "reads");
  }
}

bool uses_host(uintptr_t a, size_t bytes, bool only_writes) {
  const auto& pending = operations().pending;
  return std::any_of(pending.begin(), pending.end(), [&](uint32_t id) {
    const HostBytes& used = operation(id).host;
    return overlap(used, {a, a + bytes, false}) && (used.writes || !only_writes);
  });
}

}  // namespace cuda_check
