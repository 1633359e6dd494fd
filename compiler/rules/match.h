// Does a rule's pattern fit a node?
#pragma once

#include <optional>

#include "compiler/emitter.h"
#include "compiler/facts.h"
#include "compiler/rules/rule.h"

namespace cohort {

struct Match {
  std::vector<ValueId> variables;          // by Rule::variables
  std::vector<std::optional<Attr>> attrs;  // by Rule::attr_variables; nothing: the attribute is absent
};

// What the variables stand for, if the pattern fits `node` in the function of `facts` and every condition is
// met.
std::optional<Match> match_rule(const Rule& rule, const NodeView& node, ValueFacts& facts);

}  // namespace cohort
