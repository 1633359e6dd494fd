#include "check.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <sstream>

#include "compiler/lower.h"
#include "ir/diagnostics.h"
#include "ir/interpreter.h"
#include "ir/kernel_interpreter.h"
#include "ir/kernel_verify.h"

namespace cohort::test {

namespace {

const Dims kDims{{"n", 1, 8}, {"m", 0, 4}};

std::int64_t parse_integer(DType dtype, const std::string& word) {
  if (dtype == DType::kU64) return static_cast<std::int64_t>(std::strtoull(word.c_str(), nullptr, 0));
  return std::strtoll(word.c_str(), nullptr, 0);
}

bool is_nan_at(const Tensor& tensor, std::int64_t i) {
  const double value = element_as_double(tensor, i);
  return value != value;
}

bool same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.extents() != b.extents()) return false;
  const std::size_t width = static_cast<std::size_t>(dtype_bytes(a.dtype()));
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * width;
    if (std::memcmp(a.data() + at, b.data() + at, width) != 0 && !(is_nan_at(a, i) && is_nan_at(b, i)))
      return false;
  }
  return true;
}

Type constant_type(const Tensor& tensor) {
  return {tensor.dtype(), Shape(tensor.extents().begin(), tensor.extents().end())};
}

Module one_node(std::string_view op, const std::vector<Type>& types, const Attrs& attrs) {
  ModuleBuilder module("test");
  for (const NamedDim& dim : kDims) module.add_dim(dim.name, dim.min, dim.max);
  FunctionBuilder function(module, "f");
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < types.size(); ++i)
    inputs.push_back(function.input("x" + std::to_string(i), types[i]));
  const ValueId first = function.make(op, inputs, attrs);
  const std::uint32_t count = function.function().nodes.back().result_count;
  for (std::uint32_t r = 0; r < count; ++r) function.output("y" + std::to_string(r), first + r);
  module.add_function(function.finish());
  return module.finish();
}

std::vector<Tensor> run_loops(const Module& module, const std::vector<Tensor>& inputs, const DimValues& dims,
                              LoopOrder order) {
  const kernel::Program program = lower(module, *module.functions[0]);
  for (const std::string& violation : kernel::verify(program)) FAIL_CHECK(violation);
  std::vector<Tensor> state;
  INFO(kernel::to_string(program, module.dims));
  return interpret_program(module, program, inputs, state, dims, order).outputs;
}

std::vector<Tensor> run_graph(const Module& module, const std::vector<Tensor>& inputs,
                              const DimValues& dims) {
  std::vector<Tensor> state;
  return interpret(module, *module.functions[0], inputs, state, dims).outputs;
}

void check_same(const std::vector<Tensor>& seen, const std::vector<Tensor>& expected,
                std::string_view where) {
  REQUIRE(seen.size() == expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    INFO(where << ", result " << i << ": " << show(seen[i]) << " instead of " << show(expected[i]));
    CHECK(same(seen[i], expected[i]));
  }
}

void check_loops(const Module& module, const std::vector<Tensor>& inputs, const DimValues& dims,
                 const std::vector<Tensor>& expected) {
  check_same(run_loops(module, inputs, dims, LoopOrder::kForward), expected, "loops");
  check_same(run_loops(module, inputs, dims, LoopOrder::kBackward), expected, "loops, backward");
}

std::string call_text(std::string_view op, const std::vector<std::string>& inputs) {
  std::string line(op);
  for (const std::string& input : inputs) line += " | " + input;
  return line;
}

}  // namespace

Tensor parse_tensor(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string word;
  words >> word;
  const std::optional<Type> type = parse_type(word, {});
  REQUIRE_MESSAGE(type, word);
  Tensor tensor(type->dtype, evaluate(type->shape, {}));
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    REQUIRE_MESSAGE(static_cast<bool>(words >> word), line);
    if (is_float(type->dtype))
      set_element(tensor, i, std::strtod(word.c_str(), nullptr));
    else
      set_element_int(tensor, i, parse_integer(type->dtype, word));
  }
  REQUIRE_MESSAGE(!(words >> word), line);
  return tensor;
}

std::string show(const Tensor& tensor) {
  std::string line = to_string(constant_type(tensor), {});
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (is_float(tensor.dtype()))
      line += fmt::format(" {}", element_as_double(tensor, i));
    else if (tensor.dtype() == DType::kU64)
      line += fmt::format(" {}", tensor.as<std::uint64_t>()[i]);
    else
      line += fmt::format(" {}", element_as_int(tensor, i));
  }
  return line;
}

