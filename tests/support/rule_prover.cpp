#include "tests/support/rule_prover.h"

#include <algorithm>
#include <cmath>

#include "compiler/rules/conditions.h"
#include "compiler/sample.h"
#include "ir/diagnostics.h"
#include "ir/interpreter.h"

namespace cohort::test {

namespace {

bool is_structured(const RuleExpr& expr) {
  if (expr.op && expr.op->scalar == ScalarOp::kNone && expr.op->name != "copy") return true;
  return std::any_of(expr.args.begin(), expr.args.end(), is_structured);
}

// What an attribute variable may stand for, by the attribute it is used for.
void collect_values(const RuleExpr& expr, std::vector<std::vector<std::optional<Attr>>>& values) {
  for (const AttrPattern& pattern : expr.attrs) {
    if (pattern.kind == AttrPattern::Kind::kValue) continue;
    auto& list = values[static_cast<std::size_t>(pattern.variable)];
    if (!list.empty()) continue;
    const auto spec = std::find_if(expr.op->attrs.begin(), expr.op->attrs.end(),
                                   [&](const AttrSpec& s) { return s.name == pattern.name; });
    if (pattern.kind == AttrPattern::Kind::kOnlyEntry || spec->kind == AttrKind::kInt) {
      for (const std::int64_t axis : {0, 1, -1}) list.emplace_back(Attr(axis));
    } else if (spec->kind == AttrKind::kDType) {
      for (int d = 0; d < kDTypeCount; ++d) list.emplace_back(Attr(static_cast<DType>(d)));
    } else if (spec->kind == AttrKind::kBool) {
      for (const bool flag : {false, true}) list.emplace_back(Attr(flag));
    } else {
      list = {std::nullopt, Attr(IntList{0}), Attr(IntList{1}), Attr(IntList{0, -1})};
    }
  }
  for (const RuleExpr& arg : expr.args) collect_values(arg, values);
}

bool dtypes_admitted(const Rule& rule, const RuleCase& c) {
  return std::all_of(rule.conditions.begin(), rule.conditions.end(), [&](const Condition& condition) {
    const DType dtype = c.dtypes[static_cast<std::size_t>(condition.variable)];
    if (condition.kind->dtype && !condition.kind->dtype(dtype)) return false;
    if (!condition.kind->dtypes) return true;
    return condition.kind->dtypes(
        dtype, std::get<DType>(*c.attrs[static_cast<std::size_t>(condition.attr_variable)]));
  });
}

bool sample_admitted(const Rule& rule, std::size_t variable, Scalar element) {
  return std::all_of(rule.conditions.begin(), rule.conditions.end(), [&](const Condition& condition) {
    return static_cast<std::size_t>(condition.variable) != variable || !condition.kind->sample ||
           condition.kind->sample(element);
  });
}

// A literal of the dtype, if it can hold the number.
std::optional<ValueId> literal_of(FunctionBuilder& builder, const RuleExpr& expr, DType dtype) {
  if (expr.is_truth) dtype = DType::kBool;
  const double back = scalar_as_double(make_scalar(dtype, expr.number));
  if (back != expr.number && !(std::isnan(back) && std::isnan(expr.number)))
    if (is_float(dtype) ? std::isinf(back) || back == 0 : true) return std::nullopt;
  return builder.literal(dtype, expr.number);
}

// The two sides as outputs of one function whose inputs are the variables; nothing if the pattern is not well
// typed.
struct Sides {
  Module module;
  const Function& function() const { return *module.functions[0]; }
};
std::optional<Sides> sides(const Rule& rule, const RuleCase& c, const Extents& extents) {
  ModuleBuilder module("rule");
  FunctionBuilder builder(module, "f");
  std::vector<ValueId> variables;
  for (std::size_t i = 0; i < rule.variables.size(); ++i)
    variables.push_back(
        builder.input(rule.variables[i], {c.dtypes[i], Shape(extents.begin(), extents.end())}));
  ValueId left = kNoId;
  try {
    left = build_side(builder, rule.pattern, variables, c);
  } catch (const UserError&) {
    return std::nullopt;
  }
  if (left == kNoId) return std::nullopt;
  ValueId right =
      build_side(builder, rule.replacement, variables, c);  // must be well typed where the pattern is
  if (builder.type(right).shape != builder.type(left).shape)
    right = builder.make("broadcast", {right}, {{"shape", builder.type(left).shape}});
  builder.output("left", left);
  builder.output("right", right);
  module.add_function(builder.finish());
  return Sides{module.finish()};
}

}  // namespace

ValueId build_side(FunctionBuilder& builder, const RuleExpr& side, std::span<const ValueId> variables,
                   const RuleCase& c) {
  if (side.kind == RuleExpr::Kind::kVariable) return variables[static_cast<std::size_t>(side.variable)];
  if (side.kind == RuleExpr::Kind::kLiteral) return literal_of(builder, side, c.dtypes[0]).value_or(kNoId);
  std::vector<ValueId> inputs(side.args.size(), kNoId);
  DType beside = c.dtypes.empty() ? DType::kBool : c.dtypes.back();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (side.args[i].kind == RuleExpr::Kind::kLiteral) continue;
    inputs[i] = build_side(builder, side.args[i], variables, c);
    if (inputs[i] == kNoId) return kNoId;
    if (!(side.op->scalar == ScalarOp::k_where && i == 0)) beside = builder.type(inputs[i]).dtype;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != kNoId) continue;
    const auto literal = literal_of(builder, side.args[i], beside);
    if (!literal) return kNoId;
    inputs[i] = *literal;
  }
  Attrs attrs;
  for (const AttrPattern& a : side.attrs) {
    const auto i = static_cast<std::size_t>(a.variable);
    if (a.kind == AttrPattern::Kind::kValue)
      attrs.push_back({a.name, a.value});
    else if (a.kind == AttrPattern::Kind::kOnlyEntry)
      attrs.push_back({a.name, IntList{std::get<std::int64_t>(*c.attrs[i])}});
    else if (c.attrs[i])
      attrs.push_back({a.name, *c.attrs[i]});
  }
  return builder.node(*side.op, inputs, attrs);
}

