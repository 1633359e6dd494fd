// Barriers of a block and collectives of a warp: who has to arrive, what is wrong with those who did, what
// they get.
#include <algorithm>

#include "access.h"
#include "block.h"
#include "settings.h"

namespace cuda_check {
namespace {

int line_of(int site) { return site & 0xfffff; }

// All lanes of `mask` that live have arrived: checks that they do the same thing.
void check_agreement(const Thread* lanes, unsigned mask, const Collective& mine) {
  for (unsigned l = 0; l < kLanes; l++) {
    if (!(mask >> l & 1)) continue;
    const Collective& other = lanes[l].collective;
    if (other.mask != mine.mask) {
      report(Check::kWrongMask, {nullptr, mine.site}, "lanes pass different masks (%08x, %08x)", mine.mask,
             other.mask);
    }
    if (other.kind != mine.kind || other.site != mine.site) {
      report(Check::kDivergentCollective, {nullptr, mine.site},
             "lanes wait at different collectives (lines %d and %d)", line_of(mine.site),
             line_of(other.site));
    }
  }
}

// The lane that `lane` reads, as in the PTX manual's shfl.sync: itself where the source lies outside its
// segment.
unsigned source_lane(const Collective& c, unsigned lane) {
  int width = c.width, l = static_cast<int>(lane), first = l & ~(width - 1), source = l;
  switch (c.kind) {
    case CollectiveKind::kShuffle:
      source = first + (c.argument & (width - 1));
      break;
    case CollectiveKind::kShuffleUp:
      source = l - c.argument < first ? l : l - c.argument;
      break;
    case CollectiveKind::kShuffleDown:
      source = l + c.argument >= first + width ? l : l + c.argument;
      break;
    default:
      source = (l ^ c.argument) >= first + width ? l : l ^ c.argument;
      break;
  }
  return static_cast<unsigned>(source) & (kLanes - 1);
}

uint64_t shuffled(const Thread* lanes, unsigned lane, unsigned mask) {
  const Collective& c = lanes[lane].collective;
  unsigned source = source_lane(c, lane);
  if (mask >> source & 1) return lanes[source].collective.value;
  report(Check::kInactiveLane, {nullptr, c.site}, "lane %u reads lane %u, which is not in mask %08x", lane,
         source, mask);
  return ~uint64_t{0};
}

unsigned lanes_with(const Thread* lanes, unsigned mask, uint64_t value, bool any_but_zero) {
  unsigned found = 0;
  for (unsigned l = 0; l < kLanes; l++) {
    if (!(mask >> l & 1)) continue;
    uint64_t v = lanes[l].collective.value;
    if (any_but_zero ? v != 0 : v == value) found |= 1u << l;
  }
  return found;
}

uint64_t result_of(const Thread* lanes, unsigned lane, unsigned mask) {
  switch (lanes[lane].collective.kind) {
    case CollectiveKind::kBallot:
      return lanes_with(lanes, mask, 0, true);
    case CollectiveKind::kMatch:
      return lanes_with(lanes, mask, lanes[lane].collective.value, false);
    case CollectiveKind::kBarrier:
      return 0;
    default:
      return shuffled(lanes, lane, mask);
  }
}

// A warp barrier orders memory between its lanes: each has passed one more and knows what the others know.
void pass_warp_barrier(Thread* lanes, unsigned mask) {
  uint32_t known[kLanes] = {};
  for (unsigned l = 0; l < kLanes; l++) {
    if (!(mask >> l & 1)) continue;
    if (++lanes[l].warp_barriers[l] >> kWarpEpochBits)
      unsupported("2^%d warp barriers without a block's", kWarpEpochBits);
    for (unsigned m = 0; m < kLanes; m++) known[m] = std::max(known[m], lanes[l].warp_barriers[m]);
  }
  for (unsigned l = 0; l < kLanes; l++) {
    if (mask >> l & 1) std::copy(known, known + kLanes, lanes[l].warp_barriers);
  }
}

// Finishes the collective that `me` has arrived at if every lane of its mask has.
void try_collective(Thread& me) {
  Thread* lanes = &the_block().threads[me.number / kLanes * kLanes];
  unsigned mask = me.collective.mask, live = live_lanes(me.number / kLanes);
  if (mask & ~live) {
    report(Check::kWrongMask, {nullptr, me.collective.site},
           "mask %08x names lanes that returned or do not exist (live: %08x)", mask, live);
    mask &= live;
  }
  for (unsigned l = 0; l < kLanes; l++) {
    if (!(mask >> l & 1)) continue;
    if (lanes[l].state != ThreadState::kAtCollective || lanes[l].collective.complete) return;
  }
  check_agreement(lanes, mask, me.collective);
  for (unsigned l = 0; l < kLanes; l++) {
    if (mask >> l & 1) lanes[l].collective.result = result_of(lanes, l, mask);
  }
  if (me.collective.kind == CollectiveKind::kBarrier) pass_warp_barrier(lanes, mask);
  for (unsigned l = 0; l < kLanes; l++) {
    if (!(mask >> l & 1)) continue;
    lanes[l].collective.complete = true;
    if (&lanes[l] != &me) make_ready(lanes[l]);
  }
  me.state = ThreadState::kReady;
}

}  // namespace

unsigned live_lanes(unsigned warp) {
  const Block& b = the_block();
  unsigned live = 0;
  for (unsigned l = 0; l < kLanes && warp * kLanes + l < b.size; l++) {
    if (b.threads[warp * kLanes + l].state != ThreadState::kReturned) live |= 1u << l;
  }
  return live;
}

void try_barrier() {
  Block& b = the_block();
  if (!b.at_barrier || b.at_barrier != b.alive) return;
  int site = 0;
  b.votes[0] = 0, b.votes[1] = 1, b.votes[2] = 0;
  for (unsigned i = 0; i < b.size; i++) {
    const Thread& t = b.threads[i];
    if (t.state != ThreadState::kAtBarrier) continue;
    if (!site) site = t.barrier_site;
    if (t.barrier_site != site) {
      report(Check::kDivergentBarrier, {nullptr, site},
             "threads of one block wait at different __syncthreads (lines %d, %d)", line_of(site),
             line_of(t.barrier_site));
    }
    b.votes[0] += t.predicate != 0;
    b.votes[1] &= t.predicate != 0;
    b.votes[2] |= t.predicate != 0;
  }
  if (b.alive < b.size) {
    report(Check::kMissedBarrier, {nullptr, site},
           "__syncthreads reached by %u of %u threads; the others have returned", b.alive, b.size);
  }
  b.barriers++;
  b.at_barrier = 0;
  for (unsigned i = 0; i < b.size; i++) {
    if (b.threads[i].state != ThreadState::kAtBarrier) continue;
    std::fill_n(b.threads[i].warp_barriers, kLanes, 0u);
    make_ready(b.threads[i]);
  }
}

uint64_t collective(CollectiveKind kind, unsigned mask, uint64_t value, int argument, int width, int site) {
  Thread& me = *current_thread();
  unsigned lane = me.number % kLanes;
  if (!(mask >> lane & 1)) {
    report(Check::kWrongMask, {nullptr, site}, "lane %u calls with mask %08x, which does not name it", lane,
           mask);
  }
  me.collective = {kind, mask, site, argument, width, value, 0, false};
  me.state = ThreadState::kAtCollective;
  try_collective(me);
  if (!me.collective.complete) {
    switch_away();
  } else if (settings().order == Order::kRandom && (random_bits() & 1)) {
    make_ready(me);
    switch_away();
  }
  return me.collective.result;
}

}  // namespace cuda_check

