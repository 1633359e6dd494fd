// Lowering and the kernel passes are near-linear.
#include <doctest/doctest.h>

#include <chrono>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/lower.h"
#include "compiler/plan_memory.h"
#include "ir/builder.h"

namespace cohort::test {
namespace {

Type vector_of(std::int64_t n) { return {DType::kF64, {Dim(n)}}; }

Module finish(ModuleBuilder& module, FunctionBuilder& function) {
  module.add_function(function.finish());
  return module.finish();
}

double seconds_to_lower(const Module& module) {
  const auto begin = std::chrono::steady_clock::now();
  CompiledModule compiled;
  compiled.module = module;
  compiled.functions.push_back({run_kernel_passes(lower(module, *module.functions[0]), module.dims, {}), {}});
  plan_memory(compiled);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Elementwise nodes that read two of the last few values.
Module elementwise(int nodes) {
  ModuleBuilder m("long");
  FunctionBuilder f(m, "f");
  std::vector<ValueId> values{f.input("a", vector_of(50)), f.input("b", vector_of(50))};
  for (int i = 0; i < nodes; ++i)
    values.push_back(f.make(
        i % 3 == 0   ? "tanh"
        : i % 3 == 1 ? "add"
                     : "mul",
        i % 3 == 0 ? std::vector<ValueId>{values.back()}
                   : std::vector<ValueId>{
                         values.back(),
                         values[values.size() - 2 - static_cast<std::size_t>(i) % 5 % (values.size() - 1)]}));
  f.output("y", values.back());
  return finish(m, f);
}

Module alike(int pieces) {
  ModuleBuilder m("alike");
  FunctionBuilder f(m, "f");
  for (int i = 0; i < pieces; ++i) {
    const StateId s = m.add_state("s" + std::to_string(i), vector_of(10), Tensor(DType::kF64, {10}));
    f.update(s, f.make("tanh", {f.make("add", {f.state(s), f.literal(DType::kF64, 0.5)})}));
  }
  return finish(m, f);
}

}  // namespace

TEST_CASE("lowering is near-linear in nodes") {
  // Quadratic would be a factor of 16. One slow run of a busy machine is not believed.
  for (Module (*make)(int) : {elementwise, alike}) {
    double ratio = 1e9;
    for (int tries = 0; tries < 5 && ratio >= 10; ++tries)
      ratio = seconds_to_lower(make(4000)) / seconds_to_lower(make(1000));
    CHECK(ratio < 10);
  }
}

TEST_CASE("kernels that are alike share one body") {
  const Module module = alike(300);
  const kernel::Program program = run_kernel_passes(lower(module, *module.functions[0]), module.dims, {});
  CHECK(program.kernels.size() == 1);
  CHECK(program.calls.size() == 1);
}

}  // namespace cohort::test
