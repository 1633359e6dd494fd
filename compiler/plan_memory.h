// Gives every buffer an address: state at fixed offsets after the header, temporaries in one arena behind it
// where buffers whose lives do not overlap share space, constants and initial values in the weights (equal
// bytes once).
//
// Sizes are at the maximum of the named dims. Lives are counted in steps of execution: one kernel, or one row
// of a kernel. Temporaries are placed by best fit over the free gaps, O(n log n).
#pragma once

#include <vector>

#include "compiler/compiled.h"

namespace cohort {

// The steps of execution in which a buffer is touched; `first` is kNever if there are none.
struct Life {
  static constexpr std::size_t kNever = SIZE_MAX;
  std::size_t first = kNever;
  std::size_t last = 0;
};
std::vector<Life> lives(const kernel::Program& program);  // by BufferId
// For the greatest extents, without padding.
std::uint64_t buffer_bytes(const kernel::Buffer& buffer, const Dims& dims);

// Fills everything of `compiled` but `module` and the programs.
void plan_memory(CompiledModule& compiled);

}  // namespace cohort
