// From a module to what the emitters print: the graph optimised, every function lowered, its kernels
// improved, memory planned.
#include "compiler/compiled.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/lower.h"
#include "compiler/pass.h"
#include "compiler/pipeline.h"
#include "compiler/plan_memory.h"

namespace cohort {
namespace {

// The options without what names kernel passes only, which the graph's pipeline would refuse.
CompileOptions graph_options(CompileOptions options) {
  const auto of_kernels = [](const std::string& name) { return find_kernel_pass(name) && !find_pass(name); };
  std::erase_if(options.disabled, of_kernels);
  if (of_kernels(options.stop_after)) options.stop_after.clear();
  return options;
}

}  // namespace

CompiledModule compile(Module module, const CompileOptions& options) {
  CompiledModule compiled;
  compiled.module = optimise(std::move(module), graph_options(options));
  const Dims& dims = compiled.module.dims;
  for (const std::shared_ptr<const Function>& function : compiled.module.functions)
    compiled.functions.push_back({run_kernel_passes(lower(compiled.module, *function), dims, options), {}});
  plan_memory(compiled);
  return compiled;
}

}  // namespace cohort
