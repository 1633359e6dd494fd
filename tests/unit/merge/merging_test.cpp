#include <doctest/doctest.h>

#include <set>

#include "compiler/merge/common_name.h"
#include "compiler/pipeline.h"
#include "ir/diagnostics.h"
#include "ir/text_parser.h"
#include "merging_support.h"
#include "tests/support/random_graph.h"

using namespace cohort;
using namespace cohort::test;

namespace {

// k variables of the given sizes with x <- 2x, or log(2 + cos x).
Module doubled(const std::vector<std::int64_t>& sizes, const std::vector<std::string>& names,
               bool functions) {
  return model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const ValueId x = variable(builder, step, names[k], {sizes[k]}, static_cast<double>(k));
      const ValueId two = step.literal(DType::kF64, 2);
      const ValueId next = functions ? step.make("log", {step.make("add", {two, step.make("cos", {x})})})
                                     : step.make("mul", {x, two});
      step.update(find_state(builder.module(), names[k]), next);
    }
  });
}

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back(fmt::format("s{}", k));
  return names;
}

// COHORT_SEED and COHORT_COUNT choose which random graphs; a failure names its seed.
void for_each_seed(const std::function<void(std::uint64_t seed, RandomGraphOptions options)>& check) {
  const char* given = std::getenv("COHORT_COUNT");
  const char* first = std::getenv("COHORT_SEED");
  const std::uint64_t count = given ? std::strtoull(given, nullptr, 10) : 60;
  const std::uint64_t begin = first ? std::strtoull(first, nullptr, 10) : 1;
  for (std::uint64_t seed = begin; seed < begin + count; ++seed) {
    INFO("seed " << seed);
    RandomGraphOptions options;
    options.nodes = 4 + static_cast<int>(seed % 14);
    check(seed, options);
  }
}

}  // namespace

TEST_CASE("alike loops over steps become one loop over steps, and their gradients too") {
  constexpr const char* kLoop = R"(
  %a{0}, %as{0} = scan(%x, @h{0}, @w{0}) {{sequences = 1, carries = 1}} body(%x: f64[], %h: f64[4], %w: f64[4,4]) {{
    %p = matmul(%w, %h)
    %q = add(%p, %x)
    %s = tanh(%q)
    output h = %s
    output y = %s
  }}
  %t{0} = reduce_sum(%as{0}))";
  std::string states, loops, updates;
  for (int k = 0; k < 3; ++k) {
    states += fmt::format("state @h{0} : f64[4] = [{0}, 1, 2, 3]\nstate @w{0} : f64[4,4] = 0.{0}5\n", k);
    loops += fmt::format(kLoop, k);
    updates += fmt::format("  %n{0} = sub(@w{0}, %g{0})\n  update @w{0} = %n{0}\n", k);
  }
  const std::string text = "module m\n" + states + "func loss(%x: f64[20]) {" + loops + R"(
  %s = add(%t0, %t1)
  %t = add(%s, %t2)
  output l = %t
}
func step(%x: f64[20]) {
  %g0, %g1, %g2 = grad(%x) {wrt = ["w0", "w1", "w2"]} function = loss
)" + updates + "}\n";
  const CompiledModule merged = check_merging(without_applied_functions(parse_text(text, "loops.txt")));
  std::size_t loops_of_three = 0;
  for (const MergedGroup& group : merged.groups)
    if (group.function == 1 && group.members.size() == 3 && group.statements >= 10) ++loops_of_three;
  CHECK(loops_of_three == 2);  // forwards and backwards
}

TEST_CASE("case 18: 26 alike variables are one storage and one loop, whatever they are called") {
  std::vector<std::string> shuffled = numbered(26);
  for (std::size_t k = 0; k < 26; ++k) std::swap(shuffled[k], shuffled[k * 7 % 26]);
  for (const std::int64_t size : {50, 1000}) {
    for (const bool functions : {false, true}) {
      for (const std::vector<std::string>& names : {numbered(26), shuffled}) {
        const Module module = doubled(std::vector<std::int64_t>(26, size), names, functions);
        const CompiledModule merged = check_merging(module);
        CHECK(kernel_count(merged) == 1);
        CHECK(loop_count(merged) == 1);
        REQUIRE(merged.state_storages.size() == 1);
        CHECK(merged.state_storages[0].size() == 26);
        // Side by side, and each at its own place.
        for (StateId s = 1; s < 26; ++s)
          CHECK(merged.states[s].offset - merged.states[s - 1].offset ==
                static_cast<std::uint64_t>(size) * 8);
      }
    }
  }
}

