// Where the arrays of a program lie once its groups are merged.
#pragma once

#include "compiler/merge/plan.h"
#include "compiler/merge/storage.h"
#include "compiler/merge/tables.h"

namespace cohort::merge {

inline constexpr kernel::BufferId kNoBuffer = UINT32_MAX;

// Where an array lies: array `position` of a merged buffer, or by itself.
struct View {
  kernel::BufferId buffer = kNoBuffer;
  std::uint32_t position = 0;
};

// Adds merged buffers to the program, of state by the storages of the module, of temporaries and outputs by
// its own groups, and gives the place of every array by BufferId.
std::vector<View> place_arrays(const Module& module, kernel::Program& program, const Plan& plan,
                               const Storages& states, Tables& tables);

// Makes a buffer one of arrays of different sizes: array m begins at element starts[m].
void make_ragged(kernel::Buffer& buffer, std::vector<std::int64_t> starts, Tables& tables);

}  // namespace cohort::merge
