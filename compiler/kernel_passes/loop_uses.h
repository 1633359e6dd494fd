// What a loop touches, and along which axes its iterations touch different elements: enough to decide whether
// two loops may become one.
#pragma once

#include <map>

#include "ir/kernel.h"

namespace cohort::kernel {

struct LoopUse {
  std::uint64_t axes =
      ~std::uint64_t{0};  // bit a: in every access the index on axis a is the loop's variable itself
  bool written = false;
  bool operator==(const LoopUse&) const = default;
};
using LoopUses = std::map<BufferId, LoopUse>;

// Uses in a list of statements, seen from the loop over `var`.
LoopUses loop_uses(const std::vector<Stmt>& list, VarId var);
void add(LoopUses& to, const LoopUses& from);

// Whether the iterations of two loops over the same extent may run pairwise: wherever one writes what the
// other touches, both touch it at the loop's own index on one axis.
bool may_fuse(const LoopUses& first, const LoopUses& second);
// Whether they touch some buffer at the same index: then fusing saves loads.
bool share_elements(const LoopUses& first, const LoopUses& second);
// Whether they can not change places.
bool conflict(const LoopUses& first, const LoopUses& second);

}  // namespace cohort::kernel
