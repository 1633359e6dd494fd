#include "compiler/effects.h"

namespace cohort {

bool has_effect(const OpDef& op) { return op.name == "print" || op.name == "assert"; }

bool has_effect(const Node& node) {
  if (has_effect(*node.op)) return true;
  for (const auto& region : node.regions)
    for (const Node& inner : region->nodes)
      if (has_effect(inner)) return true;
  return false;
}

}  // namespace cohort
