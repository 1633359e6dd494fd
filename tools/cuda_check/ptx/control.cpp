// Branches, calls, and what threads do together.
#include "../include/cuda_runtime.h"
#undef __shared__
#include "../src/block.h"
#include "../src/report.h"
#include "frame.h"

namespace cuda_check::ptx {
namespace {

unsigned mask_of(const Instruction& i, size_t k, const Frame& f) {
  return static_cast<unsigned>(in(i, k, f));
}

uint64_t combined(const std::string& mode, Type t, uint64_t a, uint64_t b) {
  if (mode == "add") return zero_extended(a + b, t);
  if (mode == "and") return a & b;
  if (mode == "or") return a | b;
  if (mode == "xor") return a ^ b;
  bool less = is_signed(t) ? sign_extended(a, t) < sign_extended(b, t) : a < b;
  return less == (mode == "min") ? a : b;
}

}  // namespace

void branch(const Instruction& i, Frame& f) { f.next = static_cast<size_t>(i.targets[0]); }
void indexed_branch(const Instruction& i, Frame& f) {
  uint64_t k = zero_extended(in(i, 0, f), Type::kU32);
  if (k >= i.targets.size()) unsupported("PTX branch beyond its table: %s", i.text.c_str());
  f.next = static_cast<size_t>(i.targets[k]);
}
void leave(const Instruction&, Frame& f) { f.next = f.function.code.size(); }
void nothing(const Instruction&, Frame&) {}

void trap(const Instruction& i, Frame&) {
  report(Check::kTrap, {nullptr, i.line}, "the kernel executes trap");
  stop();
}

void call(const Instruction& i, Frame& f) {
  const Function& callee = *i.callee;
  if (callee.code.empty()) unsupported("PTX call of a function without a body: %s", callee.name.c_str());
  alignas(16) unsigned char parameters[kMostParameterBytes];
  size_t results = callee.results.size();
  for (size_t k = 0; k < callee.parameters.size(); k++) {
    const Parameter& p = callee.parameters[k];
    std::memcpy(parameters + p.offset, f.parameters + i.operands[results + k].value, p.bytes);
  }
  run(callee, parameters);
  for (size_t k = 0; k < results; k++) {
    const Parameter& p = callee.results[k];
    std::memcpy(f.parameters + i.operands[k].value, parameters + p.offset, p.bytes);
  }
}

// bar.sync 0, bar.warp.sync mask, bar.red.popc d, 0, p.
void barrier(const Instruction& i, Frame& f) {
  if (i.mode == "warp") return cuda_check_warp_barrier(mask_of(i, 0, f), i.line);
  bool votes = i.mode.rfind("red", 0) == 0;
  size_t id = votes ? 1 : 0;
  if (in(i, id, f) != 0 || i.mode == "arrive") unsupported("PTX named barrier: %s", i.text.c_str());
  if (!votes) {
    if (i.operands.size() > 1) unsupported("PTX barrier of some threads: %s", i.text.c_str());
    return cuda_check_barrier(i.line);
  }
  int kind = i.mode == "red.popc" ? 0 : i.mode == "red.and" ? 1 : 2;
  int vote = cuda_check_barrier_vote(predicate(i.operands.back(), f), kind, i.line);
  out(i, f, static_cast<uint64_t>(vote));
}

void fence(const Instruction&, Frame&) { cuda_check_fence(); }
void active_mask(const Instruction& i, Frame& f) { out(i, f, cuda_check_active_mask()); }

// shfl.sync.mode d|p, a, b, c, mask: c holds the segment's width, p whether the source lies in the segment.
void shuffle(const Instruction& i, Frame& f) {
  int kind = i.mode == "idx" ? 0 : i.mode == "up" ? 1 : i.mode == "down" ? 2 : 3;
  int b = static_cast<int>(in(i, 2, f)), lane = static_cast<int>(current_thread()->number % kLanes);
  int width = 32 - static_cast<int>(in(i, 3, f) >> 8 & 31), first = lane & ~(width - 1);
  out(i, f, cuda_check_shuffle(mask_of(i, 4, f), in(i, 1, f), b, width, kind, i.line));
  if (i.second < 0) return;
  int source = kind == 0 ? first + (b & (width - 1)) : kind == 1 ? lane - b : kind == 2 ? lane + b : lane ^ b;
  f.registers[i.second] = source >= first && source < first + width;
}

void vote(const Instruction& i, Frame& f) {
  unsigned mask = mask_of(i, 2, f);
  unsigned lanes = cuda_check_ballot(mask, predicate(i.operands[1], f), i.line);
  out(i, f, i.mode == "ballot" ? lanes : i.mode == "any" ? lanes != 0 : lanes == mask);
}

void match(const Instruction& i, Frame& f) {
  unsigned mask = mask_of(i, 2, f), same = cuda_check_match(mask, zero_extended(in(i, 1, f), i.type), i.line);
  if (i.mode == "any") return out(i, f, same);
  out(i, f, same == mask ? mask : 0);
  if (i.second >= 0) f.registers[i.second] = same == mask;
}

void reduce(const Instruction& i, Frame& f) {
  unsigned mask = mask_of(i, 2, f);
  uint64_t mine = zero_extended(in(i, 1, f), i.type), all = 0;
  bool first = true;
  for (int lane = 0; lane < 32; lane++) {
    if (!(mask >> lane & 1)) continue;
    uint64_t v = cuda_check_shuffle(mask, mine, lane, 32, 0, i.line);
    all = first ? v : combined(i.mode, i.type, all, v);
    first = false;
  }
  out(i, f, all);
}

}  // namespace cuda_check::ptx
