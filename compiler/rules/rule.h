// Algebra as text. A rule is one line of a .rules file of this folder; lines that begin with a space continue
// it:
//
//   name: pattern => replacement [where condition, ...] [[exact | accuracy | fast]]
//
//   expr      = VARIABLE | number | true | false | inf | -inf | nan | operator(expr, ...) [{attr = value,
//   ...}] value     = $VARIABLE | [$VARIABLE] | integer | true | false | dtype       [$a] is a list of just
//   one entry condition = claim(VARIABLE [, $VARIABLE])                                   the claims are
//   listed in conditions.cpp
//
// * A number in a pattern matches a scalar of exactly that value (0 is not -0.0) in whatever dtype, and what
// spreads
//   such a scalar over a shape. In a replacement it takes the dtype of the operands beside it. `true` and
//   `false` are bool always.
// * An attribute that a pattern does not mention must have its default. Operands of commutative operators
// match in
//   either order. A variable that stands twice must be the same value twice.
// * A rule holds for every dtype its conditions admit and its operators take; tests/unit/passes proves it for
// each.
// * A replacement keeps dtype and shape of what it replaces: where operands that made the shape are gone, a
// `broadcast`
//   brings it back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/pass.h"
#include "ir/op_def.h"

namespace cohort {

struct AttrPattern {
  enum class Kind : std::uint8_t { kValue, kVariable, kOnlyEntry };
  std::string name;
  Kind kind = Kind::kValue;
  int variable = 0;  // index into Rule::attr_variables
  Attr value{};      // kValue
};

struct RuleExpr {
  enum class Kind : std::uint8_t { kVariable, kLiteral, kOp };
  Kind kind = Kind::kVariable;
  int variable = 0;       // index into Rule::variables
  double number = 0;      // kLiteral; true is 1
  bool is_truth = false;  // kLiteral: written true or false
  const OpDef* op = nullptr;
  std::vector<RuleExpr> args{};
  std::vector<AttrPattern> attrs{};
};

struct ConditionKind;  // conditions.h
struct Condition {
  const ConditionKind* kind = nullptr;
  int variable = 0;
  int attr_variable = -1;  // for claims over a variable and a dtype attribute
};

struct Rule {
  std::string name;
  std::string text;  // the whole line, for messages
  RuleExpr pattern;
  RuleExpr replacement;
  std::vector<Condition> conditions;
  Exactness exactness = Exactness::kExact;
  std::vector<std::string> variables;
  std::vector<std::string> attr_variables;
};

// Throws InternalError with the line if `text` is malformed: rules are part of the compiler.
std::vector<Rule> parse_rules(std::string_view text);

// The rules of all .rules files, built into the program, in the order of the files' names and of their lines.
std::span<const Rule> all_rules();

}  // namespace cohort