TEST_CASE("case 19: two pairs of which each alone could be merged do not close a cycle") {
  const auto a = [](FunctionBuilder& step, ValueId x) { return step.make("sin", {x}); };
  const auto b = [](FunctionBuilder& step, ValueId x) { return step.make("cumsum", {x}); };
  const Module module = model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    const ValueId x = variable(builder, step, "x", {6}), y = variable(builder, step, "y", {6}, 3);
    const ValueId p = step.make("cos", {x}), q = step.make("cos", {y});
    step.output("p", p);
    step.output("q", q);
    const ValueId a1 = a(step, p), b1 = b(step, a1);
    const ValueId b2 = b(step, q), a2 = a(step, b2);
    step.output("a1", a1);
    step.output("b1", b1);
    step.output("a2", a2);
    step.output("b2", b2);
  });
  const CompiledModule merged = check_merging(module);
  CHECK(merged.groups.size() == 2);  // p with q, and one of the pairs
}

TEST_CASE("case 21: onto a part of a storage") {
  const Module module = model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    const ValueId one = variable(builder, step, "one", {3}, 1);
    const ValueId base = step.constant(builder.add_constant("zeros", Tensor(DType::kF64, {5})));
    const ValueId ones = step.make("true_div", {one, one});
    const ValueId sum =
        step.make("inc_slice", {base, ones},
                  {{"starts", IntList{2}}, {"stops", IntList{std::nullopt}}, {"steps", IntList{1}}});
    step.output("sum", sum);
    const StateId kept = builder.add_state("kept", {DType::kF64, {5}}, Tensor(DType::kF64, {5}));
    step.update(kept, sum);
  });
  check_merging(module, 4);
}

TEST_CASE("case 22: an observer changes nothing") {
  const auto network = [](bool probe) {
    return model([&](ModuleBuilder& builder, FunctionBuilder& step) {
      for (int k = 0; k < 9; ++k) {
        const std::string name = fmt::format("v{}", k);
        const ValueId v = variable(builder, step, name, {7}, k);
        const ValueId t = step.make("tanh", {v});
        const ValueId w = step.make("reduce_sum", {t}, {{"axes", IntList{0}}});
        if (probe && k == 4) step.output("probe", t);
        step.update(find_state(builder.module(), name), step.make("add", {t, w}));
      }
    });
  };
  check_merging(network(false), 5);
  check_merging(network(true), 5);
}

TEST_CASE("case 23: names that clash in one group") {
  const std::vector<std::string> names = {"a-b", "a_b", "a b", "A_b", "", "class", "a.b"};
  const CompiledModule merged = check_merging(doubled(std::vector<std::int64_t>(7, 3), names, true));
  CHECK(kernel_count(merged) == 1);
  CHECK(merged.state_storages.at(0).size() == 7);
}

TEST_CASE("case 24: many tiny members") {
  for (const std::size_t count : {300, 7000}) {
    const CompiledModule merged =
        check_merging(doubled(std::vector<std::int64_t>(count, 3), numbered(count), false), 2);
    CHECK(kernel_count(merged) == 1);
  }
}

TEST_CASE("case 25: members of 50, 100, 1000 and 1") {
  const Module module = doubled({50, 100, 1000, 1, 20, 30}, numbered(6), true);
  const CompiledModule merged = check_merging(module);
  CHECK(kernel_count(merged) == 2);
  CHECK(merged.groups[0].members.size() == 5);  // the scalar has no loop

  const Module products = model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    const ValueId x = step.input("x", {DType::kF64, {3}});
    for (const std::int64_t n : {4, 2, 5, 7}) {
      Tensor w(DType::kF64, {n, 3});
      for (std::int64_t i = 0; i < w.size(); ++i) set_element(w, i, static_cast<double>(i % 5) - 1.5);
      const ValueId product =
          step.make("matmul", {step.constant(builder.add_constant(fmt::format("w{}", n), w)), x});
      step.output(fmt::format("y{}", n), step.make("tanh", {product}));
    }
  });
  check_merging(products);

  const Module biases = model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    const ValueId x = step.input("x", {DType::kF64, {3}});
    const auto constant = [&](const Extents& extents, double first) {
      Tensor t(DType::kF64, extents);
      for (std::int64_t i = 0; i < t.size(); ++i) set_element(t, i, first + static_cast<double>(i));
      return step.constant(builder.add_constant(fmt::format("c{}", first), t));
    };
    step.output("a", step.make("add", {step.make("matmul", {x, constant({3, 4}, 1)}), constant({1, 4}, 2)}));
    step.output("b", step.make("add", {step.make("matmul", {x, constant({3, 5}, 3)}), constant({2, 5}, 4)}));
  });
  check_merging(biases);
}

