// Merging: k kernels that do the same to different data become one loop over members, over one storage.
//
//   for v0 < 50 { a[v0] = mul(a[v0], 2) }                 for v9 < 3 {
//   for v1 < 50 { b[v1] = mul(b[v1], 2) }         ⇒         for v0 < 50 { S[v9, v0] = mul(S[v9, v0], 2) }
//   for v2 < 50 { c[v2] = mul(c[v2], 2) }                 }                        S = a, b, c side by side
//
// Exact by construction: each member's loops stay as they are, only addresses and constants become functions
// of the member. compiler/README.md, "Merging", is the way in.
#pragma once

#include <map>
#include <span>

#include "compiler/compiled.h"

namespace cohort {

struct MergeResult {
  std::vector<std::vector<StateId>> state_storages;     // variables to lie side by side, in this order
  std::vector<std::map<NodeId, std::uint32_t>> merged;  // by function: see CompiledFunction
  std::vector<MergedGroup> groups;
  std::vector<NearMiss> near_misses;
};

// Programs as they come from lowering, one for each function of the module, which receives merged constants.
// `calls`: how often each function is called, if that is known; state is laid out for those called most.
MergeResult merge_kernels(Module& module, std::vector<kernel::Program>& programs, MergeMode mode,
                          const CpuProfile& cpu, std::span<const double> calls = {});

}  // namespace cohort
