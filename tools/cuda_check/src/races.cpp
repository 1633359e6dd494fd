#include "races.h"

#include <algorithm>

#include "block.h"
#include "operation.h"

namespace cuda_check {
namespace {

bool values_watched = false;

// Whether the current thread has met the lane in a warp barrier since it had passed `passed` of them.
bool met_since(uint32_t lane, uint32_t passed) { return current_thread()->warp_barriers[lane] > passed; }

// `after` is the current thread's.
bool ordered_in_block(const Access& before, const Access& after) {
  return before.thread == after.thread || barriers_passed(before.epoch) < barriers_passed(after.epoch) ||
         (before.thread / kLanes == after.thread / kLanes &&
          met_since(before.thread % kLanes, warp_barriers_passed(before.epoch)));
}

// Whether what `before` did was released (a fence, then an atomic) and acquired (an atomic at the same
// address) by the block of `after`. Barriers spread both within their blocks.
bool ordered_between_blocks(const Access& before, const Access& after) {
  auto found = the_block().acquired.find(before.block);
  if (found == the_block().acquired.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const Acquired& a) {
    bool released =
        barriers_passed(before.epoch) < barriers_passed(a.released) ||
        (barriers_passed(before.epoch) == barriers_passed(a.released) && before.thread == a.releasing_thread);
    bool acquired = after.thread == a.by || barriers_passed(after.epoch) > barriers_passed(a.at);
    return released && acquired;
  });
}

bool ordered(const Access& before, const Access& after) {
  if (before.operation != after.operation) return happens_before(before.operation, after.operation);
  return before.block == after.block ? ordered_in_block(before, after)
                                     : ordered_between_blocks(before, after);
}

// Whether all lanes that read a word, none of them later than `last`, did so before the current thread goes
// on.
bool lanes_ordered(uint32_t lanes, const Access& last, const Access& after) {
  for (uint32_t l = 0; l < kLanes; l++) {
    bool me = last.thread / kLanes == after.thread / kLanes && l == after.thread % kLanes;
    if ((lanes >> l & 1) && !me && !met_since(l, warp_barriers_passed(last.epoch))) return false;
  }
  return true;
}

bool reads_ordered(const Cell& c, const Access& after) {
  if (c.read.operation != after.operation) return ordered(c.read, after);
  if (c.read.block != after.block) return ordered(c.read, after);
  if (c.many_blocks) return false;
  if (barriers_passed(c.read.epoch) < barriers_passed(after.epoch)) return true;
  return !c.many_warps && c.read.thread / kLanes == after.thread / kLanes &&
         lanes_ordered(c.read_lanes, c.read, after);
}

void report_race(const char* what, uintptr_t address, const Access& other, const Access& mine, bool shared,
                 Site site) {
  std::string who;
  Check check = shared ? Check::kSharedRace : Check::kGlobalRace;
  if (other.operation != mine.operation) {
    check = Check::kStreamRace;
    who = text("operation '%s' (stream %d), which is not ordered before this one (stream %d)",
               operation(other.operation).name.c_str(), operation(other.operation).stream,
               operation(mine.operation).stream);
  } else if (other.block != mine.block) {
    who = text("thread #%u of block #%u: nothing orders the blocks", other.thread, other.block);
  } else {
    who = text("thread #%u of the same block, with no barrier between", other.thread);
  }
  report(check, site, "%s on %s; the other access is by %s", what, describe(address).c_str(), who.c_str());
}

// Shared memory is new for each block.
void renew(Cell& c, const Access& mine) {
  if (c.write.operation != mine.operation || c.write.block != mine.block)
    c.write.operation = 0, c.written = 0;
  if (c.read.operation != mine.operation || c.read.block != mine.block) c.read.operation = 0;
}

void check_cell(const Cell& c, uint8_t mask, uintptr_t address, Use use, const Access& mine, bool shared,
                Site site) {
  bool writes = use != Use::kRead, atomic = use == Use::kAtomic;
  if (use != Use::kWrite && values_watched && (c.written & mask) != mask) {
    report(Check::kUninitialised, site, "read of %s, which has no value", describe(address).c_str());
  }
  bool both_atomic = atomic && c.atomic_write && c.write.operation == mine.operation;
  if (c.write.operation && (c.write_mask & mask) && !both_atomic && !ordered(c.write, mine)) {
    report_race(writes ? "write after write" : "read after write", address, c.write, mine, shared, site);
  }
  if (writes && !atomic && c.read.operation && (c.read_mask & mask) && !reads_ordered(c, mine)) {
    report_race("write after read", address, c.read, mine, shared, site);
  }
}

void remember_read(Cell& c, uint8_t mask, const Access& mine) {
  bool same_operation = c.read.operation == mine.operation;
  bool same_interval = same_operation && c.read.block == mine.block &&
                       barriers_passed(c.read.epoch) == barriers_passed(mine.epoch);
  uint32_t my_lane = 1u << mine.thread % kLanes;
  if (!same_interval) {
    c.many_warps = false;
    c.many_blocks = same_operation && (c.many_blocks || c.read.block != mine.block);
    c.read_mask = mask;
    c.read_lanes = my_lane;
    c.read = mine;
    return;
  }
  bool same_warp = c.read.thread / kLanes == mine.thread / kLanes;
  // Who comes after this thread comes after those that it comes after.
  bool others_ordered = same_warp && current_thread() && lanes_ordered(c.read_lanes, c.read, mine);
  c.many_warps |= !same_warp;
  c.read_mask |= mask;
  c.read_lanes = others_ordered ? my_lane : c.read_lanes | my_lane;
  Epoch latest = others_ordered ? mine.epoch : std::max(c.read.epoch, mine.epoch);
  c.read = mine;
  c.read.epoch = latest;
}

void remember_write(Cell& c, uint8_t mask, const Access& mine, bool atomic) {
  c.write = mine;
  c.write_mask = mask;
  c.atomic_write = atomic;
  c.written |= mask;
}

// From now on each byte of the word has a cell of its own.
void split(Cell& word, Cell* bytes) {
  word.split = true;
  for (int k = 0; k < 4; k++) {
    bytes[k] = word;
    bytes[k].write_mask = word.write_mask >> k & 1;
    bytes[k].read_mask = word.read_mask >> k & 1;
    bytes[k].written = word.written >> k & 1;
  }
}

// Calls visit(cell, mask of its bytes, address) for all cells of the bytes.
template <class Visit>
void for_each_cell(const Watched& w, Visit visit) {
  uintptr_t last = w.offset + w.bytes - 1;
  for (uintptr_t i = w.offset / 4; i <= last / 4; i++) {
    Cell& word = w.cells.words[i];
    uintptr_t from = i == w.offset / 4 ? w.offset % 4 : 0, to = i == last / 4 ? last % 4 : 3;
    uintptr_t address = w.address - w.offset + i * 4;
    bool whole = from == 0 && to == 3;
    if (whole && !word.split) {
      visit(word, 15, address);
      continue;
    }
    if (!word.split) split(word, w.cells.bytes + i * 4);
    for (uintptr_t k = from; k <= to; k++) visit(w.cells.bytes[i * 4 + k], 1, address + k);
  }
}

}  // namespace