TEST_CASE("large products of different shapes have scratch enough for each") {
  const Module products = model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    for (const std::int64_t n : {40, 60, 25}) {
      const auto state = [&](const char* name, const Extents& extents, double first) {
        Tensor t(DType::kF32, extents);
        for (std::int64_t i = 0; i < t.size(); ++i) set_element(t, i, first + static_cast<double>(i % 7));
        return builder.add_state(fmt::format("{}{}", name, n),
                                 {DType::kF32, Shape(extents.begin(), extents.end())}, t);
      };
      const StateId a = state("a", {n, n + 10}, -3);
      const StateId b = state("b", {n + 10, n + 5}, -2);
      const StateId c = state("c", {n, n + 5}, 0);
      step.update(c, step.make("matmul", {step.state(a), step.state(b)}));
    }
  });
  const CompiledModule merged = check_merging(products);
  REQUIRE(!merged.groups.empty());
  CHECK(merged.groups[0].members.size() == 3);
}

TEST_CASE("arrays whose extents differ on every axis, in many groups") {
  // Each group adds tables of extents to the program while it is written.
  const Module module = model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    for (std::int64_t group = 0; group < 24; ++group) {
      for (std::int64_t k = 0; k < 3; ++k) {
        const Extents extents{2 + (group + k * k) % 5, 1 + (group * 3 + k) % 4, 1 + (k * 2 + group) % 3};
        const std::string name = fmt::format("x{}_{}", group, k);
        ValueId value = variable(builder, step, name, extents, static_cast<double>(k));
        for (std::int64_t bit = 0; bit < 5; ++bit)
          value = step.make((group >> bit & 1) != 0 ? "sin" : "cos", {value});
        step.update(find_state(builder.module(), name),
                    step.make("cumsum", {value}, {{"axis", std::int64_t{1}}}));
      }
    }
  });
  check_merging(module, 2);
}

TEST_CASE("sizes that differ beside a named dim stay apart, equal ones merge") {
  std::string text = "module model\ndim batch 1..9\n";
  for (const char* state : {"a : f64[2] = 1", "b : f64[5] = 2", "c : f64[5] = 3"})
    text += fmt::format("state @{}\n", state);
  text += "func step(%x: f64[batch]) {\n";
  for (const char name : {'a', 'b', 'c'})
    text += fmt::format(
        "  %o{0} = outer(%x, @{0})\n  %s{0} = cumsum(%o{0}) {{axis = 0}}\n  output y{0} = %s{0}\n", name);
  const CompiledModule merged = check_merging(parse_text(text + "}\n", "model"));
  REQUIRE(!merged.groups.empty());
  for (const MergedGroup& group : merged.groups) CHECK(group.members.size() == 2);
}

TEST_CASE("an odd member leaves the others in their order") {
  // The first has no product (1 * x is x), so one loop has 7 members and the others 8.
  const Module module = model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    for (int k = 0; k < 8; ++k) {
      const std::string name = fmt::format("s{}", k);
      const ValueId s = variable(builder, step, name, {5});
      const ValueId scaled = step.make("mul", {s, step.literal(DType::kF64, 1 + k)});
      const ValueId next = step.make("cumsum", {step.make("sin", {step.make("cumsum", {scaled})})});
      step.update(find_state(builder.module(), name), next);
    }
  });
  const CompiledModule merged = check_merging(module);
  std::set<std::size_t> sizes;
  for (const MergedGroup& group : merged.groups) {
    sizes.insert(group.members.size());
    CHECK(group.tables == 0);
  }
  CHECK(sizes == std::set<std::size_t>{7, 8});
}

TEST_CASE("members in another order at every step are aligned") {
  const Module module = model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    constexpr std::size_t kCount = 11;
    std::vector<ValueId> x(kCount), w(kCount), value(kCount);
    for (std::size_t k = 0; k < kCount; ++k) {
      x[k * 3 % kCount] = variable(builder, step, fmt::format("x{}", k * 3 % kCount), {4});
      w[k * 5 % kCount] = variable(builder, step, fmt::format("w{}", k * 5 % kCount), {4});
    }
    for (std::size_t k = 0; k < kCount; ++k) {
      const std::size_t m = k * 7 % kCount;
      value[m] = step.make("cumsum", {step.make("mul", {x[m], w[m]})});
    }
    for (std::size_t k = 0; k < kCount; ++k) {  // an odd one in the middle, and each reads its neighbour
      const std::size_t m = k * 2 % kCount;
      const ValueId sum = step.make("add", {value[m], x[(m + 1) % kCount]});
      value[m] = step.make("cumprod", {m == 4 ? value[m] : sum});
    }
    for (std::size_t k = 0; k < kCount; ++k) {
      const std::size_t m = k * 9 % kCount;
      step.update(find_state(builder.module(), fmt::format("x{}", m)), step.make("sin", {value[m]}));
    }
  });
  const CompiledModule merged = check_merging(module);
  std::size_t tables = 0;
  for (const MergedGroup& group : merged.groups) tables += group.tables;
  CHECK(merged.groups.size() >= 3);
  CHECK(tables == 1);  // of the neighbours
}

