#include "support.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ir/diagnostics.h"
#include "ir/inline.h"
#include "ir/reverse.h"
#include "ir/verify.h"

namespace cohort::test {

Tensor generic(const Extents& extents, int seed, double low, double high) {
  Tensor result(DType::kF64, extents);
  double* elements = result.mutable_as<double>();
  for (std::int64_t i = 0; i < result.size(); ++i) {
    // Multiples of the golden section, modulo 1, are far from each other.
    const double place = static_cast<double>(i + 1) * 0.6180339887498949 + seed * 0.3819660112501051 + 0.0137;
    elements[i] = low + (high - low) * (place - std::floor(place));
  }
  return result;
}

Tensor tensor(DType dtype, const Extents& extents, const std::vector<double>& values) {
  Tensor result(dtype, extents);
  for (std::size_t i = 0; i < values.size(); ++i)
    set_element(result, static_cast<std::int64_t>(i), values[i]);
  return result;
}

Type type_of(const Tensor& tensor) {
  return {tensor.dtype(), Shape(tensor.extents().begin(), tensor.extents().end())};
}

std::string show(const Tensor& tensor) {
  std::string text = to_string(type_of(tensor), {}) + " [";
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    text += fmt::format("{}{}", i > 0 ? ", " : "", element_as_double(tensor, i));
  return text + "]";
}

std::string show(const Case& c) {
  std::string text = c.op;
  for (const Tensor& input : c.inputs) text += " " + show(input);
  for (const NamedAttr& attr : c.attrs) text += " " + attr.name;
  return text;
}

Module module_of(const Case& c) {
  ModuleBuilder module("m");
  module.add_dim("n", 1, 8);
  module.add_dim("m", 0, 4);
  FunctionBuilder f(module, "f");
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const Type type =
        c.types.empty() ? type_of(c.inputs[i]) : parse_type(c.types[i], module.module().dims).value();
    inputs.push_back(f.input(fmt::format("x{}", i), type));
  }
  ValueId result = f.make(c.op, inputs, c.attrs);
  const std::size_t count = c.op == "einsum" ? 1 : f.function().nodes.back().result_count;
  for (std::size_t r = 0; r < count; ++r, ++result) f.output(fmt::format("r{}", r), result);
  module.add_function(f.finish());
  return module.finish();
}

const Function& function_named(const Module& module, const std::string& name) {
  for (const auto& function : module.functions)
    if (function->name == name) return *function;
  internal_error("no function " + name);
}

Module with_gradient(Module original, const std::string& name) {
  ModuleBuilder module(std::move(original));
  const Function of = function_named(module.module(), name);
  FunctionBuilder g(module, "grad_" + name);
  std::vector<ValueId> arguments, wrt;
  std::vector<Seed> seeds;
  for (const ValueId input : of.inputs) {
    const Value& value = of.value(input);
    arguments.push_back(g.input(value.name, value.type));
    if (is_float(value.type.dtype)) wrt.push_back(input);
  }
  for (const Output& output : of.outputs)
    if (is_float(of.type(output.value).dtype))
      seeds.push_back({output.value, g.input("c_" + output.name, of.type(output.value))});
  const std::vector<ValueId> copies = inline_function(g, of, arguments);
  const std::vector<ValueId> gradients = reverse(g, of, copies, seeds, wrt);
  for (std::size_t i = 0; i < wrt.size(); ++i) {
    ValueId gradient = gradients[i];
    const Type& type = of.type(wrt[i]);
    if (gradient == kNoId) gradient = g.make("full", {g.literal(type.dtype, 0)}, {{"shape", type.shape}});
    CHECK(g.type(gradient) == type);
    g.output("g_" + of.value(wrt[i]).name, gradient);
  }
  module.add_function(g.finish());
  const std::vector<std::string> wrong = verify(module.module());
  CHECK_MESSAGE(wrong.empty(), (wrong.empty() ? std::string() : wrong[0]));
  return module.finish();
}

std::vector<Tensor> run(const Module& module, const std::string& name, const std::vector<Tensor>& inputs) {
  const Function& function = function_named(module, name);
  std::vector<Tensor> state;
  return interpret(module, function, inputs, state, bind_dims(module, function, inputs)).outputs;
}

std::vector<Tensor> cotangents(const Module& module, const std::string& name,
                               const std::vector<Tensor>& inputs) {
  std::vector<Tensor> result;
  for (const Tensor& output : run(module, name, inputs)) {
    if (!is_float(output.dtype())) continue;
    const Tensor exact = generic(output.extents(), 17 + static_cast<int>(result.size()));
    Tensor rounded(output.dtype(), output.extents());
    for (std::int64_t i = 0; i < exact.size(); ++i) set_element(rounded, i, element_as_double(exact, i));
    result.push_back(rounded);
  }
  return result;
}

