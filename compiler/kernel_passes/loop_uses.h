// What a loop touches, and along which axes its iterations touch different elements: enough to decide whether
// two loops may become one.
#pragma once

#include <map>

#include "ir/kernel.h"

namespace cohort::kernel {

// The part of a buffer that a whole loop touches, if it is known on an axis: `[i, 100 + v]` of a loop over
// v < 50 lies in [100, 150) on axis 1. So loops that fill parts of one array do not meet.
struct TouchedPart {
  static constexpr int kUnknown = -1, kNothing = -2;
  int axis = kNothing;
  std::int64_t begin = 0, end = 0;
  bool operator==(const TouchedPart&) const = default;
};

struct LoopUse {
  std::uint64_t axes =
      ~std::uint64_t{0};  // bit a: in every access the index on axis a is the loop's variable itself
  bool written = false;
  TouchedPart part;
  bool operator==(const LoopUse&) const = default;
};
using LoopUses = std::map<BufferId, LoopUse>;

LoopUses loop_uses(const Stmt& loop);
// Uses in a list of statements, none of which is seen from a loop.
LoopUses list_uses(const std::vector<Stmt>& list);
void add(LoopUses& to, const LoopUses& from);

// Whether the iterations of two loops over the same extent may run pairwise: wherever one writes what the
// other touches, both touch it at the loop's own index on one axis, or they touch different parts of it.
bool may_fuse(const LoopUses& first, const LoopUses& second);
// Whether they touch some buffer at the same index: then fusing saves loads.
bool share_elements(const LoopUses& first, const LoopUses& second);
// Whether they can not change places.
bool conflict(const LoopUses& first, const LoopUses& second);

}  // namespace cohort::kernel