TEST_CASE("a common name has whole characters") {
  CHECK(merge::common_name({"é1", "è1"}) == "é1");    // equal first bytes
  CHECK(merge::common_name({"aĀx", "aŀx"}) == "ax");  // equal last bytes
  CHECK(merge::common_name({"日3本", "日4本"}) == "日本");
}

TEST_CASE("sums of many alike terms are loops in their own order") {
  const Module module = model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    std::vector<ValueId> sums(4, kNoId);
    for (int k = 0; k < 60; ++k) {
      const std::string name = fmt::format("x{}", k);
      const ValueId x = variable(builder, step, name, {5}, k * 0.37);
      const ValueId t = step.make("sin", {x});
      ValueId& sum = sums[static_cast<std::size_t>(k % 7 % 4)];
      sum = sum == kNoId ? t : step.make("add", {sum, t});
      step.update(find_state(builder.module(), name), step.make("mul", {t, step.literal(DType::kF64, 3)}));
    }
    for (std::size_t k = 0; k < sums.size(); ++k) step.output(fmt::format("sum{}", k), sums[k]);
  });
  const CompiledModule merged = check_merging(module);
  CHECK(kernel_count(merged) <= 8);
}

TEST_CASE("several functions share one layout") {
  ModuleBuilder module("model");
  FunctionBuilder first(module, "first"), second(module, "second"), third(module, "third");
  std::vector<StateId> ids;
  for (int k = 0; k < 12; ++k) {
    variable(module, first, fmt::format("x{}", k), {4}, k);
    ids.push_back(find_state(module.module(), fmt::format("x{}", k)));
  }
  const auto update = [&](FunctionBuilder& f, const std::vector<int>& which, std::string_view op) {
    for (const int k : which)
      f.update(ids[static_cast<std::size_t>(k)], f.make(op, {f.state(ids[static_cast<std::size_t>(k)])}));
  };
  update(first, {0, 2, 4, 6, 8, 10}, "sin");
  update(second, {6, 8, 10, 1, 3}, "cos");
  update(third, {11, 9, 7, 5}, "neg");
  module.add_function(first.finish());
  module.add_function(second.finish());
  module.add_function(third.finish());
  const CompiledModule merged = check_merging(module.finish());
  for (std::size_t f = 0; f < 3; ++f) CHECK(kernel_count(merged, f) == 1);
  for (const MergedGroup& group : merged.groups) CHECK(group.tables == 0);  // every set is a block
}

TEST_CASE("members that read each other's old values") {
  const Module module = model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    std::vector<ValueId> x;
    for (int k = 0; k < 8; ++k) x.push_back(variable(builder, step, fmt::format("x{}", k), {3}, k));
    for (std::size_t k = 0; k < 8; ++k)
      step.update(find_state(builder.module(), fmt::format("x{}", k)),
                  step.make("sub", {x[k], step.make("sin", {x[(k + 7) % 8]})}));
  });
  check_merging(module, 4);
}

TEST_CASE("copies of random graphs of different sizes, merged, mean what they meant") {
  for_each_seed([](std::uint64_t seed, RandomGraphOptions options) {
    options.max_elements = 100;
    const Module source = random_module(seed, options);
    Module module;
    try {
      module = replicated(source, 3 + static_cast<int>(seed % 4), seed % 3 == 0, true);
    } catch (const UserError&) {
      return;  // `squeeze` takes an axis that is 1 in one copy only, and what follows names axes it has not
    }
    check_merging(module, 2, seed);
  });
}

TEST_CASE("copies of random graphs, merged, mean what they meant") {
  for_each_seed([](std::uint64_t seed, RandomGraphOptions options) {
    options.max_elements = 60;
    options.named_dims = seed % 4 == 0;
    const Module source = random_module(seed, options);
    check_merging(replicated(source, 2 + static_cast<int>(seed % 5), seed % 3 == 0), 2, seed);
  });
}
