// What a kernel pass is: a pure function from loop program to loop program. list.def has them in the order
// they run and is the only place that knows it; file = function = flag.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "compiler/compiled.h"
#include "compiler/device/device_profile.h"

namespace cohort {

// When passes run: before kernels are placed on devices, where they see one machine; after it; or at once,
// where all is for one machine. Of a pass, kAll: only if all run at once.
enum class KernelStage : std::uint8_t { kFuse, kFinish, kAll };

// What of the options a pass needs to run.
enum class PassNeeds : std::uint8_t { kNothing, kFast, kThreads };

struct KernelPass {
  std::string_view name;
  std::string_view description;
  KernelStage stage = KernelStage::kAll;
  PassNeeds needs = PassNeeds::kNothing;
  kernel::Program (*run)(kernel::Program program, const Dims& dims, const CpuProfile& cpu) = nullptr;
};

// All of them in the order they run.
std::span<const KernelPass> kernel_passes();
const KernelPass* find_kernel_pass(std::string_view name);

// Sees the program after a pass has run; tests interpret it there.
using KernelPassObserver = std::function<void(const KernelPass&, const kernel::Program&)>;

// Runs the passes of a stage but those that `options.disabled` names; what comes out of each is verified
// (ir/kernel_verify.h).
kernel::Program run_kernel_passes(kernel::Program program, const Dims& dims, const CompileOptions& options,
                                  const KernelPassObserver& observer = {},
                                  KernelStage stage = KernelStage::kAll);

// The passes themselves; each is described at the top of kernel_passes/<name>.cpp.
namespace loop_passes {
#define KERNEL_PASS(name, ...) kernel::Program name(kernel::Program program, const Dims& dims);
#define PRICED_KERNEL_PASS(name, ...) \
  kernel::Program name(kernel::Program program, const Dims& dims, const CpuProfile& cpu);
#include "compiler/kernel_passes/list.def"
}  // namespace loop_passes

}  // namespace cohort
