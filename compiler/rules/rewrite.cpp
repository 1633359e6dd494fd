#include "compiler/rules/rewrite.h"

#include <algorithm>

#include "compiler/rules/match.h"
#include "ir/diagnostics.h"

namespace cohort {

namespace {

// All ways to write `expr` with the operands of its commutative operators in either order.
std::vector<RuleExpr> orders(const RuleExpr& expr) {
  std::vector<RuleExpr> result{expr};
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    std::vector<RuleExpr> next;
    for (const RuleExpr& arg : orders(expr.args[i]))
      for (RuleExpr form : result) {
        form.args[i] = arg;
        next.push_back(std::move(form));
      }
    result = std::move(next);
  }
  const bool commutes = expr.op && expr.op->scalar != ScalarOp::kNone &&
                        (scalar_op_info(expr.op->scalar).traits & kCommutative);
  if (!commutes) return result;
  for (std::size_t i = 0, count = result.size(); i < count; ++i) {
    RuleExpr swapped = result[i];
    std::swap(swapped.args[0], swapped.args[1]);
    result.push_back(std::move(swapped));
  }
  return result;
}

Attrs build_attrs(const RuleExpr& expr, const Match& match) {
  Attrs attrs;
  for (const AttrPattern& a : expr.attrs) {
    if (a.kind == AttrPattern::Kind::kValue) {
      set_attr(attrs, a.name, a.value);
      continue;
    }
    const auto& bound = match.attrs[static_cast<std::size_t>(a.variable)];
    if (!bound) continue;
    if (a.kind == AttrPattern::Kind::kVariable)
      set_attr(attrs, a.name, *bound);
    else
      set_attr(attrs, a.name, IntList{std::get<std::int64_t>(*bound)});
  }
  return attrs;
}

// A literal takes the dtype of the operands beside it, or the result's dtype where it stands alone.
ValueId build(Emitter& emitter, const RuleExpr& expr, const Match& match, DType dtype) {
  if (expr.kind == RuleExpr::Kind::kVariable) return match.variables[static_cast<std::size_t>(expr.variable)];
  if (expr.kind == RuleExpr::Kind::kLiteral)
    return emitter.to().literal(expr.is_truth ? DType::kBool : dtype, expr.number);
  std::vector<ValueId> inputs(expr.args.size(), kNoId);
  DType beside = dtype;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (expr.args[i].kind == RuleExpr::Kind::kLiteral) continue;
    inputs[i] = build(emitter, expr.args[i], match, dtype);
    const bool is_condition = expr.op->scalar == ScalarOp::k_where && i == 0;
    if (!is_condition) beside = emitter.type(inputs[i]).dtype;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] == kNoId) inputs[i] = build(emitter, expr.args[i], match, beside);
  return emitter.emit(*expr.op, inputs, build_attrs(expr, match));
}

}  // namespace

RuleIndex::RuleIndex(std::span<const Rule> rules) {
  for (const Rule& rule : rules) ops_.push_back(rule.pattern.op);
  std::sort(ops_.begin(), ops_.end());
  ops_.erase(std::unique(ops_.begin(), ops_.end()), ops_.end());
  by_op_.resize(ops_.size());
  for (const Rule& rule : rules) {
    const auto at = std::lower_bound(ops_.begin(), ops_.end(), rule.pattern.op) - ops_.begin();
    for (RuleExpr& pattern : orders(rule.pattern)) {
      by_op_[static_cast<std::size_t>(at)].push_back(rule);
      by_op_[static_cast<std::size_t>(at)].back().pattern = std::move(pattern);
    }
  }
}

std::span<const Rule> RuleIndex::with_root(const OpDef& op) const {
  const auto it = std::lower_bound(ops_.begin(), ops_.end(), &op);
  if (it == ops_.end() || *it != &op) return {};
  return by_op_[static_cast<std::size_t>(it - ops_.begin())];
}

const RuleIndex& rules_marked(Exactness exactness) {
  const auto index = [](Exactness mark) {
    std::vector<Rule> rules;
    for (const Rule& rule : all_rules())
      if (rule.exactness == mark) rules.push_back(rule);
    return RuleIndex(rules);
  };
  static const RuleIndex exact = index(Exactness::kExact), accuracy = index(Exactness::kAccuracy),
                         fast = index(Exactness::kFast);
  return exactness == Exactness::kExact ? exact : exactness == Exactness::kAccuracy ? accuracy : fast;
}

Function rewrite(ModuleBuilder& module, const Function& function, const RuleIndex& rules) {
  std::optional<ValueFacts> facts;
  const RewriteNode apply = [&](Emitter& emitter, const NodeView& node) -> std::vector<ValueId> {
    if (!facts) facts.emplace(emitter.module(), emitter.function());
    for (const Rule& rule : rules.with_root(*node.op)) {
      const auto match = match_rule(rule, node, *facts);
      if (!match) continue;
      const Type wanted = emitter.infer(node).front();
      const ValueId value = build(emitter, rule.replacement, *match, wanted.dtype);
      require(emitter.type(value).dtype == wanted.dtype, "a rule keeps the dtype");
      return {emitter.fit(value, wanted.shape)};
    }
    return {};
  };
  return Emitter(module, function, apply).run();
}

}  // namespace cohort
