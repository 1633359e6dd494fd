// Proves rules, or refutes them, by running both sides with the interpreter on every combination of special
// and random values, in every dtype the rule applies to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/rules/rule.h"

namespace cohort::test {

struct Proof {
  std::optional<std::string> refuted;  // a case where the two sides differ
  std::vector<DType> dtypes;           // of the variables in the cases that were tried
  std::int64_t elements = 0;           // compared
};
// Rules marked exact must agree bit for bit (any NaN equals any other). The others must agree within rounding
// on everyday values, and those marked accuracy must in f32 be no farther from the value in f64 than the
// pattern is.
Proof prove(const Rule& rule);

// One way to give the variables dtypes and the attributes values under which the pattern is well typed.
struct RuleCase {
  std::vector<DType> dtypes;               // by Rule::variables
  std::vector<std::optional<Attr>> attrs;  // by Rule::attr_variables
};
std::vector<RuleCase> cases_of(const Rule& rule);

// Emits one side of a rule over the values its variables stand for.
ValueId build_side(FunctionBuilder& builder, const RuleExpr& side, std::span<const ValueId> variables,
                   const RuleCase& rule_case);

}  // namespace cohort::test
