// Writes a program for two devices once it is decided which kernel runs where: every buffer gets a copy in
// the memory of each device that touches it, and transfers stand where a value is needed on the other one.
//
//   kernel a { h[v0] = x[v0] * 2 }                kernel upload_x { x' = upload x }
//   kernel b { y[v0] = tanh(h[v0]) }        ⇒     kernel a gpu { h'[v0] = x'[v0] * 2 }
//   a on the GPU, b on the CPU                    kernel download_h { h = download h' }
//                                                 kernel b { y[v0] = tanh(h[v0]) }
//
// A value crosses at most once in each direction between two stores to it. Inputs are valid on the CPU
// before, outputs after the call; state is at its home before and after every kernel. A single number that
// only the CPU has does not cross: kernels of the GPU take it as an argument. See Note [devices] in
// ir/kernel.h.
#pragma once

#include <vector>

#include "ir/kernel.h"

namespace cohort {

struct ProgramPlacement {
  std::vector<kernel::Device> kernels;  // by position in Program::kernels
  std::vector<kernel::Device> states;   // home, by StateId; the same in all programs of a module
  bool numbers_cross = false;           // single numbers are transferred like all else
};

// Before `outline`: the program has neither rows nor calls.
kernel::Program apply_placement(kernel::Program program, const ProgramPlacement& placement);

}  // namespace cohort
