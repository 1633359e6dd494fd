// Hashes of nodes and functions that depend on structure alone: not on names of values, numbering or
// addresses.
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/graph.h"

namespace cohort {

// Mixes one more word into a hash (the finaliser of splitmix64).
constexpr std::uint64_t hash_combine(std::uint64_t seed, std::uint64_t word) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15u + word + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
std::uint64_t hash_bytes(std::string_view bytes);
std::uint64_t hash_shape(const Shape& shape);
std::uint64_t hash_attrs(const Attrs& attrs);

// Equal for functions that have the same inputs, nodes in the same order, outputs and updates. Nodes that
// stand in another order count as a change.
std::uint64_t structural_hash(const Function& function);

}  // namespace cohort
