// Which kernels of a program are merged: the steps before anything is rewritten.
#pragma once

#include "compiler/merge/merge.h"
#include "compiler/merge/roll.h"
#include "compiler/merge/skeleton.h"

namespace cohort::merge {

// What a kernel reads or writes at the same place in all members.
struct Operand {
  std::vector<kernel::BufferId> buffers;  // by member
  bool shared = false;                    // one buffer for all members
};
struct Group {
  std::vector<std::uint32_t> kernels;                 // members, in the order of the loop
  std::vector<Operand> operands;                      // as Skeleton::operands; of a group of one its lists
  std::vector<std::vector<std::uint64_t>> constants;  // by member, as Skeleton::constants
};
// The kernels of a program in a new order of execution; a group of one is left as it is.
struct Plan {
  std::vector<Group> groups;
  Lists lists;
  std::vector<NearMiss> near_misses;

  // The arrays that an operand wants side by side, in their order by member; none if it is one array.
  std::vector<kernel::BufferId> arrays(const Operand& operand) const;
};
// Rolls sums in the program first; module and program receive what that makes.
Plan plan_merging(Module& module, kernel::Program& program, std::size_t function, MergeMode mode,
                  const CpuProfile& cpu);

}  // namespace cohort::merge
