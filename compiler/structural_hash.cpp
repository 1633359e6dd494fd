#include "compiler/structural_hash.h"

#include <bit>
#include <cstring>
#include <map>

#include "ir/op_def.h"

namespace cohort {

std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = bytes.size() < 8 ? bytes.size() : 8;
    std::memcpy(&word, bytes.data(), count);
    hash = hash_combine(hash, word);
    bytes.remove_prefix(count);
  }
  return hash;
}

namespace {

std::uint64_t hash_dim(const Dim& dim) {
  return hash_combine(
      hash_combine(static_cast<std::uint64_t>(dim.offset), static_cast<std::uint64_t>(dim.scale)),
      dim.symbol);
}

std::uint64_t hash_type(const Type& type) {
  return hash_combine(static_cast<std::uint64_t>(type.dtype), hash_shape(type.shape));
}

struct AttrHash {
  std::uint64_t operator()(bool value) const { return value; }
  std::uint64_t operator()(std::int64_t value) const { return static_cast<std::uint64_t>(value); }
  std::uint64_t operator()(double value) const { return std::bit_cast<std::uint64_t>(value); }
  std::uint64_t operator()(const std::string& value) const { return hash_bytes(value); }
  std::uint64_t operator()(const Shape& value) const { return hash_shape(value); }
  std::uint64_t operator()(const Strings& value) const {
    std::uint64_t hash = value.size();
    for (const std::string& each : value) hash = hash_combine(hash, hash_bytes(each));
    return hash;
  }
  // The attributes beside it name it.
  std::uint64_t operator()(const CustomRef&) const { return 1; }
  std::uint64_t operator()(DType value) const { return static_cast<std::uint64_t>(value); }
  std::uint64_t operator()(const IntList& value) const {
    std::uint64_t hash = value.size();
    for (const auto& entry : value)
      hash =
          hash_combine(hash_combine(hash, entry.has_value()), static_cast<std::uint64_t>(entry.value_or(0)));
    return hash;
  }
};

}  // namespace

std::uint64_t hash_shape(const Shape& shape) {
  std::uint64_t hash = shape.size();
  for (const Dim& dim : shape) hash = hash_combine(hash, hash_dim(dim));
  return hash;
}

std::uint64_t hash_attrs(const Attrs& attrs) {
  std::uint64_t hash = attrs.size();
  for (const NamedAttr& a : attrs) {
    hash = hash_combine(hash_combine(hash, hash_bytes(a.name)), a.value.index());
    hash = hash_combine(hash, std::visit(AttrHash{}, a.value));
  }
  return hash;
}

namespace {

// Hashes of functions in regions: one may be applied often.
using RegionHashes = std::map<const Function*, std::uint64_t>;

std::uint64_t hash_function(const Function& function, RegionHashes& known);

std::uint64_t hash_region(const Function& region, RegionHashes& known) {
  const auto found = known.find(&region);
  if (found != known.end()) return found->second;
  return known[&region] = hash_function(region, known);
}

std::uint64_t hash_function(const Function& function, RegionHashes& known) {
  const auto identity = [&](ValueId id) {
    const Value& value = function.value(id);
    return hash_combine(hash_combine(static_cast<std::uint64_t>(value.kind), value.index), value.result);
  };
  std::uint64_t hash = hash_bytes(function.name);
  for (const ValueId input : function.inputs) {
    hash = hash_combine(hash, hash_bytes(function.value(input).name));
    hash = hash_combine(hash, hash_type(function.type(input)));
  }
  for (const Node& node : function.nodes) {
    hash = hash_combine(hash_combine(hash, hash_bytes(node.op->name)), hash_attrs(node.attrs));
    for (const ValueId input : node.inputs) hash = hash_combine(hash, identity(input));
    for (const auto& region : node.regions) hash = hash_combine(hash, hash_region(*region, known));
    hash = hash_combine(hash, node.result_count);
  }
  for (const Output& output : function.outputs)
    hash = hash_combine(hash_combine(hash, hash_bytes(output.name)), identity(output.value));
  for (const Update& update : function.updates)
    hash = hash_combine(hash_combine(hash, update.state), identity(update.value));
  return hash;
}

}  // namespace

std::uint64_t structural_hash(const Function& function) {
  RegionHashes known;
  return hash_function(function, known);
}

}  // namespace cohort
