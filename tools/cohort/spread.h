// How far the results of one call move if every inexact operator is wrong by what `verify` allows it.
//
// A difference of two nearly equal values has few of their bits: an error of some ulp in tanh(x) is thousands
// of ulp of tanh(x) - tanh(y). So no number of ulp of the result is right for every graph. Instead the
// interpreter runs the call again with the results of all inexact operators moved, each element by itself at
// random, and what comes out shows how errors grow on the way to each element.
#pragma once

#include <span>
#include <vector>

#include "ir/interpreter.h"

namespace cohort {

// By value of the function and element, the greatest distance from the unmoved value in all runs. Infinite
// where a NaN or an infinity comes or goes; 0 of values that are exact.
using Spread = std::vector<std::vector<double>>;

// Elements move by up to `ulp` towards zero, so that none leaves the range of its operator; those of halves,
// which compiled code rounds once, by one. In bodies of loops and branches every step moves. With `all`,
// every float does, what nodes read as well: what --fp=fast may do to sums.
Spread spread_of(const Module& module, const Function& function, std::span<const Tensor> inputs,
                 std::span<const Tensor> state, const DimValues& dims, double ulp, std::uint64_t seed,
                 bool all = false);

}  // namespace cohort
