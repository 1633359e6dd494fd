#include <doctest/doctest.h>

#include <algorithm>

#include "merging_support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

CompiledModule compiled(const Module& module) {
  CompileOptions options;
  options.merge = MergeMode::kAlways;
  return compile(module, options);
}
// The kernels of the near miss whose reason has these words; 0: there is none.
std::size_t missed(const CompiledModule& module, const std::string& words) {
  for (const NearMiss& miss : module.near_misses)
    if (miss.reason.find(words) != std::string::npos) return miss.kernels.size();
  return 0;
}

}  // namespace

TEST_CASE("near misses: kernels that read the caller's arrays") {
  const CompiledModule merged = compiled(model([](ModuleBuilder&, FunctionBuilder& step) {
    for (int i = 0; i < 3; ++i) {
      const ValueId x = step.input(fmt::format("x{}", i), {DType::kF64, {5}});
      step.output(fmt::format("y{}", i), step.make("cumsum", {x}));
    }
  }));
  CHECK(merged.groups.empty());
  CHECK(missed(merged, "one reads `x0`, another `x1`: the caller's arrays keep their place") == 3);
}

TEST_CASE("near misses: state in one, a temporary in another") {
  const CompiledModule merged = compiled(model([](ModuleBuilder& builder, FunctionBuilder& step) {
    const ValueId s = variable(builder, step, "s", {5});
    const ValueId once = step.make("cumsum", {s});
    step.output("twice", step.make("cumsum", {once}));
  }));
  CHECK(merged.groups.empty());
  CHECK(missed(merged, "operands of another kind: `s` is state") == 2);
}

TEST_CASE("near misses: many kernels of few extents") {
  const CompiledModule merged = compiled(model([](ModuleBuilder& builder, FunctionBuilder& step) {
    for (int i = 0; i < 12; ++i) {
      const ValueId s = variable(builder, step, fmt::format("s{}", i), {i < 6 ? 5 : 7});
      step.output(fmt::format("y{}", i), step.make("cumsum", {s}));
    }
  }));
  CHECK(merged.groups.size() >= 2);
  CHECK(missed(merged, "2 sets of extents with 12 kernels") == 12);
}

TEST_CASE("near misses: one after the other, and in a circle") {
  const CompiledModule chain = compiled(model([](ModuleBuilder& builder, FunctionBuilder& step) {
    ValueId x = step.make("sin", {variable(builder, step, "s", {5})});
    for (int i = 0; i < 4; ++i) {
      x = step.make("cumsum", {x});
      step.output(fmt::format("y{}", i), x);
    }
  }));
  CHECK(missed(chain, "scheduled apart, in 4 groups: ") == 4);
  CHECK(missed(chain, "needs what one of the first group computes") == 4);

  const CompiledModule circle = compiled(model([](ModuleBuilder& builder, FunctionBuilder& step) {
    const ValueId p = step.make("cos", {variable(builder, step, "x", {6})});
    const ValueId q = step.make("cos", {variable(builder, step, "y", {6}, 3)});
    step.output("p", p);
    step.output("q", q);
    const ValueId a1 = step.make("sin", {p}), b1 = step.make("cumsum", {a1});
    const ValueId b2 = step.make("cumsum", {q}), a2 = step.make("sin", {b2});
    step.output("a1", a1);
    step.output("b1", b1);
    step.output("a2", a2);
    step.output("b2", b2);
  }));
  CHECK(missed(circle, "they would need each other in a circle") == 2);
}

TEST_CASE("near misses: what is merged whole has none") {
  const CompiledModule merged = compiled(model([](ModuleBuilder& builder, FunctionBuilder& step) {
    for (int i = 0; i < 4; ++i) {
      const std::string name = fmt::format("s{}", i);
      const ValueId s = variable(builder, step, name, {5});
      step.update(find_state(builder.module(), name), step.make("cumsum", {s}));
    }
  }));
  CHECK(merged.groups.size() >= 1);
  CHECK(merged.near_misses.empty());
}

TEST_CASE("groups say which nodes and arrays their members are") {
  const CompiledModule merged = compiled(model([](ModuleBuilder& builder, FunctionBuilder& step) {
    for (int i = 0; i < 4; ++i) {
      const ValueId s = variable(builder, step, fmt::format("s{}", i), {5});
      step.output(fmt::format("y{}", i), step.make("cumsum", {s}, {}, fmt::format("n{}", i)));
    }
  }));
  REQUIRE(!merged.groups.empty());
  const MergedGroup& group = merged.groups.front();
  REQUIRE(group.nodes.size() == 4);
  const Function& step = *merged.module.functions.front();
  for (std::size_t m = 0; m < 4; ++m) {
    REQUIRE(!group.nodes[m].empty());
    CHECK(display_name(step, step.node(group.nodes[m].front()).first_result).back() ==
          group.members[m].back());
  }
  CHECK(merged.functions.front().merged.count(group.nodes[0].front()) == 1);
  CHECK(merged.functions.front().merged.count(group.nodes[1].front()) == 0);
  const auto written = std::count_if(group.places.begin(), group.places.end(),
                                     [](const MergedGroup::Place& p) { return p.written; });
  CHECK(written == 1);
  for (const MergedGroup::Place& place : group.places) CHECK(place.positions.size() == 4);
}
