#include "compiler/rules/match.h"

#include <cmath>

#include "compiler/rules/conditions.h"

namespace cohort {

namespace {

struct Matcher {
  ValueFacts& facts;
  Match match;
  std::vector<bool> attr_bound;

  bool bind(int variable, ValueId value) {
    ValueId& bound = match.variables[static_cast<std::size_t>(variable)];
    if (bound == kNoId) bound = value;
    return bound == value;
  }

  bool bind_attr(int variable, const std::optional<Attr>& value) {
    const auto i = static_cast<std::size_t>(variable);
    if (attr_bound[i]) return match.attrs[i] == value;
    attr_bound[i] = true;
    match.attrs[i] = value;
    return true;
  }

  bool fits_attr(const AttrPattern& pattern, const Attr* actual) {
    switch (pattern.kind) {
      case AttrPattern::Kind::kValue:
        return actual && *actual == pattern.value;
      case AttrPattern::Kind::kVariable:
        return bind_attr(pattern.variable, actual ? std::optional(*actual) : std::nullopt);
      case AttrPattern::Kind::kOnlyEntry: {
        const IntList* list = actual ? std::get_if<IntList>(actual) : nullptr;
        return list && list->size() == 1 && list->front() &&
               bind_attr(pattern.variable, Attr(*list->front()));
      }
    }
    return false;
  }

  bool fits_attrs(const RuleExpr& expr, const Attrs& attrs) {
    for (const AttrSpec& spec : expr.op->attrs) {
      const Attr* actual = find_attr(attrs, spec.name);
      if (!actual && spec.fallback) actual = &*spec.fallback;
      const AttrPattern* pattern = nullptr;
      for (const AttrPattern& p : expr.attrs)
        if (p.name == spec.name) pattern = &p;
      if (pattern ? !fits_attr(*pattern, actual)
                  : actual && actual != (spec.fallback ? &*spec.fallback : nullptr) &&
                        !(spec.fallback && *actual == *spec.fallback))
        return false;
    }
    return true;
  }

  bool fits_literal(const RuleExpr& expr, ValueId value) {
    const auto scalar = facts.uniform_value(value);
    if (!scalar || (expr.is_truth && scalar->dtype != DType::kBool)) return false;
    const double number = expr.number;
    const Scalar wanted = make_scalar(scalar->dtype, number);
    const double back = scalar_as_double(wanted);
    const bool exact =
        std::isnan(number) ? std::isnan(back) : back == number;  // 0.5 is no integer, 300 is no i8
    return exact && *scalar == wanted;
  }

  bool fits(const RuleExpr& expr, ValueId value) {
    if (expr.kind == RuleExpr::Kind::kVariable) return bind(expr.variable, value);
    if (expr.kind == RuleExpr::Kind::kLiteral) return fits_literal(expr, value);
    const Value& v = facts.function().value(value);
    if (v.kind != ValueKind::kNode) return false;
    const Node& node = facts.function().node(v.index);
    return node.op == expr.op && fits(expr, {node.op, node.inputs, node.attrs});
  }

  bool fits(const RuleExpr& expr, const NodeView& node) {
    if (node.inputs.size() != expr.args.size() || !fits_attrs(expr, node.attrs)) return false;
    for (std::size_t i = 0; i < expr.args.size(); ++i)
      if (!fits(expr.args[i], node.inputs[i])) return false;
    return true;
  }

  bool holds(const Condition& condition) {
    const ValueId value = match.variables[static_cast<std::size_t>(condition.variable)];
    const DType dtype = facts.function().type(value).dtype;
    const ConditionKind& kind = *condition.kind;
    if (kind.dtype && !kind.dtype(dtype)) return false;
    if (kind.dtypes) {
      const auto& attr = match.attrs[static_cast<std::size_t>(condition.attr_variable)];
      if (!attr || !kind.dtypes(dtype, std::get<DType>(*attr))) return false;
    }
    return !kind.proven || kind.proven(facts, value);
  }
};

}  // namespace

std::optional<Match> match_rule(const Rule& rule, const NodeView& node, ValueFacts& facts) {
  Matcher matcher{facts, {std::vector<ValueId>(rule.variables.size(), kNoId), {}}, {}};
  matcher.match.attrs.resize(rule.attr_variables.size());
  matcher.attr_bound.resize(rule.attr_variables.size());
  if (!matcher.fits(rule.pattern, node)) return std::nullopt;
  for (const Condition& condition : rule.conditions)
    if (!matcher.holds(condition)) return std::nullopt;
  return std::move(matcher.match);
}

}  // namespace cohort