std::vector<RuleCase> cases_of(const Rule& rule) {
  std::vector<std::vector<std::optional<Attr>>> values(rule.attr_variables.size());
  collect_values(rule.pattern, values);
  std::vector<RuleCase> cases;
  const std::size_t masks = std::size_t{1} << rule.variables.size();
  for (int d = 0; d < kDTypeCount; ++d)
    for (std::size_t mask = 0; mask < (d == 0 ? 1 : masks); ++mask) {
      RuleCase c;
      for (std::size_t i = 0; i < rule.variables.size(); ++i)
        c.dtypes.push_back(mask >> i & 1 ? DType::kBool : static_cast<DType>(d));
      if (d != 0 && mask != 0 && mask == masks - 1) continue;  // all bool: tried already
      c.attrs.resize(values.size());
      std::size_t count = 1;
      for (const auto& list : values) count *= list.size();
      for (std::size_t n = 0; n < count; ++n) {
        std::size_t rest = n;
        for (std::size_t i = 0; i < values.size(); ++i) {
          c.attrs[i] = values[i][rest % values[i].size()];
          rest /= values[i].size();
        }
        if (dtypes_admitted(rule, c) && sides(rule, c, {3, 5})) cases.push_back(c);
      }
    }
  return cases;
}

namespace {

std::vector<Scalar> elements_for(const Rule& rule, std::size_t variable, DType dtype, std::size_t count,
                                 Random& random) {
  std::vector<Scalar> elements;
  for (const Scalar& s : special_values(dtype))
    if (sample_admitted(rule, variable, s)) elements.push_back(s);
  for (int tries = 0; tries < 2000 && elements.size() < count && dtype != DType::kBool; ++tries) {
    const Scalar s = sample_scalar(dtype, random);
    if (sample_admitted(rule, variable, s)) elements.push_back(s);
  }
  return elements;
}

// All combinations of elements, one for each variable.
std::vector<Tensor> combinations(const Rule& rule, const RuleCase& c, Random& random) {
  constexpr std::size_t kCounts[] = {0, 400, 90, 38, 12};
  std::vector<std::vector<Scalar>> elements;
  std::int64_t total = 1;
  for (std::size_t i = 0; i < c.dtypes.size(); ++i) {
    elements.push_back(elements_for(rule, i, c.dtypes[i], kCounts[c.dtypes.size()], random));
    total *= static_cast<std::int64_t>(elements.back().size());
  }
  std::vector<Tensor> result;
  std::int64_t inner = 1;
  for (std::size_t i = 0; i < c.dtypes.size(); ++i) {
    const auto size = static_cast<std::int64_t>(elements[i].size());
    Tensor tensor(c.dtypes[i], {total});
    for (std::int64_t j = 0; j < total; ++j)
      store_scalar(tensor, j, elements[i][static_cast<std::size_t>(j / inner % size)]);
    inner *= size;
    result.push_back(std::move(tensor));
  }
  return result;
}

std::vector<Tensor> matrices(const Rule& rule, const RuleCase& c, Random& random) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < c.dtypes.size(); ++i) {
    const std::vector<Scalar> elements = elements_for(rule, i, c.dtypes[i], 200, random);
    Tensor tensor(c.dtypes[i], {3, 5});
    for (std::int64_t j = 0; j < 15; ++j)
      store_scalar(
          tensor, j,
          elements[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(elements.size())))]);
    result.push_back(std::move(tensor));
  }
  return result;
}

