#include "counts.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "block.h"
#include "settings.h"

namespace cuda_check {
namespace {

struct Request {
  uintptr_t addresses[kLanes];
  unsigned lanes = 0;
};

// One instruction: by its address in the program, or by its line.
struct Instruction {
  std::string kernel;
  void* pc;
  int line;
  bool writes, shared;
  uint8_t bytes;
  bool operator<(const Instruction& o) const {
    return std::tie(kernel, pc, line, writes, shared, bytes) <
           std::tie(o.kernel, o.pc, o.line, o.writes, o.shared, o.bytes);
  }
};

struct Total {
  uint64_t requests = 0, taken = 0, least = 0;
};

struct InBlock {
  std::vector<uint32_t> executed;                             // by thread
  std::map<std::pair<uint32_t, uint32_t>, Request> requests;  // by warp and execution
};

struct Counts {
  std::map<Instruction, Total> totals;
  std::map<Instruction, InBlock> block;
  std::map<std::string, uint64_t> instructions;  // by kernel
  ~Counts();
};
Counts counts;

uint64_t sectors(const Request& r, unsigned bytes) {
  std::set<uintptr_t> touched;
  for (unsigned i = 0; i < r.lanes; i++) {
    for (uintptr_t s = r.addresses[i] / 32; s <= (r.addresses[i] + bytes - 1) / 32; s++) touched.insert(s);
  }
  return touched.size();
}

// Words of one bank are fetched one after another; lanes that want the same word share it. Requests of 8 and
// 16 bytes are served in halves and quarters of a warp.
uint64_t passes(const Request& r, unsigned bytes) {
  unsigned together = kLanes / std::max(1u, bytes / 4);
  uint64_t total = 0;
  for (unsigned first = 0; first < r.lanes; first += together) {
    std::set<uintptr_t> banks[32];
    size_t most = 0;
    for (unsigned i = first; i < std::min(r.lanes, first + together); i++) {
      for (uintptr_t w = r.addresses[i] / 4; w <= (r.addresses[i] + bytes - 1) / 4; w++) {
        banks[w % 32].insert(w);
        most = std::max(most, banks[w % 32].size());
      }
    }
    total += most;
  }
  return total;
}

uint64_t least_sectors(const Request& r, unsigned bytes) {
  std::set<uintptr_t> distinct(r.addresses, r.addresses + r.lanes);
  return (distinct.size() * bytes + 31) / 32;
}

uint64_t least_passes(const Request& r, unsigned bytes) {
  unsigned together = kLanes / std::max(1u, bytes / 4);
  return (r.lanes + together - 1) / together;
}

struct Row {
  std::string place;
  Total total;
};

void print(const std::map<Instruction, Total>& totals) {
  std::vector<void*> pcs;
  for (auto& [instruction, total] : totals) pcs.push_back(instruction.pc);
  std::vector<std::string> names = symbols(pcs);
  std::map<std::string, Total> rows;
  size_t i = 0;
  for (auto& [instruction, total] : totals) {
    std::string& name = names[i++];
    size_t colon = name.rfind(':');
    std::string line = instruction.pc ? name.substr(colon + 1) : std::to_string(instruction.line);
    Total& row = rows[text("%-24s line %4s  %-5s %-6s %2d", instruction.kernel.c_str(), line.c_str(),
                           instruction.writes ? "store" : "load", instruction.shared ? "shared" : "global",
                           instruction.bytes)];
    row.requests += total.requests, row.taken += total.taken, row.least += total.least;
  }
  for (auto& [place, t] : rows) {
    std::fprintf(stderr, "counts: %s  requests %7llu  transactions %8llu  least %8llu  ratio %.2f\n",
                 place.c_str(), static_cast<unsigned long long>(t.requests),
                 static_cast<unsigned long long>(t.taken), static_cast<unsigned long long>(t.least),
                 static_cast<double>(t.taken) / static_cast<double>(t.least));
  }
}

Counts::~Counts() {
  if (!settings().counts) return;
  std::fflush(stdout);
  print(totals);
  for (auto& [kernel, executed] : instructions) {
    std::fprintf(stderr, "counts: %-24s PTX instructions %llu\n", kernel.c_str(),
                 static_cast<unsigned long long>(executed));
  }
}

}  // namespace

void count_access(uintptr_t a, size_t bytes, bool writes, bool shared, Site site) {
  InBlock& here =
      counts.block[{kernel_name(), site.pc, site.line, writes, shared, static_cast<uint8_t>(bytes)}];
  here.executed.resize(the_block().size);
  uint32_t thread = current_thread()->number;
  Request& request = here.requests[{thread / kLanes, here.executed[thread]++}];
  if (request.lanes < kLanes) request.addresses[request.lanes++] = a;
}

void finish_counting_block() {
  for (auto& [instruction, here] : counts.block) {
    Total& total = counts.totals[instruction];
    for (auto& [key, request] : here.requests) {
      unsigned bytes = instruction.bytes;
      std::sort(request.addresses, request.addresses + request.lanes);
      total.requests++;
      total.taken += instruction.shared ? passes(request, bytes) : sectors(request, bytes);
      total.least += instruction.shared ? least_passes(request, bytes) : least_sectors(request, bytes);
    }
  }
  counts.block.clear();
}

void count_instructions(uint64_t executed) { counts.instructions[kernel_name()] += executed; }

}  // namespace cuda_check
