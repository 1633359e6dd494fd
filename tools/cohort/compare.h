// Comparing results with the interpreter's: bit for bit where every operator is exact, else in units in the
// last place.
#pragma once

#include <span>
#include <string>

#include "ir/graph.h"

namespace cohort {

// The distance between neighbours at this value.
double ulp_of(double value, DType dtype);

// How far `got` lies from `expected`. What counts is in ulp of the expected value, but values below 2^-10 of
// the greatest of the array are measured in ulp of 2^-10 of that one, so that cancellation to nearly nothing
// does not count as a large error. By element, a distance up to `slack` counts as none (spread.h).
struct Difference {
  double worst_ulp = 0;     // what counts; infinite for a NaN, an infinity or an integer that differs
  std::int64_t index = -1;  // flat index of the worst element; -1: all equal
  double own_ulp = 0;       // the greatest distance of an element in ulp of its own expected value
};
Difference compare(const Tensor& expected, const Tensor& got, std::span<const double> slack = {});

// Whether compiled code may differ from the interpreter in what the node itself does; of operators with
// regions, in what a node of those does.
bool is_inexact(const Node& node);

// What `verify` allows for each value of a function by default: 0 where no inexact operator stands above it,
// else kUlpPerOperator times the number of inexact operators on the longest path that leads to it. What an
// error grows by on the way is not in it.
inline constexpr double kUlpPerOperator = 16;
std::vector<double> allowed_ulp(const Function& function);

// "[2,0]" for flat index 6 of extents [4,3].
std::string index_text(const Tensor& tensor, std::int64_t flat);

}  // namespace cohort
