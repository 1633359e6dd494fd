// What `cohort explain` tells of a compiled module, as JSON: its text, its --json and its page are made of
// this. tools/README.md says what the members mean.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "compiler/compiled.h"

namespace cohort {

using Json = nlohmann::ordered_json;

// Kernels, groups and near misses of one function; with `node`, the kernels that compute it alone and, if a
// merged loop does, as which member.
Json explain_function(const Module& source, const CompiledModule& compiled, std::size_t function,
                      const std::string& node);

// The C++ sources that are emitted, and those that --merge=off would give.
Json explain_sources(const Module& source, const CompiledModule& compiled, CompileOptions options);

// State that lies side by side.
Json explain_storages(const CompiledModule& compiled);
// State that is computed once because it always holds the same value.
Json explain_equal_states(const CompiledModule& compiled);

// Near misses that are listed; the others are counted.
inline constexpr std::size_t kMostNearMisses = 20;

}  // namespace cohort
