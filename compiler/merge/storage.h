// Where the arrays of merged groups lie: which of them share a storage, in which order.
//
// Arrays that are one operand of one group belong into one storage. State is laid out for all functions of
// the module at once; a function's temporaries by themselves.
#pragma once

#include <span>

#include "compiler/merge/plan.h"

namespace cohort::merge {

// Storages over the elements 0..count-1, in the order in which they lie.
struct Storages {
  std::vector<std::vector<std::uint32_t>> members;  // storages of two and more
  std::vector<std::uint32_t> storage;               // by element; kNone: an array of its own
  std::vector<std::uint32_t> position;              // by element: in its storage
  static constexpr std::uint32_t kNone = UINT32_MAX;
};
// Which elements share a storage: those of one list, in order of appearance.
Storages join_lists(std::uint32_t count, std::span<const std::vector<std::uint32_t>> lists);
// The same, laid out so that as many lists as possible are consecutive; `weights`: what each is worth, its
// length if there are none.
Storages plan_storages(std::uint32_t count, std::span<const std::vector<std::uint32_t>> lists,
                       std::span<const double> weights = {});

}  // namespace cohort::merge
