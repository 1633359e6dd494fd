// sum_products re-associates: results may differ from the source's by rounding of the whole sum, and by no
// more. What that is follows from the terms of each sum, not from its result.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "compiler/pipeline.h"
#include "compiler/sample.h"
#include "ir/interpreter.h"
#include "tests/support/same_bits.h"

using namespace cohort;
using namespace cohort::test;

namespace {

struct Sum {
  Module module;
  std::size_t products = 0;
};

Tensor random_tensor(const Extents& extents, Random& random) {
  Tensor tensor(DType::kF64, extents);
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    set_element(tensor, i, random.uniform(-1, 1) * std::exp2(static_cast<double>(random.between(-8, 8))));
  return tensor;
}

// A sum of products of every form, some terms that are none, added up in a random tree; and the same of
// absolute values, `scale`.
Sum random_sum(std::uint64_t seed) {
  Random random(seed);
  ModuleBuilder module("sums");
  FunctionBuilder f(module, "f");
  const std::int64_t rows = random.between(1, 40), columns = random.between(1, 5);
  const bool matrices = random.chance(60);
  const Extents target = matrices ? Extents{rows, columns} : Extents{rows};
  std::vector<ValueId> terms, sizes;
  Sum sum;
  for (std::int64_t t = random.between(2, 9); t > 0; --t) {
    const std::int64_t k = random.between(1, 4);
    if (random.chance(20)) {
      const ValueId x = f.input(fmt::format("t{}", t), {DType::kF64, Shape(target.begin(), target.end())});
      terms.push_back(x);
      sizes.push_back(f.make("abs", {x}));
      continue;
    }
    const bool left = !matrices || random.chance(50);
    bool flags[2] = {matrices && random.chance(50), matrices && random.chance(50)};
    if (!matrices) flags[0] = random.chance(50);
    Extents a = flags[0] ? Extents{k, rows} : Extents{rows, k};
    Extents b = !matrices ? Extents{k} : flags[1] ? Extents{columns, k} : Extents{k, columns};
    const auto operand = [&](const Extents& extents, bool constant, const char* name) {
      if (constant) return f.constant(module.add_constant("", random_tensor(extents, random)));
      return f.input(fmt::format("{}{}", name, t), {DType::kF64, Shape(extents.begin(), extents.end())});
    };
    const ValueId x = operand(a, left, "a"), y = operand(b, !left, "b");
    Attrs attrs;
    if (flags[0]) attrs.push_back({"transpose_a", true});
    if (flags[1]) attrs.push_back({"transpose_b", true});
    terms.push_back(f.make("matmul", {x, y}, attrs));
    sizes.push_back(f.make("matmul", {f.make("abs", {x}), f.make("abs", {y})}, attrs));
    ++sum.products;
  }
  const auto total = [&](std::vector<ValueId> values) {
    while (values.size() > 1) {
      const auto at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(values.size()) - 1));
      values[at] = f.make("add", {values[at], values[at + 1]});
      values.erase(values.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    return values.front();
  };
  f.output("sum", total(terms));
  f.output("scale", total(sizes));
  module.add_function(f.finish());
  sum.module = module.finish();
  return sum;
}

std::size_t count_products(const Function& function, ValueId output) {
  std::vector<bool> needed(function.values.size(), false);
  needed[output] = true;
  std::size_t count = 0;
  for (std::size_t n = function.nodes.size(); n-- > 0;) {
    const Node& node = function.nodes[n];
    if (!needed[node.first_result]) continue;
    count += node.op->name == "matmul";
    for (const ValueId input : node.inputs) needed[input] = true;
  }
  return count;
}

}  // namespace

TEST_CASE("sums of products as one product stay within the rounding of the sum") {
  std::size_t before = 0, after = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    INFO("seed " << seed);
    const Sum sum = random_sum(seed);
    const Function& function = *sum.module.functions[0];
    CompileOptions options;
    options.fast = true;
    const Module fast = optimise(sum.module, options);
    before += sum.products;
    after += count_products(*fast.functions[0], fast.functions[0]->outputs[0].value);
    Random random(seed);
    std::vector<Tensor> inputs, none;
    for (const ValueId input : function.inputs) {
      Extents extents;
      for (const Dim& d : function.type(input).shape) extents.push_back(d.offset);
      inputs.push_back(random_tensor(extents, random));
    }
    const CallResult expected = interpret(sum.module, function, inputs, none, {});
    const CallResult got = interpret(fast, *fast.functions[0], inputs, none, {});
    // Each way rounds every term at most once for each step of its chain: at most 9 products of 4 and 9 adds.
    const double steps = 9 * 4 + 9;
    for (std::int64_t i = 0; i < expected.outputs[0].size(); ++i) {
      const double bound =
          2 * steps * std::numeric_limits<double>::epsilon() * element_as_double(expected.outputs[1], i);
      CHECK(std::fabs(element_as_double(got.outputs[0], i) - element_as_double(expected.outputs[0], i)) <=
            bound);
    }
    options.fast = false;
    const Module strict = optimise(sum.module, options);
    const CallResult same_order = interpret(strict, *strict.functions[0], inputs, none, {});
    CHECK(same(same_order.outputs[0], expected.outputs[0]));
  }
  CHECK(after < before * 3 / 4);
}
