// Every scalar operator on vectors of every dtype it takes, as compiled C++ against the interpreter: long
// enough for vectors and a tail.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/sample.h"
#include "ir/builder.h"
#include "ir/diagnostics.h"
#include "tests/slow/compiled/compiled_module.h"
#include "tools/cohort/compare.h"

namespace cohort::test {
namespace {

// One function of the operator on inputs of `dtype`, unless it does not take them.
void add_function(ModuleBuilder& module, const OpDef& op, DType dtype) {
  const Shape shape{37};
  FunctionBuilder f(module, fmt::format("{}.{}", op.name, dtype_name(dtype)));
  std::vector<ValueId> inputs;
  for (int i = 0; i < op.min_inputs; ++i) inputs.push_back(f.input(fmt::format("x{}", i), {dtype, shape}));
  try {
    f.output("y", f.make(op.name, inputs));
  } catch (const UserError&) {
    return;
  }
  module.add_function(f.finish());
}

}  // namespace

namespace {

// The terms of logaddexp may cancel: its error is stated in units of the greatest of result and arguments.
bool is_within_terms(const SampleCall& call, const Tensor& expected, const Tensor& got, std::int64_t index,
                     double allowed) {
  const double e = element_as_double(expected, index);
  double greatest = std::fabs(e);
  for (const Tensor& input : call.inputs)
    greatest = std::max(greatest, std::fabs(element_as_double(input, index)));
  return std::fabs(element_as_double(got, index) - e) <= allowed * std::ldexp(greatest, -52);
}

// Results outside the operands for which ops.def states a distance, and those of polygamma below 0, whose
// terms cancel (both in tests/unit/ops/prelude_test.cpp), made equal.
void forget_unstated(std::string_view op, const SampleCall& call, const Tensor& expected, Tensor& got) {
  const bool tail = op.starts_with("gammainc") || op.starts_with("betainc") || op == "ive" || op == "kve";
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    bool stated = op != "polygamma" || element_as_double(call.inputs[1], i) > 0;
    for (const Tensor& input : call.inputs) {
      const double x = std::fabs(element_as_double(input, i));
      if (tail && std::isfinite(x) && x != 0 && (x < 1e-280 || x > 1e30)) stated = false;
    }
    if (!stated) store_scalar(got, i, load_scalar(expected, i));
  }
}

}  // namespace

TEST_CASE("every scalar operator on vectors of every dtype") {
  ModuleBuilder builder("scalar_ops");
  for (const OpDef* op : all_ops()) {
    if (op->scalar == ScalarOp::kNone || !op->attrs.empty()) continue;
    for (int dtype = 0; dtype < kDTypeCount; ++dtype) add_function(builder, *op, static_cast<DType>(dtype));
  }
  const Module module = builder.finish();
  CHECK(module.functions.size() > 400);
  CompileOptions options;
  options.disabled = {"stabilise"};
  const Engine engine = compiled_engine(module, options, {"-O1"});
  for (const auto& function : module.functions) {
    const double allowed = allowed_ulp(*function)[function->outputs[0].value];
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const SampleCall call = sample_call(module, *function, seed);
      std::vector<Tensor> state;
      const Tensor expected = interpret(module, *function, call.inputs, state, call.dims).outputs[0];
      Tensor got = engine(*function, call.inputs, state).outputs[0];
      forget_unstated(function->name.substr(0, function->name.find('.')), call, expected, got);
      const Difference difference = compare(expected, got);
      bool is_near = difference.index < 0 || difference.worst_ulp <= allowed;
      if (!is_near && function->name == "logaddexp.f64")
        is_near = is_within_terms(call, expected, got, difference.index, allowed);
      CHECK_MESSAGE(is_near, function->name, " at ", difference.index, ": ", difference.worst_ulp, " ulp");
    }
  }
}

}  // namespace cohort::test
