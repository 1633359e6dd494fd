// The kernels that lowering ends with: a new value, complete in a temporary, becomes the value of a state
// variable.
#pragma once

#include <optional>

#include "ir/kernel.h"

namespace cohort::kernel {

// The copy of a whole temporary into a state variable of the same shape.
struct Commit {
  std::size_t kernel = 0;
  BufferId state = 0;
  BufferId temporary = 0;
};
// What kernel `k` commits, if that is all it does. While indices have one expr per axis.
std::optional<Commit> commit_in(const Program& program, std::size_t k);

}  // namespace cohort::kernel
