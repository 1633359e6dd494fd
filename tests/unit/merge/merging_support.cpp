#include "merging_support.h"

#include <doctest/doctest.h>

#include <map>

#include "compiler/sample.h"
#include "ir/interpreter.h"
#include "ir/kernel_interpreter.h"
#include "ir/kernel_verify.h"
#include "tests/support/same_bits.h"

namespace cohort::test {

namespace {

CompiledModule compiled_with(const Module& module, MergeMode mode) {
  CompileOptions options;
  options.merge = mode;
  options.disabled = {"stabilise"};  // changes values on purpose
  CompiledModule compiled = compile(module, options);
  for (const CompiledFunction& f : compiled.functions) REQUIRE(kernel::verify(f.program).empty());
  return compiled;
}

// Calls both ways in step and compares.
void compare(const Module& module, const CompiledModule& compiled, int calls, std::uint64_t seed,
             LoopOrder order) {
  std::vector<Tensor> expected_state = initial_state(module), state = expected_state;
  for (int call = 0; call < calls; ++call) {
    for (std::size_t f = 0; f < module.functions.size(); ++f) {
      const Function& function = *module.functions[f];
      const SampleCall sample = sample_call(module, function, seed + static_cast<std::uint64_t>(call));
      const CallResult expected = interpret(module, function, sample.inputs, expected_state, sample.dims);
      const CallResult result = interpret_program(compiled.module, compiled.functions[f].program,
                                                  sample.inputs, state, sample.dims, order);
      for (StateId s = 0; s < state.size(); ++s) state[s] = state[lead_of(compiled, s)];
      REQUIRE(result.outputs.size() == expected.outputs.size());
      for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
        INFO("output " << function.outputs[i].name << " of call " << call);
        CHECK(same(result.outputs[i], expected.outputs[i]));
      }
      for (std::size_t s = 0; s < state.size(); ++s) {
        INFO("state " << module.states[s].name << " after call " << call);
        REQUIRE(same(state[s], expected_state[s]));
      }
    }
  }
}

}  // namespace

CompiledModule check_merging(const Module& module, int calls, std::uint64_t seed) {
  CompiledModule merged = compiled_with(module, MergeMode::kAlways);
  {
    std::string text;
    for (const CompiledFunction& f : merged.functions) text += kernel::to_string(f.program, module.dims);
    INFO("merged:\n" << text);
    compare(module, merged, calls, seed, LoopOrder::kForward);
    compare(module, merged, calls, seed, LoopOrder::kBackward);
  }
  INFO("unmerged");
  compare(module, compiled_with(module, MergeMode::kOff), calls, seed, LoopOrder::kForward);
  return merged;
}

Module model(const std::function<void(ModuleBuilder&, FunctionBuilder&)>& write) {
  ModuleBuilder module("model");
  FunctionBuilder step(module, "step");
  write(module, step);
  module.add_function(step.finish());
  return module.finish();
}

ValueId variable(ModuleBuilder& module, FunctionBuilder& step, const std::string& name,
                 const Extents& extents, double first) {
  Tensor init(DType::kF64, extents);
  for (std::int64_t i = 0; i < init.size(); ++i) set_element(init, i, first + static_cast<double>(i % 17));
  const Type type{DType::kF64, Shape(extents.begin(), extents.end())};
  return step.state(module.add_state(name, type, std::move(init)));
}

StateId find_state(const Module& module, const std::string& name) {
  for (StateId s = 0; s < module.states.size(); ++s) {
    if (module.states[s].name == name) return s;
  }
  FAIL("no state " << name);
  return 0;
}

std::size_t kernel_count(const CompiledModule& compiled, std::size_t function) {
  return compiled.functions[function].program.kernels.size();
}

std::size_t loop_count(const CompiledModule& compiled, std::size_t function) {
  std::size_t count = 0;
  for (const kernel::Kernel& k : compiled.functions[function].program.kernels) {
    for (const kernel::Stmt& s : k.body) count += s.kind == kernel::StmtKind::kFor;
  }
  return count;
}

namespace {

// Named dims as the constants they are in one copy.
Shape with_constants(Shape shape, const DimValues& values) {
  for (Dim& d : shape) d = evaluate(d, values);
  return shape;
}
Attrs with_constants(Attrs attrs, const DimValues& values) {
  for (NamedAttr& attr : attrs) {
    if (auto* shape = std::get_if<Shape>(&attr.value)) *shape = with_constants(std::move(*shape), values);
  }
  return attrs;
}

}  // namespace

