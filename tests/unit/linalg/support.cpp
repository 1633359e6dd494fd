#include "support.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "compiler/derive/derivatives.h"
#include "compiler/lower.h"
#include "ir/interpreter.h"
#include "ir/kernel_interpreter.h"
#include "ir/kernel_verify.h"
#include "ir/ops/print.h"
#include "tests/support/same_bits.h"

namespace cohort::test {

Tensor random_matrix(DType dtype, const Extents& extents, int seed) {
  Tensor x(dtype, extents);
  std::mt19937 random(static_cast<std::uint32_t>(seed) + 5);
  for (std::int64_t i = 0; i < x.size(); ++i) set_element(x, i, static_cast<double>(random()) / 0x1p31 - 1);
  return x;
}

Tensor positive_matrix(DType dtype, Extents extents, int seed) {
  const Tensor x = random_matrix(DType::kF64, extents, seed);
  const Tensor square = times(x, flipped(x));
  Tensor result(dtype, extents);
  const std::int64_t n = extents.back();
  for (std::int64_t i = 0; i < result.size(); ++i) {
    const bool diagonal = i / n % n == i % n;
    set_element(result, i, square.as<double>()[i] + (diagonal ? static_cast<double>(n) : 0));
  }
  return result;
}

Tensor dominant_matrix(DType dtype, const Extents& extents, int seed) {
  Tensor x = random_matrix(dtype, extents, seed);
  const std::int64_t n = extents.back();
  for (std::int64_t i = 0; i < x.size(); ++i)
    if (i / n % n == i % n) set_element(x, i, element_as_double(x, i) + static_cast<double>(n));
  return x;
}

Tensor values(DType dtype, const Extents& extents, const std::vector<double>& elements) {
  Tensor x(dtype, extents);
  REQUIRE(x.size() == static_cast<std::int64_t>(elements.size()));
  for (std::int64_t i = 0; i < x.size(); ++i) set_element(x, i, elements[static_cast<std::size_t>(i)]);
  return x;
}

namespace {

Type type_of(const Tensor& x) { return {x.dtype(), Shape(x.extents().begin(), x.extents().end())}; }

Module module_of(const std::string& op, const std::vector<Type>& types, Attrs attrs) {
  ModuleBuilder module("m");
  FunctionBuilder f(module, "f");
  std::vector<ValueId> inputs;
  for (const Type& type : types) inputs.push_back(f.input("x" + std::to_string(inputs.size()), type));
  const ValueId first = f.make(op, inputs, std::move(attrs));
  const std::uint32_t count = f.function().nodes.back().result_count;
  for (std::uint32_t r = 0; r < count; ++r) f.output("y" + std::to_string(r), first + r);
  module.add_function(f.finish());
  return module.finish();
}

std::vector<Type> types_of(const std::vector<Tensor>& inputs) {
  std::vector<Type> types;
  for (const Tensor& x : inputs) types.push_back(type_of(x));
  return types;
}

std::vector<Tensor> interpreted(const Module& module, const Function& f, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> state;
  return interpret(module, f, inputs, state, {}).outputs;
}

}  // namespace

std::vector<Tensor> run(const std::string& op, const std::vector<Tensor>& inputs, Attrs attrs) {
  const Module module = module_of(op, types_of(inputs), std::move(attrs));
  const Function& f = *module.functions[0];
  const std::vector<Tensor> expected = interpreted(module, f, inputs);
  const kernel::Program program = lower(module, f);
  for (const std::string& violation : kernel::verify(program)) FAIL_CHECK(violation);
  std::vector<Tensor> state;
  for (const LoopOrder order : {LoopOrder::kForward, LoopOrder::kBackward}) {
    const std::vector<Tensor> seen = interpret_program(module, program, inputs, state, {}, order).outputs;
    REQUIRE(seen.size() == expected.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      INFO(op << ": " << printed_line("loops", seen[i]) << printed_line("interpreter", expected[i]));
      CHECK(same(seen[i], expected[i]));
    }
  }
  return expected;
}

std::string error_of(const std::string& op, const std::vector<Type>& types, Attrs attrs) {
  try {
    module_of(op, types, std::move(attrs));
  } catch (const UserError& error) {
    return error.diagnostics().front().message;
  }
  return {};
}

namespace {

Tensor one_node(const std::string& op, const std::vector<Tensor>& inputs, Attrs attrs = {}) {
  const Module module = module_of(op, types_of(inputs), std::move(attrs));
  return interpreted(module, *module.functions[0], inputs)[0];
}

}  // namespace

static Tensor wide(const Tensor& x) { return one_node("cast", {x}, {{"dtype", DType::kF64}}); }

Tensor times(const Tensor& a, const Tensor& b) { return one_node("matmul", {wide(a), wide(b)}); }

Tensor flipped(const Tensor& a) {
  IntList axes;
  for (int axis = 0; axis < a.rank(); ++axis) axes.push_back(axis);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return one_node("transpose", {a}, {{"axes", axes}});
}

Tensor identity(std::int64_t n) { return one_node("eye", {}, {{"n", n}}); }

Tensor band(const Tensor& x, std::int64_t from, std::int64_t to) {
  Tensor result = x;
  const std::int64_t n = x.extents().back(), m = x.extents()[x.extents().size() - 2];
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const std::int64_t offset = i % n - i / n % m;
    if (offset < from || offset > to) set_element(result, i, 0);
  }
  return result;
}

