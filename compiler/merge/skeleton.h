// What two kernels must have in common to become one loop over members, and what may differ between them.
//
//   simd v0 < 50 { x[v0] = mul(x[v0], 2.0) }        skeleton  simd _ < _ { B0[_] = mul(B0[_], _) }
//   simd v7 < 20 { y[v7] = mul(y[v7], 3.0) }   ⇒    operands  B0 = x | y
//                                                    constants _ = 50, 2.0 | 20, 3.0
//
// Buffers are operands, numbered by first mention with their dtype, kind and rank; every constant is open.
// Fixed buffers (arguments of the call, arrays that a function of the runtime takes whole) are themselves in
// the skeleton.
#pragma once

#include <string>
#include <vector>

#include "compiler/merge/roll.h"

namespace cohort::merge {

struct Skeleton {
  std::string open;   // equal for kernels that differ in operands and constants only
  std::string exact;  // the extents of loops and operands, but for the lengths of lists
  std::vector<kernel::BufferId> operands;
  std::vector<std::uint64_t> constants;  // bits, in order of appearance
};

// `fixed` by BufferId.
Skeleton skeleton_of(const kernel::Program& program, const kernel::Kernel& kernel,
                     const std::vector<bool>& fixed, const Lists& lists);

}  // namespace cohort::merge
