#include "compiler/merge/merge.h"

#include <algorithm>

#include "compiler/merge/rewrite.h"

namespace cohort {

MergeResult merge_kernels(Module& module, std::vector<kernel::Program>& programs, MergeMode mode,
                          const CpuProfile& cpu, std::span<const double> calls) {
  MergeResult result;
  result.merged.resize(programs.size());
  if (mode == MergeMode::kOff) return result;
  std::vector<merge::Plan> plans;
  std::vector<std::vector<std::uint32_t>> lists;  // of StateIds
  std::vector<double> weights;                    // of lists: bytes in all calls, if these are known
  for (std::size_t f = 0; f < programs.size(); ++f) {
    plans.push_back(merge::plan_merging(module, programs[f], f, mode, cpu));
    for (const merge::Group& group : plans.back().groups) {
      for (const merge::Operand& operand : group.operands) {
        const kernel::Buffer& first = programs[f].buffers[operand.buffers.front()];
        if (first.kind != kernel::BufferKind::kState) continue;
        std::vector<StateId> list;
        for (const kernel::BufferId b : plans.back().arrays(operand))
          list.push_back(programs[f].buffers[b].index);
        if (list.empty()) continue;
        double bytes = 0;
        for (const StateId s : list) bytes += static_cast<double>(module.states[s].init.bytes());
        if (!calls.empty()) weights.push_back(calls[f] * bytes);
        lists.push_back(std::move(list));
      }
    }
  }
  const merge::Storages states =
      merge::plan_storages(static_cast<std::uint32_t>(module.states.size()), lists, weights);
  for (std::size_t f = 0; f < programs.size(); ++f) {
    const bool merges = std::any_of(plans[f].groups.begin(), plans[f].groups.end(),
                                    [](const merge::Group& g) { return g.kernels.size() > 1; }) ||
                        !plans[f].lists.arrays.empty();
    std::move(plans[f].near_misses.begin(), plans[f].near_misses.end(),
              std::back_inserter(result.near_misses));
    if (merges)
      programs[f] =
          merge::rewrite(module, std::move(programs[f]), std::move(plans[f]), states, f, cpu, result);
  }
  result.state_storages = states.members;
  return result;
}

}  // namespace cohort
