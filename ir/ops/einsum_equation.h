// The equation of an einsum: "ij,jk->ik", "...ii->...i", or without an arrow, where labels that stand once
// make the result, in the order of the alphabet. Spaces do not matter.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ir/type.h"

namespace cohort {

// A letter's code; axes of an ellipsis have the labels kEllipsis + position from the right, so that they
// align as in broadcasting.
using Label = int;
inline constexpr Label kEllipsis = 256;

struct EinsumEquation {
  std::vector<std::vector<Label>> operands;  // one label for each axis
  std::vector<Label> result;
};
// Refuses equations that are malformed or do not fit the operands' ranks.
EinsumEquation parse_einsum(std::string_view equation, std::span<const Type> operands);

}  // namespace cohort
