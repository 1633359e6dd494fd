#include "compiler/placement/aside.h"

#include <algorithm>
#include <functional>
#include <set>

#include "compiler/kernel_passes/walk.h"
#include "compiler/plan_memory.h"

namespace cohort {
namespace {

using namespace kernel;

constexpr std::size_t kNoStep = SIZE_MAX;

// What of a program is in which order, by steps: its kernels as they are called.
class AsidePlanner {
 public:
  AsidePlanner(const Program& program, const Dims& dims, const GpuProfile& gpu)
      : program_(program), dims_(dims), least_(gpu.aside_bytes), order_(calls_of(program)) {
    first_.assign(program.buffers.size(), kNoStep);
    last_ = written_ = first_;
    for (std::size_t step = 0; step < order_.size(); ++step)
      for_each_touched(step, [&](BufferId b, bool) {
        first_[b] = std::min(first_[b], step);
        last_[b] = step;
      });
  }

  std::vector<AsideTransfer> run() {
    std::vector<AsideTransfer> asides;
    std::size_t kernels = 0;  // of the GPU so far
    for (std::size_t step = 0; step < order_.size(); ++step) {
      before_.push_back(kernels);
      if (const std::optional<AsideTransfer> aside = transfer(step, kernels)) asides.push_back(*aside);
      if (at(step).device == Device::kGpu) ++kernels;
      for_each_touched(step, [&](BufferId b, bool writes) {
        if (writes) written_[b] = step;
      });
    }
    return asides;
  }

 private:
  const Kernel& at(std::size_t step) const { return program_.kernels[order_[step].kernel]; }
  // In all rows: f(buffer, whether it is written).
  void for_each_touched(std::size_t step, const std::function<void(BufferId, bool)>& f) const {
    const KernelCall& call = order_[step];
    const Kernel& kernel = at(step);
    for_each_use(kernel.body, [&](const BufferUse& use) {
      const auto parameter = std::find(kernel.parameters.begin(), kernel.parameters.end(), use.buffer);
      if (parameter == kernel.parameters.end()) return f(use.buffer, use.written);
      for (std::uint32_t r = call.first_row; r < call.first_row + call.row_count; ++r)
        f(kernel.rows[r].buffers[static_cast<std::size_t>(parameter - kernel.parameters.begin())],
          use.written);
    });
  }

  std::optional<AsideTransfer> transfer(std::size_t step, std::size_t kernels) {
    if (!is_transfer(at(step))) return std::nullopt;
    const BufferId to = at(step).body[0].buffer, from = at(step).body[0].buffers[0];
    if (static_cast<double>(buffer_bytes(program_.buffers[to], dims_)) < least_) return std::nullopt;
    if (program_.buffers[from].kind == BufferKind::kInput) {
      if (kernels == 0 || first_[to] != step) return std::nullopt;
      return AsideTransfer{order_[step].kernel};
    }
    const std::size_t writer = written_[from];
    if (program_.buffers[to].kind != BufferKind::kOutput || last_[to] != step || writer == kNoStep ||
        at(writer).device != Device::kGpu || before_[writer] + 1 == kernels)
      return std::nullopt;
    if (!events_.contains(writer) && events_.size() == kMostAsideEvents) return std::nullopt;
    events_.insert(writer);
    return AsideTransfer{order_[step].kernel, order_[writer].kernel};
  }

  const Program& program_;
  const Dims& dims_;
  const double least_;
  std::vector<KernelCall> order_;                    // by step
  std::vector<std::size_t> first_, last_, written_;  // steps that touch a buffer; the last so far that writes
  std::vector<std::size_t> before_;                  // kernels of the GPU before a step
  std::set<std::size_t> events_;                     // steps that a transfer waits for
};

}  // namespace

std::vector<AsideTransfer> plan_asides(const Program& program, const Dims& dims, const GpuProfile& gpu) {
  return AsidePlanner(program, dims, gpu).run();
}

}  // namespace cohort