std::vector<Tensor> run(const Sides& s, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> state;
  return interpret(s.module, s.function(), inputs, state, {}).outputs;
}

std::string describe(const Rule& rule, const RuleCase& c, const std::string& what) {
  std::string text = rule.text + ": with ";
  for (std::size_t i = 0; i < c.dtypes.size(); ++i)
    text += fmt::format("{} {} ", dtype_name(c.dtypes[i]), rule.variables[i]);
  return text + what;
}

void prove_exact(const Rule& rule, const RuleCase& c, Proof& proof, Random& random) {
  const bool structured = is_structured(rule.pattern);
  for (int round = 0; round < (structured ? 12 : 1); ++round) {
    const std::vector<Tensor> inputs = structured ? matrices(rule, c, random) : combinations(rule, c, random);
    const auto s = sides(rule, c, inputs.empty() ? Extents{} : inputs[0].extents());
    const std::vector<Tensor> outputs = run(*s, inputs);
    proof.elements += outputs[0].size();
    const auto difference = first_difference(outputs[0], outputs[1]);
    if (!difference) continue;
    std::string at;
    const std::string_view prefix = "element ";
    const bool elementwise = !structured && difference->starts_with(prefix);
    const std::int64_t index = elementwise ? std::stoll(difference->substr(prefix.size())) : 0;
    for (std::size_t i = 0; i < inputs.size() && elementwise; ++i)
      at += fmt::format("{} = {} ", rule.variables[i], element_as_double(inputs[i], index));
    proof.refuted = describe(rule, c, at + *difference);
    return;
  }
}

double epsilon(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return 0x1p-10;
    case DType::kBF16:
      return 0x1p-7;
    case DType::kF32:
      return 0x1p-23;
    default:
      return 0x1p-52;
  }
}

Tensor everyday(const Rule& rule, std::size_t variable, DType dtype, Random& random, double reach) {
  Tensor tensor(dtype, {3, 5});
  for (std::int64_t j = 0; j < 15;) {
    const double sign = random.chance(50) ? 1 : -1;
    const Scalar s = make_scalar(dtype, sign * std::exp2(random.uniform(-reach, reach / 2)));
    if (sample_admitted(rule, variable, s)) store_scalar(tensor, j++, s);
  }
  return tensor;
}

