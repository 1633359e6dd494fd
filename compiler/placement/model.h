// The programs of a module as one problem of placement: state has one home in all of them.
#pragma once

#include <span>

#include "compiler/compiled.h"
#include "compiler/placement/problem.h"

namespace cohort::placement {

// The first cluster is the host: it gives inputs and takes outputs. Then come the homes of state, one for
// each storage, then the kernels of all programs. Constants lie on both devices and cost nothing. Every store
// to a buffer makes a value of it; who stores to a part of a buffer reads what was there. A reader of a
// product that the pass `fuse_tiles` would join with it costs its launch only where the product comes from
// the CPU; products that a library computes join nothing.
struct Model {
  // What a value of the problem is.
  struct Origin {
    std::size_t program = 0;
    kernel::BufferId buffer = 0;
    double bytes = 0;
  };
  Problem problem;
  std::vector<std::uint32_t> home;          // by StateId: its cluster
  std::vector<std::uint32_t> first_kernel;  // by program
  std::vector<Origin> origins;              // by value
};

inline constexpr std::uint32_t kHost = 0;

// `weights`: how often each program is called, in whatever unit.
Model model_of(std::span<kernel::Program* const> programs, const CompiledModule& compiled,
               const CompileOptions& options, std::span<const double> weights);

}  // namespace cohort::placement
