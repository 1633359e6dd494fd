#include "compiler/kernel_passes/kernel_pass.h"

#include <algorithm>

#include "ir/diagnostics.h"
#include "ir/kernel_verify.h"

namespace cohort {
namespace {

constexpr KernelPass kKernelPasses[] = {
#define KERNEL_PASS(name, stage, needs, description)         \
  {#name, description, KernelStage::stage, PassNeeds::needs, \
   [](kernel::Program p, const Dims& d, const CpuProfile&) { return loop_passes::name(std::move(p), d); }},
#define PRICED_KERNEL_PASS(name, stage, needs, description) \
  {#name, description, KernelStage::stage, PassNeeds::needs, loop_passes::name},
#include "compiler/kernel_passes/list.def"
};

void require_valid(const kernel::Program& program, std::string_view after) {
  const std::vector<std::string> faults = kernel::verify(program);
  if (!faults.empty())
    internal_error(fmt::format("after {} in `{}`: {}", after, program.name, faults.front()));
}

bool has_needs(const KernelPass& pass, const CompileOptions& options) {
  switch (pass.needs) {
    case PassNeeds::kNothing:
      return true;
    case PassNeeds::kFast:
      return options.fast;
    case PassNeeds::kThreads:
      return options.threads;
  }
  internal_error("needs of no kind");
}

}  // namespace

std::span<const KernelPass> kernel_passes() { return kKernelPasses; }

const KernelPass* find_kernel_pass(std::string_view name) {
  const auto* found = std::find_if(std::begin(kKernelPasses), std::end(kKernelPasses),
                                   [&](const KernelPass& pass) { return pass.name == name; });
  return found == std::end(kKernelPasses) ? nullptr : found;
}

kernel::Program run_kernel_passes(kernel::Program program, const Dims& dims, const CompileOptions& options,
                                  const KernelPassObserver& observer, KernelStage stage) {
  require_valid(program, stage == KernelStage::kFinish ? "placement" : "lowering");
  for (const KernelPass& pass : kKernelPasses) {
    if (stage != KernelStage::kAll && stage != pass.stage) continue;
    const auto& off = options.disabled;
    if (std::find(off.begin(), off.end(), pass.name) != off.end() || !has_needs(pass, options)) continue;
    program = pass.run(std::move(program), dims, options.device.cpu);
    require_valid(program, pass.name);
    if (observer) observer(pass, program);
    if (options.stop_after == pass.name) break;
  }
  return program;
}

}  // namespace cohort
