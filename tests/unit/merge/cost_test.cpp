// What is not merged because it would cost time, by the cost model that `--merge=auto` asks.
#include <doctest/doctest.h>

#include <algorithm>

#include "merging_support.h"

using namespace cohort;
using namespace cohort::test;

namespace {

CompiledModule compiled(const Module& module, MergeMode mode = MergeMode::kAuto) {
  CompileOptions options;
  options.merge = mode;
  return compile(module, options);
}
std::size_t missed(const CompiledModule& module, const std::string& words) {
  for (const NearMiss& miss : module.near_misses)
    if (miss.reason.find(words) != std::string::npos) return miss.kernels.size();
  return 0;
}
constexpr const char* kCopies = "copying results to the caller's arrays would cost more";

// k products of a matrix and a vector, both state; the first `outputs` of the results are outputs of the
// call, the others new values.
Module products(int k, std::int64_t rows, std::int64_t columns, int outputs) {
  return model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    for (int i = 0; i < k; ++i) {
      const ValueId w = variable(builder, step, fmt::format("w{}", i), {rows, columns}, i);
      const ValueId x = variable(builder, step, fmt::format("x{}", i), {columns});
      const ValueId y = step.make("tanh", {step.make("matmul", {w, x})});
      if (i < outputs) {
        step.output(fmt::format("y{}", i), y);
        continue;
      }
      const std::string name = fmt::format("y{}", i);
      variable(builder, step, name, {rows});
      step.update(find_state(builder.module(), name), y);
    }
  });
}

// k products of which each goes on to a function of it in the same columns; member `odd` has no factor. Rows
// are long, or the functions would be one flat loop of their own.
Module ensembles(int k, int odd) {
  return model([&](ModuleBuilder& builder, FunctionBuilder& step) {
    for (int i = 0; i < k; ++i) {
      const std::string name = fmt::format("x{}", i);
      const ValueId x = variable(builder, step, name, {300}, i);
      const ValueId w = variable(builder, step, fmt::format("w{}", i), {4, 300}, i);
      const ValueId a = variable(builder, step, fmt::format("a{}", i), {4}, i);
      const ValueId p = step.make("matmul", {a, w});
      const ValueId q = i == odd ? p : step.make("mul", {p, step.literal(DType::kF64, 1.5 + i)});
      const ValueId sum = step.make("add", {q, x});
      step.update(find_state(builder.module(), name), step.make("mul", {step.make("tanh", {sum}), sum}));
    }
  });
}

}  // namespace

TEST_CASE("results that are outputs are not computed elsewhere and copied") {
  const auto doubled = [](MergeMode mode) {
    return compiled(
        model([](ModuleBuilder& builder, FunctionBuilder& step) {
          for (int i = 0; i < 30; ++i) {
            const ValueId x = variable(builder, step, fmt::format("x{}", i), {1000});
            step.output(fmt::format("y{}", i), step.make("mul", {x, step.literal(DType::kF64, 2)}));
          }
        }),
        mode);
  };
  const CompiledModule apart = doubled(MergeMode::kAuto);
  CHECK(apart.groups.empty());
  CHECK(missed(apart, kCopies) == 30);
  CHECK(doubled(MergeMode::kAlways).groups.size() == 1);  // it does not ask
}

TEST_CASE("copies of outputs count by what they cost beside the work of all members") {
  CHECK(compiled(products(8, 16, 400, 8)).groups.size() >= 1);  // 16 elements to copy, 6,400 products
  CHECK(missed(compiled(products(8, 64, 4, 8)), kCopies) == 8);
  CHECK(compiled(products(8, 16, 4, 8)).groups.size() >= 1);   // too short for lanes by themselves
  CHECK(compiled(products(60, 64, 4, 1)).groups.size() >= 1);  // one that is observed
}

TEST_CASE("outputs of very many members are copied: the text would be long") {
  CHECK(missed(compiled(products(50, 64, 4, 50)), kCopies) == 50);
  CHECK(missed(compiled(products(1000, 64, 4, 1000)), kCopies) == 0);
}

TEST_CASE("a member that goes on in another way does not keep the others' loops apart") {
  const CompiledModule even = compiled(ensembles(12, -1)), odd = compiled(ensembles(12, 5));
  CHECK(missed(odd, "by the kernels their loops are joined with") == 12);
  CHECK(kernel_count(even) == 1);
  CHECK(kernel_count(odd) == 2);
  for (const MergedGroup& group : odd.groups) CHECK(group.members.size() == 11);
  check_merging(ensembles(12, 5));
}
