// How emitted sources want to be compiled: one place that the build recipe, the CMake fragment and pkg-config
// read.
#pragma once

#include <array>
#include <string_view>

namespace cohort {

// For g++ and clang alike. Contraction would round a * b + c once; the other two say what the emitted code
// never asks for, so that square roots and conversions need no calls.
inline constexpr std::array<std::string_view, 5> kRecipeFlags = {"-std=c++20", "-O2", "-ffp-contract=off",
                                                                 "-fno-math-errno", "-fno-trapping-math"};
// On wide machines clang splits vectors of 64 bytes unless told otherwise.
inline constexpr std::string_view kClangWideFlag = "-mprefer-vector-width=512";

}  // namespace cohort
