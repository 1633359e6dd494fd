#include "compiler/derive/derivatives.h"

#include <algorithm>

#include "compiler/derive/split_loops.h"
#include "ir/diagnostics.h"
#include "ir/inline.h"
#include "ir/op_def.h"
#include "ir/reverse.h"

namespace cohort {
namespace {

// A copy of f under construction, and where its values went.
struct Copy {
  FunctionBuilder to;
  std::vector<ValueId> values;

  Copy(ModuleBuilder& module, const Function& f) : to(module, f.name) {
    std::vector<ValueId> inputs;
    for (const ValueId input : f.inputs) inputs.push_back(to.input(f.value(input).name, f.type(input)));
    values = inline_function(to, f, inputs);
  }
};

// The same inputs and states among the values of `other`, which has those of f.
std::vector<ValueId> same_values(const Function& f, std::span<const ValueId> values, const Function& other) {
  std::vector<ValueId> same;
  for (const ValueId value : values) {
    const Value& old = f.value(value);
    const auto found = std::find_if(other.values.begin(), other.values.end(), [&](const Value& v) {
      return v.kind == old.kind && v.index == old.index;
    });
    require(found != other.values.end(), "a derived function has the inputs and states of its function");
    same.push_back(static_cast<ValueId>(found - other.values.begin()));
  }
  return same;
}

// f in the form that is differentiated, and what to differentiate it by.
struct Taped {
  Function f;
  Derivative d;

  Taped(ModuleBuilder& module, const Function& plain, const Derivative& derivative)
      : f(with_tapes(module, with_split_loops(module, plain))), d(derivative) {
    d.wrt = same_values(plain, derivative.wrt, f);
  }
};

// Gradients of the seeds, with zeros or an error for what they do not depend on.
std::vector<ValueId> gradients(Copy& copy, const Function& f, std::span<const Seed> seeds,
                               const Derivative& d) {
  std::vector<ValueId> found = reverse(copy.to, f, copy.values, seeds, d.wrt);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] != kNoId) continue;
    if (!d.zeros) {
      Diagnostic message = diagnostic(DiagId::kDisconnected, {}, d.op, f.name, f.value(d.wrt[i]).name);
      message.hint = "`\"disconnected\": \"zero\"` gives zeros for it";
      throw UserError(std::move(message));
    }
    found[i] = copy.to.zeros(f.type(d.wrt[i]));
  }
  return found;
}

void add_outputs(Copy& copy, const Function& f) {
  for (const Output& output : f.outputs) copy.to.output(output.name, copy.values[output.value]);
}

void add_gradients(Copy& copy, const Function& f, const Derivative& d, std::span<const ValueId> found,
                   const char* prefix) {
  for (std::size_t i = 0; i < found.size(); ++i) copy.to.output(prefix + f.value(d.wrt[i]).name, found[i]);
}

}  // namespace

Function vjp_function(ModuleBuilder& module, const Function& plain, const Derivative& derivative) {
  const Taped taped(module, plain, derivative);
  const Function& f = taped.f;
  const Derivative& d = taped.d;
  Copy copy(module, f);
  std::vector<Seed> seeds;
  for (const Output& output : f.outputs) {
    const ValueId cotangent = copy.to.input("cotangent_" + output.name, f.type(output.value));
    if (is_float(f.type(output.value).dtype)) seeds.push_back({output.value, cotangent});
  }
  add_outputs(copy, f);
  add_gradients(copy, f, d, gradients(copy, f, seeds, d), "grad_");
  return copy.to.finish();
}

Function value_and_grad_function(ModuleBuilder& module, const Function& plain, const Derivative& derivative) {
  const Taped taped(module, plain, derivative);
  const Function& f = taped.f;
  const Derivative& d = taped.d;
  Copy copy(module, f);
  const ValueId output = f.outputs[0].value;
  const Seed seed{output, copy.to.literal(f.type(output).dtype, 1)};
  add_outputs(copy, f);
  add_gradients(copy, f, d, gradients(copy, f, {&seed, 1}, d), "grad_");
  return copy.to.finish();
}

Function jvp_function(ModuleBuilder& module, const Function& f, const Derivative& d) {
  // The tangents of outputs that depend on nothing are zeros, whatever is asked for.
  const Function vjp = with_tapes(module, vjp_function(module, f, {d.wrt, true, d.op}));
  const std::size_t outputs = f.outputs.size(), inputs = f.inputs.size();
  FunctionBuilder to(module, f.name);
  std::vector<ValueId> arguments;
  for (const ValueId input : f.inputs) arguments.push_back(to.input(f.value(input).name, f.type(input)));
  std::vector<ValueId> tangents;
  for (const ValueId value : d.wrt)
    tangents.push_back(to.input("tangent_" + f.value(value).name, f.type(value)));
  for (const Output& output : f.outputs) arguments.push_back(to.zeros(f.type(output.value)));
  const std::vector<ValueId> copies = inline_function(to, vjp, arguments);
  std::vector<Seed> seeds;
  for (std::size_t i = 0; i < d.wrt.size(); ++i)
    seeds.push_back({vjp.outputs[outputs + i].value, tangents[i]});
  const std::vector<ValueId> cotangents(vjp.inputs.begin() + static_cast<std::ptrdiff_t>(inputs),
                                        vjp.inputs.end());
  const std::vector<ValueId> found = reverse(to, vjp, copies, seeds, cotangents);
  for (std::size_t i = 0; i < outputs; ++i) to.output(f.outputs[i].name, copies[vjp.outputs[i].value]);
  for (std::size_t i = 0; i < outputs; ++i) {
    const ValueId tangent = found[i] == kNoId ? to.zeros(f.type(f.outputs[i].value)) : found[i];
    to.output("tangent_" + f.outputs[i].name, tangent);
  }
  return to.finish();
}

Function hvp_function(ModuleBuilder& module, const Function& f, const Derivative& d) {
  const Function with_gradients = value_and_grad_function(module, f, d);
  const Derivative inner{same_values(f, d.wrt, with_gradients), true, d.op};
  Function gradient = with_gradients;
  gradient.outputs.erase(gradient.outputs.begin());
  Function jvp = jvp_function(module, gradient, inner);
  jvp.outputs.erase(jvp.outputs.begin(), jvp.outputs.begin() + static_cast<std::ptrdiff_t>(d.wrt.size()));
  return jvp;
}

}  // namespace cohort
