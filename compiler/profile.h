// What modules built with `cohort compile --instrument` counted, as `cohort compile --profile` reads it
// (codegen/README.md, "Profiles"), and what follows from it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace cohort {

// The values a named dim had in the calls of a function; those beyond the first few are only counted.
struct DimCounts {
  std::map<std::int64_t, std::uint64_t> calls;  // by value
  std::uint64_t other = 0;
};
struct FunctionCounts {
  std::uint64_t calls = 0;
  std::map<DimId, DimCounts> dims;
};
struct Profile {
  std::map<std::string, FunctionCounts> functions;  // by name; those that were never called may be missing
};

// Reads a profile of the module. Whatever is malformed, unknown, out of bounds or inconsistent is a
// UserError with its position; times of kernels are checked and not kept.
Profile read_profile(const std::string& path, const Module& module);
// Counts of one module in several workspaces, added.
void add_profile(Profile& profile, const Profile& more);

struct FixedDim {
  DimId dim = 0;
  std::int64_t value = 0;
  bool operator==(const FixedDim&) const = default;
};
// Values that dims of a function had together in at least nine calls of ten, whatever the calls in which
// they differed, by DimId. None is 0: there is nothing to be done for empty arrays.
std::vector<FixedDim> common_values(const FunctionCounts& counts);

}  // namespace cohort
