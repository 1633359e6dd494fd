// How loops go over the elements of a product: what the pass `fuse_tiles` matches.
#pragma once

#include <optional>

#include "compiler/kernel_passes/linear.h"
#include "compiler/kernel_passes/walk.h"

namespace cohort::kernel {

// A variable that counts to `extent`, and how far the elements of an array lie apart for two of its values.
struct Axis {
  VarId var = 0;
  ExprRef extent;
  Linear stride;
};

// The variables of `loops` in terms of those of `places`, if both go over the same elements of an array that
// lie next to each other without gaps: axes that are equal, in any order, several places as one loop, or one
// as several loops. Nothing if they do not, or if that is not known.
//
//   places p < 8, i < 64, j < 32 with strides 2048, 32, 1
//   loops  v < 512, w < 4, x < 8 with strides 32, 8, 1      v = p * 64 + i, w = j / 8, x = j % 8
std::optional<Substitution> places_of_loops(std::vector<Axis> places, std::vector<Axis> loops);

}  // namespace cohort::kernel