Module replicated(const Module& source, int copies, bool outputs, bool ragged) {
  const Function& function = *source.functions.front();
  ModuleBuilder module("replicated");
  if (!ragged) module.module().dims = source.dims;
  FunctionBuilder step(module, "step");
  std::map<ValueId, ValueId> shared;
  for (int copy = 0; copy < copies; ++copy) {
    const std::string suffix = fmt::format("_{}", copy);
    // Another start for each copy where the values are free: rotated elements.
    const auto varied = [&](Tensor data) {
      if (data.size() < 2 || copy == 0) return data;
      Tensor result = data;
      const auto width = static_cast<std::size_t>(dtype_bytes(data.dtype()));
      const std::size_t bytes = static_cast<std::size_t>(data.bytes());
      const std::size_t shift =
          static_cast<std::size_t>(copy) % static_cast<std::size_t>(data.size()) * width;
      std::memcpy(result.mutable_data(), data.data() + shift, bytes - shift);
      std::memcpy(result.mutable_data() + bytes - shift, data.data(), shift);
      return result;
    };
    std::map<ValueId, ValueId> values;
    std::map<StateId, StateId> states;
    DimValues dims;
    for (const NamedDim& d : source.dims) dims.push_back(std::min(d.max, d.min + copy * 2 % 5));
    const auto shape_of = [&](const Type& type) {
      return ragged ? with_constants(type.shape, dims) : type.shape;
    };
    for (StateId s = 0; s < source.states.size(); ++s)
      states[s] = module.add_state(source.states[s].name + suffix, source.states[s].type,
                                   varied(source.states[s].init));
    for (ValueId v = 0; v < function.values.size(); ++v) {
      const Value& value = function.value(v);
      const Type type{value.type.dtype, shape_of(value.type)};
      const bool fixed_shape =
          std::all_of(type.shape.begin(), type.shape.end(), [](const Dim& d) { return d.is_constant(); });
      if (value.kind == ValueKind::kInput && !ragged && (value.index % 2 == 0 || !fixed_shape)) {
        if (copy == 0) shared[v] = step.input(value.name, value.type);
        values[v] = shared[v];
      } else if (value.kind == ValueKind::kInput) {
        Extents extents;
        for (const Dim& d : type.shape) extents.push_back(d.offset);
        Tensor init(type.dtype, extents);
        for (std::int64_t i = 0; i < init.size(); ++i)
          set_element(init, i, static_cast<double>((i * 7 + copy) % 5) - 1);
        values[v] = step.state(module.add_state(value.name + suffix, type, std::move(init)));
      } else if (value.kind == ValueKind::kState) {
        values[v] = step.state(states[value.index]);
      } else if (value.kind == ValueKind::kConstant) {
        const Constant& constant = source.constants[value.index];
        values[v] = step.constant(
            module.add_constant(constant.name.empty() ? "" : constant.name + suffix,
                                is_float(constant.data.dtype()) ? varied(constant.data) : constant.data));
      }
    }
    for (const Node& node : function.nodes) {
      std::vector<ValueId> inputs;
      for (const ValueId input : node.inputs) inputs.push_back(values.at(input));
      const ValueId first =
          step.node(*node.op, inputs, ragged ? with_constants(node.attrs, dims) : node.attrs);
      for (std::uint32_t r = 0; r < node.result_count; ++r) {
        const std::string& name = function.value(node.first_result + r).name;
        if (!name.empty()) step.function().values[first + r].name = name + suffix;
        values[node.first_result + r] = first + r;
      }
    }
    for (const Output& output : function.outputs) {
      if (outputs) step.output(output.name + suffix, values.at(output.value));
    }
    for (const Update& update : function.updates)
      step.update(states.at(update.state), values.at(update.value));
    if (outputs) continue;
    for (const Output& output : function.outputs) {
      const Type type = step.type(values.at(output.value));  // `squeeze` may take an axis that is 1 here
      Extents extents;
      for (const Dim& d : type.shape) extents.push_back(d.is_constant() ? d.offset : -1);
      if (std::find(extents.begin(), extents.end(), -1) != extents.end()) continue;
      step.update(module.add_state("kept " + output.name + suffix, type, Tensor(type.dtype, extents)),
                  values.at(output.value));
    }
  }
  module.add_function(step.finish());
  return module.finish();
}

}  // namespace cohort::test
