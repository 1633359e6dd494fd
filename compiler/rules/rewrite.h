// Applies rules to a function, bottom up in one walk: each node is emitted over operands that are already
// simplified, and what a rule replaces it by is emitted the same way, so rules meet each other's results
// without a second walk.
#pragma once

#include "compiler/rules/rule.h"

namespace cohort {

// Rules with the two operand orders of commutative operators written out, found by their root operator.
class RuleIndex {
 public:
  explicit RuleIndex(std::span<const Rule> rules);
  // In the order of the rules.
  std::span<const Rule> with_root(const OpDef& op) const;

 private:
  std::vector<std::vector<Rule>> by_op_;  // by position in `ops_`
  std::vector<const OpDef*> ops_;         // sorted by address, which nothing but the search depends on
};

// The rules of one mark, indexed; built once.
const RuleIndex& rules_marked(Exactness exactness);

Function rewrite(ModuleBuilder& module, const Function& function, const RuleIndex& rules);

}  // namespace cohort
