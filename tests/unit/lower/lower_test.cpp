#include <doctest/doctest.h>

#include "ir/diagnostics.h"
#include "support.h"

using namespace cohort;
using namespace cohort::test;

TEST_CASE("simultaneous updates read old values") {  // CASES 1
  ModuleBuilder m("toy");
  const StateId x = m.add_state("x", f64({2}), tensor(DType::kF64, {2}, {1, 2}));
  const StateId y = m.add_state("y", f64({2}), tensor(DType::kF64, {2}, {3, 4}));
  FunctionBuilder f(m, "f");
  const ValueId two = f.literal(DType::kF64, 2);
  f.update(x, f.make("mul", {f.state(x), two}));
  f.update(y, f.make("add", {f.state(x), f.state(y)}));
  const Module module = finish(m, f);
  check_lowering(module, {});
}

TEST_CASE("swap") {
  ModuleBuilder m("swap");
  const StateId x = m.add_state("x", f64({3}), tensor(DType::kF64, {3}, {1, 2, 3}));
  const StateId y = m.add_state("y", f64({3}), tensor(DType::kF64, {3}, {4, 5, 6}));
  FunctionBuilder f(m, "f");
  f.update(x, f.state(y));
  f.update(y, f.state(x));
  f.output("x", f.state(x));
  check_lowering(finish(m, f), {}, 3);
}

TEST_CASE("one value in two outputs and an update") {
  ModuleBuilder m("shared");
  const StateId x = m.add_state("x", f32({3}), tensor(DType::kF32, {3}, {1, 2, 3}));
  FunctionBuilder f(m, "f");
  const ValueId u = f.input("u", f32({3}));
  const ValueId sum = f.make("add", {f.state(x), u});
  f.output("a", sum);
  f.output("b", sum);
  f.output("old", f.state(x));
  f.output("u", u);
  f.update(x, sum);
  check_lowering(finish(m, f), {tensor(DType::kF32, {3})}, 3);
}

TEST_CASE("scalars and named dims") {
  ModuleBuilder m("dims");
  const DimId n = m.add_dim("n", 0, 9);
  FunctionBuilder f(m, "f");
  const ValueId u = f.input("u", f64({Dim::named(n), 3}));
  const ValueId s = f.input("s", f64({}));
  const ValueId t = f.make("exp", {s});
  f.output("y", f.make("mul", {u, t}));
  f.output("t", f.make("add", {t, t}));
  const Module module = finish(m, f);
  check_lowering(module, {tensor(DType::kF64, {4, 3}), tensor(DType::kF64, {}, {0.5})});
  check_lowering(module, {tensor(DType::kF64, {0, 3}), tensor(DType::kF64, {}, {0.5})});
}

TEST_CASE("state keeps its value where a check fails") {
  ModuleBuilder m("failing");
  const StateId x = m.add_state("x", f64({4}), tensor(DType::kF64, {4}));
  FunctionBuilder f(m, "f");
  const ValueId i = f.input("i", type(DType::kI64, {2}));
  const ValueId t = f.make("mul", {f.state(x), f.literal(DType::kF64, 2)});
  f.output("g", f.make("take", {t, i}));
  f.update(x, f.make("scatter_add", {t, f.make("take", {t, i}), i}));
  const Module module = finish(m, f);
  check_lowering(module, {tensor(DType::kI64, {2}, {3, 3})});
  const kernel::Program program = run_kernel_passes(lower(module, *module.functions[0]), {}, {});
  std::vector<Tensor> state = initial_state(module);
  const std::vector<Tensor> inputs{tensor(DType::kI64, {2}, {1, 4})};
  CHECK_THROWS_AS(interpret_program(module, program, inputs, state, {}), UserError);
  CHECK(state[0] == initial_state(module)[0]);
}

TEST_CASE("calls of the runtime") {
  ModuleBuilder m("calls");
  FunctionBuilder f(m, "f");
  const ValueId a = f.input("a", f32({20, 30})), b = f.input("b", f32({30, 10}));
  f.output("product", f.make("matmul", {f.make("tanh", {a}), b}));
  f.output("sorted", f.make("sort", {f.make("neg", {a})}, {{"axis", std::int64_t{0}}}));
  f.output("order", f.make("argsort", {a}));
  f.output("top", f.make("topk", {a}, {{"k", std::int64_t{3}}}));
  check_lowering(finish(m, f), {tensor(DType::kF32, {20, 30}), tensor(DType::kF32, {30, 10})});
}

TEST_CASE("print and assert") {
  ModuleBuilder m("effects");
  const StateId x = m.add_state("x", f64({4}), tensor(DType::kF64, {4}));
  FunctionBuilder f(m, "f");
  const ValueId t = f.make("print", {f.make("mul", {f.state(x), f.literal(DType::kF64, 2)})},
                           {{"message", std::string("t")}});
  const ValueId holds = f.make("lt", {t, f.literal(DType::kF64, 20)});
  f.update(x, f.make("assert", {t, holds}, {{"message", std::string("too large")}}));
  const Module module = finish(m, f);
  check_lowering(module, {}, 1);
  const kernel::Program program = run_kernel_passes(lower(module, *module.functions[0]), {}, {});
  std::vector<Tensor> state = initial_state(module);
  interpret_program(module, program, {}, state, {});
  const Tensor before = state[0];
  CHECK(element_as_double(before, 3) == 8);
  interpret_program(module, program, {}, state, {});
  const Tensor kept = state[0];
  CHECK_THROWS_AS(interpret_program(module, program, {}, state, {}), UserError);
  CHECK(state[0] == kept);
}
