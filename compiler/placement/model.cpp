#include "compiler/placement/model.h"

#include <algorithm>
#include <map>

#include "compiler/kernel_passes/blas_products.h"
#include "compiler/kernel_passes/device_steps.h"
#include "compiler/kernel_passes/fuse_tiles.h"
#include "compiler/kernel_passes/walk.h"
#include "compiler/placement/can_run.h"
#include "compiler/placement/price.h"

namespace cohort::placement {

using namespace kernel;

namespace {

class Modelling {
 public:
  Modelling(const CompiledModule& compiled, const CompileOptions& options)
      : compiled_(compiled), options_(options) {
    model_.problem.clusters.push_back({0, 0, Allowed::kCpu, false});
    model_.home.assign(compiled.module.states.size(), kHost);
    for (const std::vector<StateId>& storage : compiled.state_storages) {
      const std::uint32_t home = add_home(storage.front());
      for (const StateId s : storage) model_.home[s] = home;
    }
    for (StateId s = 0; s < model_.home.size(); ++s)
      if (model_.home[s] == kHost) model_.home[s] = add_home(s);
  }

  void add(std::size_t index, const Program& program, double weight) {
    const Pricer pricer(program, compiled_.module.dims, options_.device, options_.fast);
    const auto first = static_cast<std::uint32_t>(model_.problem.clusters.size());
    model_.first_kernel.push_back(first);
    for (const Kernel& kernel : program.kernels) {
      const KernelTime time = pricer.time(kernel);
      const bool stays = !why_not_on_gpu(program, kernel).empty();
      model_.problem.clusters.push_back({ticks(weight * time.cpu_ns), ticks(weight * time.gpu_ns),
                                         stays ? Allowed::kCpu : allowed(kernel.wanted), false});
    }
    latest_.assign(program.buffers.size(), kNone);
    const auto store = [&](BufferId b, std::uint32_t producer) {
      latest_[b] = static_cast<std::uint32_t>(model_.problem.values.size());
      // In a replayed call numbers are read from memory like all else.
      const double up = options_.cuda_graph ? pricer.down_ns(b) : pricer.up_ns(b);
      model_.problem.values.push_back({producer, {}, ticks(weight * up), ticks(weight * pricer.down_ns(b))});
      model_.origins.push_back({index, b, pricer.bytes(b)});
    };
    for (BufferId b = 0; b < program.buffers.size(); ++b) {
      const Buffer& buffer = program.buffers[b];
      if (buffer.kind == BufferKind::kInput) store(b, kHost);
      if (buffer.kind == BufferKind::kState) store(b, model_.home[buffer.index]);
    }
    const std::vector<TileReader> readers = readers_in_tiles(program);  // in the order of products
    auto reader = readers.begin();
    for (std::uint32_t k = 0; k < program.kernels.size(); ++k) {
      std::map<BufferId, bool> touched;  // whether it is written
      for_each_use(program.kernels[k].body, [&](const BufferUse& use) {
        bool& written = touched[use.buffer];
        written = written || use.written;
      });
      for (const auto& [b, written] : touched) read(b, first + k);
      for (const auto& [b, written] : touched) {
        if (!written) continue;
        store(b, first + k);
        if (program.buffers[b].kind == BufferKind::kState) read(b, model_.home[program.buffers[b].index]);
      }
      for (; reader != readers.end() && reader->product == k; ++reader)
        share_launch(program.kernels[k].body.back().buffers[0], program.kernels[reader->reader],
                     first + static_cast<std::uint32_t>(reader->reader), weight);
    }
    for (BufferId b = 0; b < program.buffers.size(); ++b)
      if (program.buffers[b].kind == BufferKind::kOutput) read(b, kHost);
  }

  Model take() { return std::move(model_); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  static Allowed allowed(DeviceHint wanted) {
    return wanted == DeviceHint::kCpu   ? Allowed::kCpu
           : wanted == DeviceHint::kGpu ? Allowed::kGpu
                                        : Allowed::kBoth;
  }
  // Variables that lie side by side are wanted on the same device (merge/skeleton.cpp).
  std::uint32_t add_home(StateId first) {
    model_.problem.clusters.push_back({0, 0, allowed(compiled_.module.states[first].device), true});
    return static_cast<std::uint32_t>(model_.problem.clusters.size() - 1);
  }

  std::vector<TileReader> readers_in_tiles(const Program& program) const {
    const bool products = std::any_of(program.kernels.begin(), program.kernels.end(), [](const Kernel& k) {
      return !k.body.empty() && is_one_product(k.body);
    });
    if (!products) return {};
    Program there = program;
    for (Kernel& kernel : there.kernels) kernel.device = Device::kGpu;
    if (options_.blas == BlasLibrary::kCublas) call_blas(there, compiled_.module.dims, options_.device.gpu);
    return tile_readers(std::move(there));
  }
  // A reader has no launch of its own where its product is on the GPU, too: where it is not, the product
  // comes up, which then costs the launch as well.
  void share_launch(BufferId product, const Kernel& kernel, std::uint32_t reader, double weight) {
    bool loads = false;  // or what another reader makes of it
    for_each_buffer(kernel.body, [&](BufferId b) { loads = loads || b == product; });
    if (!loads) return;
    Cluster& cluster = model_.problem.clusters[reader];
    const Ticks launch = std::min(cluster.gpu, ticks(weight * options_.device.gpu.launch_ns));
    cluster.gpu -= launch;
    model_.problem.values[latest_[product]].up += launch;
  }

  void read(BufferId b, std::uint32_t cluster) {
    if (latest_[b] == kNone) return;  // a constant, or nothing was stored yet
    Value& value = model_.problem.values[latest_[b]];
    if (value.producer == cluster || (!value.readers.empty() && value.readers.back() == cluster)) return;
    value.readers.push_back(cluster);
  }

  const CompiledModule& compiled_;
  const CompileOptions& options_;
  Model model_;
  std::vector<std::uint32_t> latest_;  // by BufferId: the value that is in it
};

}  // namespace

Model model_of(std::span<Program* const> programs, const CompiledModule& compiled,
               const CompileOptions& options, std::span<const double> weights) {
  Modelling modelling(compiled, options);
  for (std::size_t p = 0; p < programs.size(); ++p) modelling.add(p, *programs[p], weights[p]);
  return modelling.take();
}

}  // namespace cohort::placement
