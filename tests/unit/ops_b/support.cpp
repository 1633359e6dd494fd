#include "support.h"

#include <doctest/doctest.h>

#include <random>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/lower.h"
#include "ir/kernel_interpreter.h"
#include "ir/kernel_verify.h"
#include "ir/ops/print.h"

namespace cohort::test {

Tensor tensor(DType dtype, const Extents& extents, const std::vector<double>& values) {
  Tensor result(dtype, extents);
  REQUIRE(result.size() == static_cast<std::int64_t>(values.size()));
  for (std::int64_t i = 0; i < result.size(); ++i)
    set_element(result, i, values[static_cast<std::size_t>(i)]);
  return result;
}

Tensor varied(DType dtype, const Extents& extents, int seed) {
  Tensor result(dtype, extents);
  std::mt19937 random(static_cast<std::uint32_t>(seed) + 17);
  for (std::int64_t i = 0; i < result.size(); ++i) {
    const int step = static_cast<int>(random() % 41) - 20;
    const double value = is_float(dtype) ? step * 0.37 : is_signed_int(dtype) ? step : std::abs(step);
    set_element(result, i, dtype == DType::kBool ? step % 3 == 0 : value);
  }
  return result;
}

Type type_of(const Tensor& tensor) {
  return {tensor.dtype(), Shape(tensor.extents().begin(), tensor.extents().end())};
}

namespace {

struct Outcome {
  std::vector<Tensor> results;  // outputs, then state
  std::string printed;
  std::string error;  // the message, empty if none
  DiagId id = DiagId::kUnknownOperator;
};

// Calls `run(state)` with the initial state, twice, so that the second call sees what the first left.
template <typename Run>
Outcome outcome_of(const Module& module, Run run) {
  Outcome outcome;
  std::vector<Tensor> state = initial_state(module);
  try {
    if (!state.empty()) run(state);
    CallResult result = run(state);
    outcome.results = std::move(result.outputs);
    outcome.results.insert(outcome.results.end(), state.begin(), state.end());
    outcome.printed = std::move(result.printed);
  } catch (const UserError& error) {
    outcome.error = error.diagnostics().front().message;
    outcome.id = error.diagnostics().front().id;
  }
  return outcome;
}

Module module_of(const std::string& op, const std::vector<Tensor>& inputs, Attrs attrs) {
  ModuleBuilder module("m");
  FunctionBuilder f(module, "f");
  std::vector<ValueId> values;
  for (const Tensor& input : inputs)
    values.push_back(f.input("i" + std::to_string(values.size()), type_of(input)));
  const ValueId first = f.make(op, values, std::move(attrs), "result");
  const Node& node = f.function().nodes.back();
  const std::uint32_t count = find_op(op)->expand ? 1 : node.result_count;
  for (std::uint32_t r = 0; r < count; ++r) f.output("o" + std::to_string(r), first + r);
  module.add_function(f.finish());
  return module.finish();
}

void compare(const Outcome& outcome, const Outcome& expected) {
  CHECK(outcome.error == expected.error);
  CHECK(outcome.printed == expected.printed);
  REQUIRE(outcome.results.size() == expected.results.size());
  for (std::size_t i = 0; i < expected.results.size(); ++i)
    CHECK_SAME(outcome.results[i], expected.results[i]);
}

Outcome run_both(const Module& module, const std::vector<Tensor>& inputs) {
  const Function& function = *module.functions.front();
  const DimValues dims = bind_dims(module, function, inputs);
  using State = std::vector<Tensor>;
  const Outcome expected =
      outcome_of(module, [&](State& state) { return interpret(module, function, inputs, state, dims); });
  const auto check = [&](std::string_view after, const kernel::Program& program) {
    INFO("after " << std::string(after) << "\n" << kernel::to_string(program, module.dims));
    for (const LoopOrder order : {LoopOrder::kForward, LoopOrder::kBackward})
      compare(outcome_of(module,
                         [&](State& state) {
                           return interpret_program(module, program, inputs, state, dims, order);
                         }),
              expected);
  };
  kernel::Program program = lower(module, function);
  REQUIRE(kernel::verify(program).empty());
  check("lowering", program);
  run_kernel_passes(std::move(program), module.dims, {},
                    [&](const KernelPass& pass, const kernel::Program& p) { check(pass.name, p); });
  return expected;
}

}  // namespace

std::vector<Tensor> run(const std::string& op, const std::vector<Tensor>& inputs, Attrs attrs) {
  const Outcome outcome = run_both(module_of(op, inputs, std::move(attrs)), inputs);
  REQUIRE(outcome.error == "");
  return outcome.results;
}

Tensor run1(const std::string& op, const std::vector<Tensor>& inputs, Attrs attrs) {
  return run(op, inputs, std::move(attrs)).front();
}

Diagnostic error_of(const std::string& op, const std::vector<Tensor>& inputs, Attrs attrs) {
  try {
    const Outcome outcome = run_both(module_of(op, inputs, std::move(attrs)), inputs);
    return {outcome.id, {}, outcome.error, {}, {}};
  } catch (const UserError& error) {
    return error.diagnostics().front();
  }
}

void check_module(const Module& module, const std::vector<Tensor>& inputs,
                  const std::vector<Tensor>& expected) {
  const Outcome outcome = run_both(module, inputs);
  compare(outcome, {expected, outcome.printed, {}});
}

std::string show(const Tensor& tensor) { return printed_line("", tensor); }

}  // namespace cohort::test