void watch_values(bool on) { values_watched = on; }

void set_value(const Watched& w, bool has_value) {
  for_each_cell(w, [&](Cell& c, uint8_t mask, uintptr_t) {
    c.written = static_cast<uint8_t>(has_value ? c.written | mask : c.written & ~mask);
  });
}

void check_cells(const Watched& w, Use use, const Access& mine, Site site) {
  for_each_cell(w, [&](Cell& c, uint8_t mask, uintptr_t address) {
    if (w.shared) renew(c, mine);
    check_cell(c, mask, address, use, mine, w.shared, site);
    if (use == Use::kRead) remember_read(c, mask, mine);
    if (use != Use::kRead) remember_write(c, mask, mine, use == Use::kAtomic);
  });
}

void order_blocks(uintptr_t a) {
  Block& b = the_block();
  const Thread& me = *current_thread();
  std::vector<Released>& here = b.released[a];
  for (const Released& r : here) {
    if (r.block == b.number) continue;
    auto& acquired = b.acquired[r.block];
    auto same = std::find_if(acquired.begin(), acquired.end(), [&](const Acquired& old) {
      return old.by == me.number && old.releasing_thread == r.thread;
    });
    Acquired mine{r.epoch, r.thread, me.number, now(me)};
    if (same == acquired.end()) {
      acquired.push_back(mine);
    } else if (r.epoch > same->released) {
      *same = mine;
    }
  }
  if (!me.fenced) return;
  auto mine = std::find_if(here.begin(), here.end(),
                           [&](const Released& r) { return r.block == b.number && r.thread == me.number; });
  if (mine == here.end()) {
    here.push_back({b.number, me.number, now(me)});
  } else {
    mine->epoch = now(me);
  }
}

}  // namespace cuda_check
