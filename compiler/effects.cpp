#include "compiler/effects.h"

#include <set>

namespace cohort {

bool has_effect(const OpDef& op) { return op.name == "print" || op.name == "assert"; }

namespace {

// Functions seen are passed over: one may be applied many times, and the one that it applies again.
bool has_effect(const Node& node, std::set<const Function*>& seen) {
  if (has_effect(*node.op)) return true;
  for (const auto& region : node.regions) {
    if (!seen.insert(region.get()).second) continue;
    for (const Node& inner : region->nodes)
      if (has_effect(inner, seen)) return true;
  }
  return false;
}

}  // namespace

bool has_effect(const Node& node) {
  if (node.regions.empty()) return has_effect(*node.op);
  std::set<const Function*> seen;
  return has_effect(node, seen);
}

}  // namespace cohort
