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

// Device code, by nvcc: contraction as above; constants and tables of the prelude are read on both sides; it
// does not know the pragmas that the host's compiler follows, and a division by zero is what the graph says.
inline constexpr std::array<std::string_view, 6> kDeviceFlags = {
    "-std=c++20", "-O3", "-fmad=false", "-expt-relaxed-constexpr", "-diag-suppress=39,1675", "-lineinfo"};
// Code for these architectures, and PTX of the last for later ones.
inline constexpr std::array<std::string_view, 4> kDeviceArchitectures = {"80", "90", "100", "120"};

}  // namespace cohort
