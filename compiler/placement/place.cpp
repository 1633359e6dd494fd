#include "compiler/placement/place.h"

#include <algorithm>

#include "compiler/kernel_passes/walk.h"
#include "compiler/placement/apply.h"
#include "compiler/placement/can_run.h"
#include "compiler/placement/model.h"
#include "compiler/placement/transfers.h"
#include "ir/diagnostics.h"
#include "ir/op_def.h"
#include "ir/reverse.h"

namespace cohort {
namespace {

using namespace kernel;
using placement::Model;
using placement::Policy;
using placement::Side;
using placement::Sides;

Policy policy_of(PlacementMode mode) {
  switch (mode) {
    case PlacementMode::kCpu:
      return Policy::kCpu;
    case PlacementMode::kGpu:
      return Policy::kGpu;
    case PlacementMode::kGreedy:
      return Policy::kGreedy;
    case PlacementMode::kCut:
      break;
  }
  return Policy::kCut;
}

Device device_of(Side side) { return side == Side::kGpu ? Device::kGpu : Device::kCpu; }

ProgramPlacement placement_of(const Model& model, const Sides& sides, std::size_t index,
                              const Program& program, bool numbers_cross) {
  ProgramPlacement result;
  result.numbers_cross = numbers_cross;
  for (std::uint32_t k = 0; k < program.kernels.size(); ++k)
    result.kernels.push_back(device_of(sides[model.first_kernel[index] + k]));
  for (const std::uint32_t home : model.home) result.states.push_back(device_of(sides[home]));
  return result;
}

void refuse(Diagnostic why, const Module& module, LocId loc) {
  UserError error(std::move(why));
  locate(error, module, loc);
  throw error;
}

// A loop or a branch runs on one device; what is wanted elsewhere inside of it cannot be.
void refuse_in_regions(const Module& module, const Node& outer) {
  for (const auto& region : outer.regions) {
    for (const Node& node : region->nodes) {
      const DeviceHint wanted = module.locations[node.loc].device;
      if (wanted != DeviceHint::kNone)
        refuse(diagnostic(DiagId::kDeviceInLoop, {}, display_name(*region, node.first_result),
                          wanted == DeviceHint::kGpu ? "GPU" : "CPU", outer.op->name),
               module, node.loc);
      refuse_in_regions(module, node);
    }
  }
}

// What is wanted on the GPU and has no lowering to it.
void refuse_kernels(const CompiledModule& compiled, std::size_t index, const Program& program) {
  for (const Kernel& kernel : program.kernels) {
    const std::string reason = kernel.wanted == DeviceHint::kGpu ? why_not_on_gpu(program, kernel) : "";
    if (reason.empty()) continue;
    const std::size_t copies = compiled.functions.size();
    const Function& function =
        *compiled.module.functions[index < copies ? index : compiled.specialised[index - copies].function];
    LocId loc = 0;
    for_each_stmt(kernel.body, [&](const Stmt& s) {
      for (const NodeId n : s.sources)
        if (compiled.module.locations[function.node(n).loc].device == DeviceHint::kGpu)
          loc = function.node(n).loc;
    });
    refuse(diagnostic(DiagId::kDeviceRefused, {}, kernel.name, reason), compiled.module, loc);
  }
}

PlacementReport report_of(const Model& model, const Sides& sides, std::span<Program* const> programs,
                          const CompiledModule& compiled, const CompileOptions& options) {
  using placement::nanoseconds;
  PlacementReport report;
  report.policy = placement::policy_name(policy_of(options.placement));
  report.cpu = options.device.cpu.name;
  report.gpu = options.device.gpu.name;
  for (const Policy policy : placement::kPolicies) {
    const placement::Cost cost = cost_of(model.problem, place_by(model.problem, policy));
    report.policies.push_back({std::string(policy_name(policy)), nanoseconds(cost.cpu), nanoseconds(cost.gpu),
                               nanoseconds(cost.transfers), cost.uploads, cost.downloads});
  }
  for (std::size_t p = 0; p < programs.size(); ++p) {
    for (std::uint32_t k = 0; k < programs[p]->kernels.size(); ++k) {
      const std::uint32_t c = model.first_kernel[p] + k;
      const Kernel& kernel = programs[p]->kernels[k];
      const placement::Cluster& cluster = model.problem.clusters[c];
      report.kernels.push_back({p, kernel.name, nanoseconds(cluster.cpu), nanoseconds(cluster.gpu),
                                sides[c] == Side::kGpu, why_not_on_gpu(*programs[p], kernel)});
    }
  }
  for (std::size_t v = 0; v < model.origins.size(); ++v) {
    const placement::Value& value = model.problem.values[v];
    if (!crosses(value, sides)) continue;
    const Model::Origin& origin = model.origins[v];
    const bool up = sides[value.producer] == Side::kCpu;
    report.crossings.push_back({origin.program, programs[origin.program]->buffers[origin.buffer].name, up,
                                origin.bytes, nanoseconds(up ? value.up : value.down)});
  }
  std::vector<std::size_t> home_at(sides.size(), SIZE_MAX);
  for (StateId s = 0; s < model.home.size(); ++s) {
    std::size_t& at = home_at[model.home[s]];
    if (at == SIZE_MAX) {
      at = report.homes.size();
      report.homes.push_back({{}, sides[model.home[s]] == Side::kGpu});
    }
    report.homes[at].states.push_back(compiled.module.states[s].name);
  }
  return report;
}

}  // namespace

void place(std::span<Program* const> programs, std::span<const double> weights, const CompileOptions& options,
           CompiledModule& compiled) {
  for (const auto& function : compiled.module.functions)
    for (const Node& node : function->nodes) refuse_in_regions(compiled.module, node);
  for (std::size_t p = 0; p < programs.size(); ++p) refuse_kernels(compiled, p, *programs[p]);
  const Model model = placement::model_of(programs, compiled, options, weights);
  const Sides sides = place_by(model.problem, policy_of(options.placement));
  compiled.placement = report_of(model, sides, programs, compiled, options);
  for (std::size_t p = 0; p < programs.size(); ++p) {
    *programs[p] = apply_placement(std::move(*programs[p]),
                                   placement_of(model, sides, p, *programs[p], options.cuda_graph));
    const std::vector<std::string> faults = placement::faults_of_transfers(*programs[p]);
    if (!faults.empty()) internal_error("after placement in `" + programs[p]->name + "`: " + faults.front());
  }
}

}  // namespace cohort