double greatest(const Tensor& x) {
  double most = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) most = std::max(most, std::fabs(element_as_double(x, i)));
  return most;
}

double difference(const Tensor& a, const Tensor& b) {
  REQUIRE(a.extents() == b.extents());
  double most = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double each = std::fabs(element_as_double(a, i) - element_as_double(b, i));
    most = each <= most ? most : each;  // a NaN is a difference
  }
  return most;
}

bool all_nan(const Tensor& x) {
  for (std::int64_t i = 0; i < x.size(); ++i)
    if (!std::isnan(element_as_double(x, i))) return false;
  return true;
}

double allowed(DType dtype, std::int64_t n) {
  return static_cast<double>(2 * n + 2) * (dtype == DType::kF32 ? 0x1p-23 : 0x1p-52);
}

namespace {

// sum over the results of sum(w * y), w a different constant for each element.
Function summed(ModuleBuilder& module, const GradientCase& c) {
  FunctionBuilder f(module, "f");
  std::vector<ValueId> inputs;
  for (const Tensor& x : c.inputs) inputs.push_back(f.input("x" + std::to_string(inputs.size()), type_of(x)));
  const ValueId first = f.make(c.op, inputs, c.attrs);
  ValueId total = f.literal(DType::kF64, 0);
  for (const int r : c.results) {
    ValueId y = first + static_cast<ValueId>(r);
    if (c.squares) y = f.make("square", {y});
    Extents extents;
    for (const Dim& dim : f.type(y).shape) extents.push_back(dim.offset);
    const ValueId w = f.constant(module.add_constant({}, random_matrix(DType::kF64, extents, 90 + r)));
    total = f.make("add", {total, f.make("reduce_sum", {f.make("mul", {w, y})})});
  }
  f.output("y", total);
  return f.finish();
}

}  // namespace

void check_gradient(const GradientCase& c, double tolerance) {
  ModuleBuilder module("m");
  const Function f = summed(module, c);
  std::vector<ValueId> wrt;
  for (ValueId i = 0; i < c.inputs.size(); ++i) wrt.push_back(f.inputs[i]);
  const Function derived = value_and_grad_function(module, f, {.wrt = wrt, .zeros = true});
  const std::vector<Tensor> results = interpreted(module.module(), derived, c.inputs);
  INFO(c.op);
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    for (std::int64_t e = 0; e < c.inputs[i].size(); ++e) {
      const auto moved = [&](double by) {
        std::vector<Tensor> inputs = c.inputs;
        set_element(inputs[i], e, element_as_double(inputs[i], e) + by);
        return interpreted(module.module(), f, inputs)[0].as<double>()[0];
      };
      const double h = 1e-5, expected = (moved(h) - moved(-h)) / (2 * h),
                   seen = results[i + 1].as<double>()[e];
      INFO("input " << i << ", element " << e << ": " << seen << " where differences give " << expected);
      CHECK(std::fabs(seen - expected) <= tolerance * std::max(1.0, std::fabs(expected)));
    }
  }
}

}  // namespace cohort::test
