#include "engines.h"

#include "compiler/compiled.h"
#include "compiler/lower.h"
#include "compiler/pipeline.h"
#include "ir/diagnostics.h"
#include "ir/kernel_interpreter.h"

namespace cohort {
namespace {

// Runs `run` on the function as it is when what it applies has been written out.
template <typename Run>
CallResult run_plain(const Module& module, const Function& function, Run&& run) {
  if (!applies_functions(function)) return run(module, function);
  const Module plain = without_applied_functions(module);
  for (const auto& each : plain.functions)
    if (each->name == function.name) return run(plain, *each);
  internal_error("the compiler lost a function");
}

CallResult run_interpreter(const Module& module, const Function& function, std::span<const Tensor> inputs,
                           std::vector<Tensor>& state) {
  return run_plain(module, function, [&](const Module& m, const Function& f) {
    return interpret(m, f, inputs, state, bind_dims(m, f, inputs));
  });
}

// As lowering writes it, before any pass.
CallResult run_lowered(const Module& module, const Function& function, std::span<const Tensor> inputs,
                       std::vector<Tensor>& state) {
  return run_plain(module, function, [&](const Module& m, const Function& f) {
    return interpret_program(m, lower(m, f), inputs, state, bind_dims(m, f, inputs));
  });
}

// After every pass, as it is emitted: everything on the CPU, or what can on the GPU.
template <PlacementMode kPlacement>
CallResult run_optimised(const Module& module, const Function& function, std::span<const Tensor> inputs,
                         std::vector<Tensor>& state) {
  const DimValues dims = bind_dims(module, function, inputs);
  CompileOptions options;
  options.placement = kPlacement;
  const CompiledModule compiled = compile(module, options);
  for (std::size_t i = 0; i < compiled.functions.size(); ++i) {
    if (compiled.module.functions[i]->name != function.name) continue;
    return interpret_program(compiled.module, compiled.functions[i].program, inputs, state, dims);
  }
  internal_error("the compiler lost a function");
}

}  // namespace

std::vector<OpEngine> op_engines() {
  return {{"graph interpreter", run_interpreter, 0, true},
          {"loop interpreter", run_lowered, 0, false},
          {"loop interpreter after all passes", run_optimised<PlacementMode::kCpu>, 0, false},
          {"loop interpreter after placement", run_optimised<PlacementMode::kGpu>, 0, false}};
}

}  // namespace cohort