namespace {

double weighted_sum(const Module& module, const std::string& name, const std::vector<Tensor>& inputs,
                    const std::vector<Tensor>& weights) {
  double sum = 0;
  std::size_t next = 0;
  for (const Tensor& output : run(module, name, inputs)) {
    if (!is_float(output.dtype())) continue;
    const Tensor& weight = weights[next++];
    for (std::int64_t i = 0; i < output.size(); ++i)
      sum += element_as_double(output, i) * element_as_double(weight, i);
  }
  return sum;
}

double greatest(const Tensor& tensor) {
  double best = 1;
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    best = std::max(best, std::abs(element_as_double(tensor, i)));
  return best;
}

std::vector<Tensor> joined(std::vector<Tensor> a, const std::vector<Tensor>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void check_close(const Tensor& gradient, const Tensor& expected, double tolerance) {
  REQUIRE(gradient.extents() == expected.extents());
  const double allowed = tolerance * greatest(expected);
  bool close = true;
  for (std::int64_t i = 0; i < gradient.size(); ++i)
    close = close && std::abs(element_as_double(gradient, i) - element_as_double(expected, i)) <= allowed;
  INFO("gradient ", show(gradient));
  INFO("expected ", show(expected));
  CHECK(close);
}

}  // namespace

Module check_gradient(Module original, const std::string& name, const std::vector<Tensor>& inputs) {
  constexpr double kStep = 0x1p-17, kTolerance = 2e-7;
  const Module module = with_gradient(std::move(original), name);
  const std::vector<Tensor> weights = cotangents(module, name, inputs);
  const std::vector<Tensor> gradients = run(module, "grad_" + name, joined(inputs, weights));
  std::size_t next = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!is_float(inputs[i].dtype())) continue;
    Tensor slopes(DType::kF64, inputs[i].extents());
    for (std::int64_t e = 0; e < inputs[i].size(); ++e) {
      std::vector<Tensor> moved = inputs;
      const double x = element_as_double(inputs[i], e);
      set_element(moved[i], e, x + kStep);
      const double up = weighted_sum(module, name, moved, weights);
      set_element(moved[i], e, x - kStep);
      const double down = weighted_sum(module, name, moved, weights);
      set_element(slopes, e, (up - down) / (2 * kStep));
    }
    INFO(name, ", input ", i);
    check_close(gradients[next++], slopes, kTolerance);
  }
  return module;
}

namespace {

// The case with every float input in `dtype`.
Case in_dtype(const Case& c, DType dtype) {
  Case result = c;
  for (Tensor& input : result.inputs) {
    if (!is_float(input.dtype())) continue;
    Tensor other(dtype, input.extents());
    for (std::int64_t e = 0; e < input.size(); ++e) set_element(other, e, element_as_double(input, e));
    input = other;
  }
  for (std::string& type : result.types)
    if (type[0] == 'f') type.replace(0, type.find('['), dtype_name(dtype));
  return result;
}

std::vector<Tensor> gradients_at(const Case& c, const std::vector<Tensor>& weights) {
  return run(with_gradient(module_of(c), "f"), "grad_f", joined(c.inputs, weights));
}

// In a narrower dtype each of a few operations rounds once: 64 times its epsilon, of the largest gradient.
void check_narrow(const Case& c, DType dtype, double epsilon) {
  INFO("in ", dtype_name(dtype));
  const Case narrow = in_dtype(c, dtype);
  const std::vector<Tensor> weights = cotangents(module_of(narrow), "f", narrow.inputs);
  const Case wide = in_dtype(narrow, DType::kF64);
  std::vector<Tensor> wide_weights;
  const std::vector<Tensor> outputs = run(module_of(wide), "f", wide.inputs);
  std::size_t next = 0;
  for (const Tensor& output : outputs) {
    if (!is_float(output.dtype())) continue;
    Tensor weight(output.dtype(), output.extents());
    const Tensor& from = weights[next++];
    for (std::int64_t e = 0; e < from.size(); ++e) set_element(weight, e, element_as_double(from, e));
    wide_weights.push_back(weight);
  }
  const std::vector<Tensor> gradients = gradients_at(narrow, weights);
  const std::vector<Tensor> expected = gradients_at(wide, wide_weights);
  REQUIRE(gradients.size() == expected.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    CHECK(gradients[i].dtype() == dtype);
    check_close(gradients[i], expected[i], 64 * epsilon);
  }
}

}  // namespace

void check_case(const Case& c) {
  INFO(show(c));
  check_gradient(module_of(c), "f", c.inputs);
  check_narrow(c, DType::kF32, 0x1p-23);
  check_narrow(c, DType::kF16, 0x1p-10);
}

void check_twice(const Case& c) {
  INFO(show(c));
  const Module once = with_gradient(module_of(c), "f");
  check_gradient(once, "grad_f", joined(c.inputs, cotangents(once, "f", c.inputs)));
}

Tensor gradient_of(const Case& c, int input) {
  std::vector<Tensor> ones = cotangents(module_of(c), "f", c.inputs);
  for (Tensor& one : ones)
    for (std::int64_t e = 0; e < one.size(); ++e) set_element(one, e, 1);
  return gradients_at(c, ones)[static_cast<std::size_t>(input)];
}

}  // namespace cohort::test