// Both sides within rounding of each other, where both are finite.
void prove_close(const Rule& rule, const RuleCase& c, Proof& proof, Random& random) {
  for (int round = 0; round < 20; ++round) {
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < c.dtypes.size(); ++i)
      inputs.push_back(everyday(rule, i, c.dtypes[i], random, 2));
    const std::vector<Tensor> outputs = run(*sides(rule, c, {3, 5}), inputs);
    proof.elements += outputs[0].size();
    for (std::int64_t j = 0; j < outputs[0].size(); ++j) {
      const double left = element_as_double(outputs[0], j), right = element_as_double(outputs[1], j);
      if (!std::isfinite(left) || !std::isfinite(right)) continue;
      if (std::fabs(left - right) <= 200 * epsilon(outputs[0].dtype()) * std::max(1.0, std::fabs(left)))
        continue;
      proof.refuted =
          describe(rule, c, fmt::format("the pattern gives {} and the replacement {}", left, right));
      return;
    }
  }
}

// In f32 the replacement is no farther from what f64 gives than the pattern, or within 4 ulp (16 ulp of 1,
// for rules over axes), where f64 itself can be trusted: there both sides agree to nine digits.
void prove_gain(const Rule& rule, const RuleCase& narrow, Proof& proof, Random& random) {
  RuleCase wide = narrow;
  for (DType& d : wide.dtypes)
    if (d == DType::kF32) d = DType::kF64;
  const auto s32 = sides(rule, narrow, {3, 5}), s64 = sides(rule, wide, {3, 5});
  if (!s64) return;
  for (int round = 0; round < 60; ++round) {
    std::vector<Tensor> inputs, inputs64;
    for (std::size_t i = 0; i < narrow.dtypes.size(); ++i) {
      inputs.push_back(everyday(rule, i, narrow.dtypes[i], random, 14));
      Tensor copy(wide.dtypes[i], {3, 5});
      for (std::int64_t j = 0; j < 15; ++j) set_element(copy, j, element_as_double(inputs.back(), j));
      inputs64.push_back(std::move(copy));
    }
    const std::vector<Tensor> out = run(*s32, inputs), truth = run(*s64, inputs64);
    for (std::int64_t j = 0; j < out[0].size(); ++j) {
      const double t = element_as_double(truth[0], j), again = element_as_double(truth[1], j);
      if (!std::isfinite(t) || std::fabs(t - again) > 1e-9 * std::fabs(t) || std::fabs(t) > 1e38) continue;
      ++proof.elements;
      const double left = std::fabs(element_as_double(out[0], j) - t),
                   right = std::fabs(element_as_double(out[1], j) - t);
      const double allowed =
          is_structured(rule.pattern) ? 16 * std::max(1.0, std::fabs(t)) : 4 * std::fabs(t);
      if (right <= left || right <= allowed * 0x1p-23 + 1e-45) continue;
      proof.refuted =
          describe(rule, narrow,
                   fmt::format("where {} is true, the pattern is off by {} and the replacement by {}", t,
                               left, right));
      return;
    }
  }
}

}  // namespace

Proof prove(const Rule& rule) {
  Proof proof;
  Random random(7);
  for (const RuleCase& c : cases_of(rule)) {
    for (const DType dtype : c.dtypes) proof.dtypes.push_back(dtype);
    try {
      if (rule.exactness == Exactness::kExact)
        prove_exact(rule, c, proof, random);
      else
        prove_close(rule, c, proof, random);
      const bool has_f32 = std::find(c.dtypes.begin(), c.dtypes.end(), DType::kF32) != c.dtypes.end();
      if (!proof.refuted && rule.exactness == Exactness::kAccuracy && has_f32)
        prove_gain(rule, c, proof, random);
    } catch (const UserError& error) {
      proof.refuted = describe(rule, c, error.what());
    }
    if (proof.refuted) break;
  }
  std::sort(proof.dtypes.begin(), proof.dtypes.end());
  proof.dtypes.erase(std::unique(proof.dtypes.begin(), proof.dtypes.end()), proof.dtypes.end());
  return proof;
}

}  // namespace cohort::test
