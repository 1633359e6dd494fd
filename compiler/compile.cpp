// From a module to what the emitters print: the graph optimised, every function lowered, alike kernels
// merged, all kernels improved, memory planned.
#include "compiler/compiled.h"
#include "compiler/kernel_passes/blas_products.h"
#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/lower.h"
#include "compiler/merge/equal_states.h"
#include "compiler/merge/merge.h"
#include "compiler/pass.h"
#include "compiler/pipeline.h"
#include "compiler/placement/aside.h"
#include "compiler/placement/place.h"
#include "compiler/plan_memory.h"
#include "compiler/specialise.h"

namespace cohort {
namespace {

// The options without what names kernel passes only, which the graph's pipeline would refuse.
CompileOptions graph_options(CompileOptions options) {
  const auto of_kernels = [](const std::string& name) { return find_kernel_pass(name) && !find_pass(name); };
  std::erase_if(options.disabled, of_kernels);
  if (of_kernels(options.stop_after)) options.stop_after.clear();
  return options;
}

// Calls of each function; none if there is no profile.
std::vector<double> call_counts(const Module& module, const Profile& profile) {
  std::vector<double> calls;
  if (profile.functions.empty()) return calls;
  for (const std::shared_ptr<const Function>& function : module.functions) {
    const auto found = profile.functions.find(function->name);
    calls.push_back(found == profile.functions.end() ? 0 : static_cast<double>(found->second.calls));
  }
  return calls;
}

// The values that dims of the program mostly have, by the profile.
std::vector<FixedDim> common_dims(const Function& function, const kernel::Program& program,
                                  const Profile& profile) {
  const auto found = profile.functions.find(function.name);
  if (found == profile.functions.end()) return {};
  return mentioned(program, common_values(found->second));
}

// How often programs are called, in calls of all functions together; once each if that is not known. A copy
// for common dims takes nine calls of ten, at least.
std::vector<double> call_weights(const CompiledModule& compiled, const Profile& profile) {
  constexpr double kCommon = 0.9;
  std::vector<double> weights = call_counts(compiled.module, profile);
  double sum = 0;
  for (const double calls : weights) sum += calls;
  if (sum <= 0) weights.assign(compiled.functions.size(), 1);
  for (double& weight : weights) weight /= sum > 0 ? sum : 1;
  for (const SpecialisedFunction& copy : compiled.specialised) {
    weights.push_back(kCommon * weights[copy.function]);
    weights[copy.function] *= 1 - kCommon;
  }
  return weights;
}

// On all programs: what fuses, then placement on devices, which asks for all of them, then the rest.
void run_kernel_passes(CompiledModule& compiled, const CompileOptions& options) {
  std::vector<kernel::Program*> programs;
  for (CompiledFunction& function : compiled.functions) programs.push_back(&function.program);
  for (SpecialisedFunction& copy : compiled.specialised) programs.push_back(&copy.code.program);
  const Dims& dims = compiled.module.dims;
  const auto run = [&](KernelStage stage) {
    for (kernel::Program* program : programs)
      *program = cohort::run_kernel_passes(std::move(*program), dims, options, {}, stage);
  };
  if (options.placement == PlacementMode::kCpu) return run(KernelStage::kAll);
  run(KernelStage::kFuse);
  place(programs, call_weights(compiled, options.profile), options, compiled);
  const auto call_blas = [&] {
    if (options.blas != BlasLibrary::kCublas) return;
    for (kernel::Program* program : programs) kernel::call_blas(*program, dims, options.device.gpu);
  };
  call_blas();
  run(KernelStage::kFinish);
  call_blas();
  for (CompiledFunction& f : compiled.functions) f.asides = plan_asides(f.program, dims, options.device.gpu);
  for (SpecialisedFunction& copy : compiled.specialised)
    copy.code.asides = plan_asides(copy.code.program, dims, options.device.gpu);
}

}  // namespace

CompiledModule compile(Module module, const CompileOptions& options) {
  CompiledModule compiled;
  compiled.cuda_graph = options.cuda_graph;
  if (options.merge != MergeMode::kOff && may_have_equal_states(module)) {
    module = without_applied_functions(std::move(module));
    compiled.state_leads = equal_states(module);
    module = join_states(std::move(module), compiled.state_leads);
  }
  // Not even flags that leave passes out leave functions unwritten that have no loops of their own.
  compiled.module = without_applied_functions(optimise(std::move(module), graph_options(options)));
  std::vector<kernel::Program> programs;
  for (const std::shared_ptr<const Function>& function : compiled.module.functions)
    programs.push_back(lower(compiled.module, *function, options.device.cpu));
  std::vector<std::size_t> lowered;
  for (const kernel::Program& program : programs) lowered.push_back(program.kernels.size());
  MergeResult merged = merge_kernels(compiled.module, programs, options.merge, options.device.cpu,
                                     call_counts(compiled.module, options.profile));
  compiled.state_storages = std::move(merged.state_storages);
  for (std::size_t f = 0; f < programs.size(); ++f) {
    std::vector<FixedDim> common = common_dims(*compiled.module.functions[f], programs[f], options.profile);
    if (!common.empty()) {
      CompiledFunction copy{fix_dims(programs[f], common), {}, merged.merged[f], lowered[f]};
      compiled.specialised.push_back({f, std::move(common), std::move(copy)});
    }
    compiled.functions.push_back({std::move(programs[f]), {}, std::move(merged.merged[f]), lowered[f]});
  }
  run_kernel_passes(compiled, options);
  compiled.groups = std::move(merged.groups);
  compiled.near_misses = std::move(merged.near_misses);
  plan_memory(compiled);
  return compiled;
}

}  // namespace cohort
