// Cotangents of slices of one value, put together: a model's parameters are often slices of one vector, and a
// sum of as many padded vectors would cost their number times the vector.
//
//   pad(g0) + pad(g1) + pad(g2)   ⇒   concat(g0, g1, g2)
#pragma once

#include <vector>

#include "ir/symbol.h"

namespace cohort {

// `cotangent` at [start, start + its extent) along `axis`, all of the other axes, zero elsewhere.
struct CotangentPart {
  Symbol cotangent;
  int axis = 0;
  std::int64_t start = 0;
};

// Terms whose sum is the sum of the parts, each of `type`: parts that do not overlap share one.
std::vector<Symbol> joined_parts(FunctionBuilder& to, std::vector<CotangentPart> parts, const Type& type);

}  // namespace cohort
