#include "compiler/placement/place.h"

#include <algorithm>

#include "compiler/kernel_passes/walk.h"
#include "compiler/placement/apply.h"
#include "compiler/placement/can_run.h"

namespace cohort {
namespace {

using namespace kernel;

void for_each_state(const Buffer& buffer, const std::function<void(StateId)>& f) {
  if (buffer.kind != BufferKind::kState) return;
  if (buffer.members.empty()) f(buffer.index);
  for (const StateId s : buffer.members) f(s);
}

// All that can: state is at home where any kernel of the GPU touches it.
std::vector<ProgramPlacement> all_that_can(const std::vector<Program*>& programs,
                                           const CompiledModule& compiled, std::vector<KeptKernel>& kept) {
  std::vector<ProgramPlacement> placements(programs.size());
  std::vector<Device> states(compiled.module.states.size(), Device::kCpu);
  for (std::size_t p = 0; p < programs.size(); ++p) {
    for (const Kernel& kernel : programs[p]->kernels) {
      std::string reason = why_not_on_gpu(*programs[p], kernel);
      placements[p].kernels.push_back(reason.empty() ? Device::kGpu : Device::kCpu);
      if (!reason.empty()) {
        if (p < compiled.functions.size()) kept.push_back({p, kernel.name, std::move(reason)});
        continue;
      }
      for_each_buffer(kernel.body, [&](BufferId b) {
        for_each_state(programs[p]->buffers[b], [&](StateId s) { states[s] = Device::kGpu; });
      });
    }
  }
  for (const std::vector<StateId>& storage : compiled.state_storages) {
    const bool any =
        std::any_of(storage.begin(), storage.end(), [&](StateId s) { return states[s] == Device::kGpu; });
    for (const StateId s : storage) states[s] = any ? Device::kGpu : Device::kCpu;
  }
  for (ProgramPlacement& placement : placements) placement.states = states;
  return placements;
}

}  // namespace

void place(std::vector<Program*> programs, const CompiledModule& compiled, PlacementMode mode,
           std::vector<KeptKernel>& kept) {
  if (mode == PlacementMode::kCpu) return;
  const std::vector<ProgramPlacement> placements = all_that_can(programs, compiled, kept);
  for (std::size_t p = 0; p < programs.size(); ++p)
    *programs[p] = apply_placement(std::move(*programs[p]), placements[p]);
}

}  // namespace cohort
