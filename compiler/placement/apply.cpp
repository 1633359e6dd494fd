#include "compiler/placement/apply.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/kernel_passes/walk.h"
#include "ir/diagnostics.h"

namespace cohort {
namespace {

using namespace kernel;

Device other(Device device) { return device == Device::kCpu ? Device::kGpu : Device::kCpu; }

class Placer {
 public:
  Placer(Program program, const ProgramPlacement& placement)
      : program_(std::move(program)), placement_(placement), values_(program_.buffers.size()) {
    for (BufferId b = 0; b < values_.size(); ++b) {
      const Device home = home_of(program_.buffers[b]);
      program_.buffers[b].device = home;
      values_[b].buffer[home == Device::kGpu] = b;
      const BufferKind kind = program_.buffers[b].kind;
      values_[b].valid[home == Device::kGpu] = kind == BufferKind::kInput || kind == BufferKind::kState;
    }
  }

  Program run() {
    std::vector<Kernel> kernels = std::move(program_.kernels);
    program_.kernels.clear();
    for (BufferId b = 0; b < values_.size(); ++b) {
      if (program_.buffers[b].device == Device::kCpu || program_.buffers[b].row_starts.empty()) continue;
      const BufferId table = table_of(program_.buffers[b].row_table, Device::kGpu);
      program_.buffers[b].row_table = table;
    }
    for (std::size_t k = 0; k < kernels.size(); ++k) place(std::move(kernels[k]), placement_.kernels[k]);
    for (BufferId b = 0; b < values_.size(); ++b) {
      const bool written = values_[b].valid[0] || values_[b].valid[1];
      if (program_.buffers[b].kind == BufferKind::kOutput && written) need(b, Device::kCpu);
    }
    return std::move(program_);
  }

 private:
  // A buffer of the program before, by device: false is the CPU.
  struct Value {
    std::optional<BufferId> buffer[2];
    bool valid[2] = {false, false};
  };

  Device home_of(const Buffer& buffer) const {
    if (buffer.kind != BufferKind::kState) return Device::kCpu;
    return placement_.states[buffer.index];
  }

  void place(Kernel kernel, Device device) {
    kernel.device = device;
    std::vector<BufferId> touched, written;
    for_each_use(kernel.body, [&](const BufferUse& use) {
      touched.push_back(use.buffer);
      if (use.written) written.push_back(use.buffer);
    });
    arguments_.clear();
    if (device == Device::kGpu && !placement_.numbers_cross)
      for_each_use(kernel.body, [&](const BufferUse& use) {
        if (is_argument(use.buffer)) arguments_.insert(use.buffer);
      });
    for_each_use(kernel.body, [&](const BufferUse& use) {
      if (use.written || !use.index) arguments_.erase(use.buffer);
    });
    for (const BufferId b : touched)
      if (!arguments_.contains(b)) need(b, device);
    rename(kernel.body, device);
    program_.kernels.push_back(std::move(kernel));
    for (const BufferId b : written) wrote(b, device);
  }

  // A number that only the CPU has, and which is no state, can be an argument of a launch.
  bool is_argument(BufferId b) const {
    const BufferKind kind = program_.buffers[b].kind;
    return kind != BufferKind::kState && kind != BufferKind::kConstant && is_single(program_.buffers[b]) &&
           values_[b].valid[0] && !values_[b].valid[1];
  }

  // The copy of a value on a device, made valid if it is so anywhere.
  void need(BufferId b, Device device) {
    Value& value = values_[b];
    const bool at = device == Device::kGpu;
    if (!value.buffer[at]) value.buffer[at] = copy_of(b, device);
    if (program_.buffers[b].kind == BufferKind::kConstant || value.valid[at] || !value.valid[!at]) return;
    program_.kernels.push_back(transfer(program_, *value.buffer[at], *value.buffer[!at]));
    value.valid[at] = true;
  }

  BufferId copy_of(BufferId b, Device device) {
    Buffer copy = program_.buffers[b];
    if (copy.kind == BufferKind::kState) copied_states_.push_back(b);
    copy.device = device;
    if (copy.kind != BufferKind::kConstant) copy.kind = BufferKind::kTemporary;
    if (copy.kind == BufferKind::kTemporary) copy.index = 0, copy.members.clear();
    if (!copy.row_starts.empty()) copy.row_table = table_of(copy.row_table, device);
    program_.buffers.push_back(std::move(copy));
    return static_cast<BufferId>(program_.buffers.size() - 1);
  }
  BufferId table_of(BufferId table, Device device) {
    std::optional<BufferId>& buffer = values_[table].buffer[device == Device::kGpu];
    if (!buffer) buffer = copy_of(table, device);
    return *buffer;
  }

  void wrote(BufferId b, Device device) {
    Value& value = values_[b];
    const bool at = device == Device::kGpu;
    value.valid[at] = true;
    value.valid[!at] = false;
    if (program_.buffers[b].kind != BufferKind::kState) return;
    const Device home = home_of(program_.buffers[b]);
    if (home != device) need(b, home);
    // Another buffer may hold the same variables, alone or with others: what was copied of it is old.
    for (const BufferId c : copied_states_) {
      if (c != b && holds_same_state(program_.buffers[c], program_.buffers[b]))
        values_[c].valid[other(home_of(program_.buffers[c])) == Device::kGpu] = false;
    }
  }

  void rename(std::vector<Stmt>& list, Device device) {
    const auto renamed = [&](BufferId b) {
      return *values_[b].buffer[device == Device::kGpu && !arguments_.contains(b)];
    };
    rewrite_exprs(list, [&](const ExprRef& e) {
      return e->kind == ExprKind::kLoad ? load(renamed(e->id), e->dtype, e->args) : e;
    });
    rename_written(list, renamed);
  }
  template <typename F>
  static void rename_written(std::vector<Stmt>& list, const F& renamed) {
    for (Stmt& s : list) {
      if (s.kind == StmtKind::kStore || s.kind == StmtKind::kPrint) s.buffer = renamed(s.buffer);
      for (BufferId& b : s.buffers) b = renamed(b);
      rename_written(s.body, renamed);
      rename_written(s.else_body, renamed);
    }
  }

  Program program_;
  const ProgramPlacement& placement_;
  std::vector<Value> values_;            // by BufferId of the program before
  std::vector<BufferId> copied_states_;  // of state, those with a copy away from home
  std::set<BufferId> arguments_;         // of the kernel at hand: numbers that it takes from the CPU
};

}  // namespace

Program apply_placement(Program program, const ProgramPlacement& placement) {
  require(program.calls.empty() && placement.kernels.size() == program.kernels.size(),
          "kernels are placed before they share bodies");
  return Placer(std::move(program), placement).run();
}

}  // namespace cohort