void check_op(std::string_view op, const std::vector<std::string>& inputs, const Attrs& attrs,
              const std::vector<std::string>& expected) {
  INFO(call_text(op, inputs));
  std::vector<Tensor> operands, results;
  std::vector<Type> types;
  for (const std::string& input : inputs) {
    operands.push_back(parse_tensor(input));
    types.push_back(constant_type(operands.back()));
  }
  for (const std::string& line : expected) results.push_back(parse_tensor(line));
  const Module module = one_node(op, types, attrs);
  const Function& function = *module.functions[0];
  REQUIRE(function.outputs.size() == results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    CHECK(to_string(function.type(function.outputs[i].value), {}) ==
          to_string(constant_type(results[i]), {}));
  }
  const DimValues dims = maximum_values(module.dims);
  check_same(run_graph(module, operands, dims), results, "interpreter");
  check_loops(module, operands, dims, results);
}

std::string error_of(std::string_view op, const std::vector<std::string>& inputs, const Attrs& attrs) {
  std::vector<Tensor> operands;
  std::vector<Type> types;
  for (const std::string& input : inputs) {
    operands.push_back(parse_tensor(input));
    types.push_back(constant_type(operands.back()));
  }
  std::string message;
  try {
    const Module module = one_node(op, types, attrs);
    try {
      run_graph(module, operands, maximum_values(module.dims));
    } catch (const UserError& error) {
      message = error.diagnostics()[0].message;
      // The loops fail with the same words.
      try {
        run_loops(module, operands, maximum_values(module.dims), LoopOrder::kForward);
        FAIL_CHECK("the loops do not fail: " << message);
      } catch (const UserError& again) {
        CHECK(again.diagnostics()[0].message == message);
      }
    }
  } catch (const UserError& error) {
    message = error.diagnostics()[0].message;
  }
  return message;
}

std::string infer(std::string_view op, const std::vector<std::string>& types, const Attrs& attrs) {
  std::vector<Type> parsed;
  for (const std::string& type : types) parsed.push_back(*parse_type(type, kDims));
  try {
    const Module module = one_node(op, parsed, attrs);
    std::string line;
    for (const Output& output : module.functions[0]->outputs) {
      line += (line.empty() ? "" : " ") + to_string(module.functions[0]->type(output.value), kDims);
    }
    return line;
  } catch (const UserError& error) {
    return error.diagnostics()[0].message;
  }
}

Attr named_shape(std::string_view line) { return parse_type("f64" + std::string(line), kDims)->shape; }

void check_named(std::string_view op, const std::vector<std::string>& types, const Attrs& attrs,
                 const std::vector<DimValues>& values) {
  INFO(call_text(op, types));
  std::vector<Type> parsed;
  for (const std::string& type : types) parsed.push_back(*parse_type(type, kDims));
  const Module module = one_node(op, parsed, attrs);
  for (const DimValues& dims : values) {
    INFO("n = " << dims[0] << ", m = " << dims[1]);
    std::vector<Tensor> inputs;
    for (const Type& type : parsed) {
      inputs.emplace_back(type.dtype, evaluate(type.shape, dims));
      for (std::int64_t i = 0; i < inputs.back().size(); ++i) set_element_int(inputs.back(), i, i + 1);
    }
    check_loops(module, inputs, dims, run_graph(module, inputs, dims));
  }
}

bool try_op(const OpDef& op, const std::vector<Type>& types, const Attrs& attrs) {
  std::vector<Tensor> inputs;
  for (const Type& type : types) {
    inputs.emplace_back(type.dtype, evaluate(type.shape, {}));
    for (std::int64_t i = 0; i < inputs.back().size(); ++i)
      set_element_int(inputs.back(), i, (i * 5 + 1) % 3);
  }
  try {
    const Module module = one_node(op.name, types, attrs);
    const DimValues dims = maximum_values(module.dims);
    const std::vector<Tensor> results = run_graph(module, inputs, dims);
    for (std::size_t i = 0; i < results.size(); ++i) {
      CHECK(constant_type(results[i]) == module.functions[0]->type(module.functions[0]->outputs[i].value));
    }
    check_loops(module, inputs, dims, results);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace cohort::test
