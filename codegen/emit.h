// From a compiled module to the files that make it a C++ library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/artefact.h"
#include "compiler/compiled.h"

namespace cohort {

// A C++ function that computes nodes of a function of the module.
struct EmittedPlace {
  std::string name;
  std::size_t function = 0;
  std::vector<NodeId> nodes;
};

struct EmitOptions {
  std::string prefix;                     // of symbols and file names; empty: the module's name
  std::string tool = "cohort";            // name and version, for the manifest and the files' first lines
  std::uint64_t inline_weights = 4096;    // weights of at most so many bytes stand in NAME.cpp
  std::size_t listed_states = 64;         // with more state variables none has a line of its own
  std::uint64_t source_bytes = 1u << 20;  // a source that grows beyond this is followed by another
  bool threads = true;                    // the interface has set_parallel
  bool instrument = false;  // calls, values of dims and times of kernels are counted: README, "Profiles"
  std::vector<EmittedPlace>* places = nullptr;  // receives one entry for each kernel
  int shards = 0;  // exactly so many sources, some of them perhaps empty; 0: as many as needed
};

// Pure: equal modules and options give equal bytes.
std::vector<Artefact> emit_module(const CompiledModule& compiled, const EmitOptions& options);

}  // namespace cohort