using namespace cuda_check;

extern "C" {
int cuda_check_barrier_vote(int predicate, int kind, int site) {
  Thread& me = *current_thread();
  me.barrier_site = site;
  me.predicate = predicate;
  me.state = ThreadState::kAtBarrier;
  the_block().at_barrier++;
  try_barrier();
  switch_away();
  return the_block().votes[kind];
}

void cuda_check_barrier(int site) { cuda_check_barrier_vote(0, 0, site); }

void cuda_check_warp_barrier(unsigned mask, int site) {
  collective(CollectiveKind::kBarrier, mask, 0, 0, kLanes, site);
}

uint64_t cuda_check_shuffle(unsigned mask, uint64_t value, int argument, int width, int kind, int site) {
  return collective(static_cast<CollectiveKind>(kind), mask, value, argument, width, site);
}

unsigned cuda_check_ballot(unsigned mask, int predicate, int site) {
  return static_cast<unsigned>(collective(CollectiveKind::kBallot, mask, predicate != 0, 0, kLanes, site));
}

unsigned cuda_check_match(unsigned mask, uint64_t value, int site) {
  return static_cast<unsigned>(collective(CollectiveKind::kMatch, mask, value, 0, kLanes, site));
}

unsigned cuda_check_active_mask() { return live_lanes(current_thread()->number / kLanes); }

void cuda_check_fence() { current_thread()->fenced = true; }

void cuda_check_atomic(const volatile void* address, int bytes, void* pc) {
  if (!current_thread()) {
    report(Check::kDevicePointer, {pc, 0}, "a device atomic is called from host code");
    return;
  }
  atomic_access(reinterpret_cast<uintptr_t>(address), static_cast<size_t>(bytes), {pc, 0});
}
}
