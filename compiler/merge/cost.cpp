#include "compiler/merge/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/kernel_passes/walk.h"

namespace cohort::merge {

using namespace kernel;

namespace {

// A member that fills the second-level cache by itself gains nothing from one loop: the call it saves is
// nothing beside its work, and its values no longer pass to the next kernel in cache.
constexpr double kMostMemberBytes = 256 * 1024;

double bytes_of(const Program& program, const Dims& dims, const Kernel& kernel) {
  std::set<BufferId> touched;
  for_each_buffer(kernel.body, [&](BufferId b) { touched.insert(b); });
  double bytes = 0;
  for (const BufferId b : touched) {
    bytes += static_cast<double>(max_element_count(program.buffers[b], dims)) *
             static_cast<double>(dtype_bytes(program.buffers[b].dtype));
  }
  return bytes;
}

// A loop around calls of the runtime makes the same calls: nothing is lost, the code is shorter.
bool only_calls(const Kernel& kernel) {
  return std::all_of(kernel.body.begin(), kernel.body.end(),
                     [](const Stmt& s) { return s.kind == StmtKind::kCall; });
}

}  // namespace

Verdict merging_pays(const Program& program, const Dims& dims, std::span<const std::uint32_t> kernels) {
  const Kernel& kernel = program.kernels[kernels.front()];
  if (only_calls(kernel)) return {};
  const double bytes = bytes_of(program, dims, kernel);
  if (bytes <= kMostMemberBytes) return {};
  return {false, fmt::format("each touches {:.0f} KiB: one loop would save nothing", bytes / 1024)};
}

}  // namespace cohort::merge
