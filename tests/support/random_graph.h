// Random graphs for differential tests: whatever runs a graph (the interpreter on optimised functions, loop
// programs, compiled code) must agree with the interpreter on these. Everything follows from the seed alone.
#pragma once

#include "compiler/sample.h"
#include "ir/graph.h"

namespace cohort::test {

struct RandomGraphOptions {
  int nodes = 14;              // operators asked for; casts and index arithmetic come on top
  bool named_dims = true;      // some inputs have a named dim
  bool states = true;          // state variables and updates
  bool structured = true;      // operators beyond the scalar rows
  bool transcendental = true;  // operators whose compiled value may be some ulp from the interpreter's
  bool halves = true;          // f16 and bf16
  bool integers = true;        // integers and bool beside floats
  std::int64_t max_elements = 3000;
};

// A well formed module of one function `f`. Indices are in range and no extremum is taken over nothing, so
// running it on any input reports no error. All dtypes, ranks 0 to 3, extents 0 (rarely), 1 and odd ones.
Module random_module(std::uint64_t seed, const RandomGraphOptions& options = {});

}  // namespace cohort::test
