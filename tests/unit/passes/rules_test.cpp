// Every rule proves itself; wrong ones are refuted; the engine applies each with operands of different
// shapes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "compiler/rules/conditions.h"
#include "compiler/rules/rewrite.h"
#include "compiler/sample.h"
#include "compiler/structural_hash.h"
#include "ir/diagnostics.h"
#include "ir/interpreter.h"
#include "tests/support/rule_prover.h"

namespace cohort::test {
namespace {

Rule rule_of(const std::string& line) { return parse_rules(line).front(); }

bool needs_claim(const Rule& rule, int variable, std::string_view claim) {
  return std::any_of(rule.conditions.begin(), rule.conditions.end(),
                     [&](const Condition& c) { return c.variable == variable && c.kind->name == claim; });
}
bool needs_sign(const Rule& rule, int variable) {
  return needs_claim(rule, variable, "nonnegative") || needs_claim(rule, variable, "positive");
}
bool needs_constant(const Rule& rule, int variable) {
  return needs_claim(rule, variable, "constant") || needs_claim(rule, variable, "power_of_two");
}

// The pattern as a graph whose variables have shapes that broadcast, constants and proven signs where it asks
// for them.
Module graph_of(const Rule& rule, const RuleCase& c, int variant) {
  ModuleBuilder module("rule");
  FunctionBuilder builder(module, "f");
  const Shape shapes[] = {{Dim(3), Dim(4)}, {Dim(3), Dim(1)}, {Dim(4)}, {Dim(1), Dim(4)}};
  std::vector<ValueId> variables;
  for (int i = 0; i < static_cast<int>(rule.variables.size()); ++i) {
    const DType dtype = c.dtypes[static_cast<std::size_t>(i)];
    const bool one_shape = !c.attrs.empty() && rule.pattern.op->scalar != ScalarOp::k_cast;
    const Shape& shape = one_shape || needs_claim(rule, i, "several") ? shapes[0] : shapes[(i + variant) % 4];
    ValueId value = builder.input(rule.variables[static_cast<std::size_t>(i)],
                                  {dtype, needs_claim(rule, i, "single") ? Shape{} : shape});
    if (needs_sign(rule, i) && is_float(dtype)) value = builder.make("cosh", {value});
    if (needs_constant(rule, i)) value = builder.literal(dtype, i == 1 ? 2 : 4);
    variables.push_back(value);
  }
  builder.output("y", build_side(builder, rule.pattern, variables, c));
  module.add_function(builder.finish());
  return module.finish();
}

}  // namespace

TEST_CASE("every rule proves itself in every dtype it applies to") {
  REQUIRE(all_rules().size() > 100);
  for (const Rule& rule : all_rules()) {
    CAPTURE(rule.text);
    const Proof proof = prove(rule);
    CHECK_MESSAGE(!proof.refuted, proof.refuted.value_or(""));
    CHECK(!proof.dtypes.empty());
    CHECK(proof.elements > 0);
  }
}

TEST_CASE("wrong rules are refuted") {
  for (const char* line :
       {"add-zero: add(x, 0) => x", "mul-zero: mul(x, 0) => 0", "sub: sub(x, y) => sub(y, x)",
        "zero-sub: sub(0, x) => neg(x)", "self: sub(x, x) => 0", "le: not(lt(x, y)) => ge(x, y)",
        "div: true_div(x, c) => mul(x, reciprocal(c)) where constant(c)", "abs: abs(x) => x",
        "max: max(x, 0) => x", "div-self: true_div(x, x) => 1", "sum: reduce_sum(x) => reduce_max(x)",
        "narrow: cast(cast(x){dtype=$a}){dtype=$b} => x where same_dtype(x, $b)",
        "sqrt: sqrt(square(x)) => x", "assoc: add(add(x, y), z) => add(x, add(y, z))",
        "axis: reduce_max(x){axes=$a, keepdims=$k} => reduce_max(x){keepdims=$k}",
        "not-accurate: log1p(x) => log(add(1, x)) [accuracy]", "not-close: tanh(x) => x [fast]"}) {
    CAPTURE(line);
    CHECK(prove(rule_of(line)).refuted);
  }
}

TEST_CASE("rules apply across broadcasting and keep type and value") {
  for (const Rule& rule : all_rules()) {
    CAPTURE(rule.text);
    const RuleIndex index(std::span(&rule, 1));
    int applied = 0;
    for (const RuleCase& c : cases_of(rule))
      for (int variant = 0; variant < 4; ++variant) {
        Module module = graph_of(rule, c, variant);
        const std::shared_ptr<const Function> before = module.functions[0];
        ModuleBuilder builder(std::move(module));
        const Function after = rewrite(builder, *before, index);
        const Type& type = before->type(before->outputs[0].value);
        REQUIRE(after.type(after.outputs[0].value) == type);
        applied += structural_hash(*before) != structural_hash(after);
        if (rule.exactness != Exactness::kExact) continue;
        SampleCall call = sample_call(builder.module(), *before, static_cast<std::uint64_t>(variant));
        std::vector<Tensor> state;
        const Tensor expected =
            interpret(builder.module(), *before, call.inputs, state, call.dims).outputs[0];
        const Tensor actual = interpret(builder.module(), after, call.inputs, state, call.dims).outputs[0];
        const auto difference = first_difference(expected, actual);
        CHECK_MESSAGE(!difference, difference.value_or(""));
      }
    CHECK(applied > 0);
  }
}

TEST_CASE("malformed rules are refused") {
  for (const char* line :
       {"a: nope(x) => x", "a: add(x) => x", "a: add(x, y)", "a: x => x", "a: add(x, y) => x where nope(x)",
        "a: add(x, y) => x [nearly]", "a: reduce_sum(x){axis=$a} => x", "a: add(x, y) => x y"}) {
    CAPTURE(line);
    CHECK_THROWS_AS(parse_rules(line), InternalError);
  }
}

}  // namespace cohort::test
