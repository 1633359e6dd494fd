#include "compiler/plan_memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "compiler/kernel_passes/walk.h"

namespace cohort {

using namespace kernel;

namespace {

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// The free gaps of an arena that grows at its end.
class Arena {
 public:
  std::uint64_t take(std::uint64_t bytes) {
    const auto fit = by_size_.lower_bound({bytes, 0});
    if (fit == by_size_.end()) return grow(bytes);
    const auto [size, offset] = *fit;
    remove(offset, size);
    if (size > bytes) insert(offset + bytes, size - bytes);
    return offset;
  }
  void give(std::uint64_t offset, std::uint64_t bytes) {
    const auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && next->first == offset + bytes) {
      const std::uint64_t next_bytes = next->second;
      remove(next->first, next_bytes);
      bytes += next_bytes;
    }
    auto previous = by_offset_.lower_bound(offset);
    if (previous != by_offset_.begin()) {
      --previous;
      if (previous->first + previous->second == offset) {
        const auto [start, before] = *previous;
        remove(start, before);
        offset = start;
        bytes += before;
      }
    }
    insert(offset, bytes);
  }
  std::uint64_t bytes() const { return end_; }

 private:
  // A gap at the end is used though it is too small: the arena grows by what is missing.
  std::uint64_t grow(std::uint64_t bytes) {
    std::uint64_t offset = end_;
    if (!by_offset_.empty()) {
      const auto [start, size] = *by_offset_.rbegin();
      if (start + size == end_) {
        remove(start, size);
        offset = start;
      }
    }
    end_ = offset + bytes;
    return offset;
  }
  void insert(std::uint64_t offset, std::uint64_t bytes) {
    by_offset_.emplace(offset, bytes);
    by_size_.emplace(bytes, offset);
  }
  void remove(std::uint64_t offset, std::uint64_t bytes) {
    by_offset_.erase(offset);
    by_size_.erase({bytes, offset});
  }
  std::map<std::uint64_t, std::uint64_t> by_offset_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;
  std::uint64_t end_ = 0;
};

// Transfers beside kernels use their buffers of the GPU from the call's beginning, or until its end.
void lengthen(std::vector<Life>& life, const CompiledFunction& function) {
  for (const AsideTransfer& aside : function.asides) {
    const Stmt& transfer = function.program.kernels[aside.kernel].body[0];
    if (!aside.after) life[transfer.buffer].first = 0;
    if (aside.after) life[transfer.buffers[0]].last = SIZE_MAX - 1;
  }
}

// Places the temporaries of one program in the memory of one device; gives the bytes they take.
std::uint64_t place_temporaries(CompiledFunction& function, const Dims& dims, std::uint64_t begin,
                                Device device) {
  const Space space = device == Device::kGpu ? Space::kDevice : Space::kWorkspace;
  const Program& program = function.program;
  std::vector<Life> life = lives(program);
  lengthen(life, function);
  std::vector<BufferId> order;
  for (BufferId b = 0; b < program.buffers.size(); ++b) {
    if (program.buffers[b].kind == BufferKind::kTemporary && program.buffers[b].device == device &&
        life[b].first != Life::kNever)
      order.push_back(b);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](BufferId a, BufferId b) { return life[a].first < life[b].first; });
  Arena arena;
  std::set<std::pair<std::size_t, BufferId>> alive;  // by the end of their life
  for (const BufferId b : order) {
    while (!alive.empty() && alive.begin()->first < life[b].first) {
      const BufferId dead = alive.begin()->second;
      arena.give(function.placements[dead].offset - begin,
                 aligned(buffer_bytes(program.buffers[dead], dims)));
      alive.erase(alive.begin());
    }
    const std::uint64_t bytes = aligned(buffer_bytes(program.buffers[b], dims));
    if (bytes == 0) {
      function.placements[b] = {space, begin};
      continue;
    }
    function.placements[b] = {space, begin + arena.take(bytes)};
    alive.emplace(life[b].last, b);
  }
  return arena.bytes();
}

// Gives out offsets into the weights; equal bytes get one.
class Weights {
 public:
  std::uint64_t place(const Tensor& data) {
    const std::string_view bytes(reinterpret_cast<const char*>(data.data()),
                                 static_cast<std::size_t>(data.bytes()));
    const auto [found, fresh] = offsets_.try_emplace(bytes, end_);
    if (fresh) end_ = aligned(end_ + bytes.size());
    return found->second;
  }
  std::uint64_t bytes() const { return end_; }

 private:
  std::unordered_map<std::string_view, std::uint64_t> offsets_;  // the module's tensors outlive this
  std::uint64_t end_ = 0;
};

std::vector<std::int64_t> row_major_strides(const Extents& extents) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t stride = 1;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= extents[axis];
  }
  return strides;
}

bool is_zero(const Tensor& data) {
  return std::all_of(data.data(), data.data() + data.bytes(), [](std::byte b) { return b == std::byte{0}; });
}

// State in the order of the module; the variables of a merged storage stand without gaps where its first one
// would.
void place_state(CompiledModule& compiled, Weights& weights) {
  const std::vector<State>& states = compiled.module.states;
  std::vector<const std::vector<StateId>*> storage_of(states.size(), nullptr);
  for (const std::vector<StateId>& storage : compiled.state_storages) {
    for (const StateId s : storage) storage_of[s] = &storage;
  }
  compiled.states.resize(states.size());
  std::vector<bool> placed(states.size(), false);
  std::uint64_t end = kHeaderBytes;
  const auto place = [&](StateId s) {
    StateLayout& layout = compiled.states[s];
    layout.offset = end;
    layout.strides = row_major_strides(states[s].init.extents());
    if (!is_zero(states[s].init)) layout.init_offset = weights.place(states[s].init);
    end += static_cast<std::uint64_t>(states[s].init.bytes());
    placed[s] = true;
  };
  for (StateId s = 0; s < states.size(); ++s) {
    if (placed[s] || lead_of(compiled, s) != s) continue;
    if (storage_of[s] == nullptr) place(s);
    if (storage_of[s] != nullptr)
      for (const StateId member : *storage_of[s]) place(member);
    end = aligned(end);
  }
  for (StateId s = 0; s < states.size(); ++s) compiled.states[s] = compiled.states[lead_of(compiled, s)];
  compiled.header_bytes = kHeaderBytes;
  compiled.state_bytes = end - kHeaderBytes;
}

// Everything of a program but its temporaries.
void place_fixed(CompiledModule& compiled, CompiledFunction& function, Weights& weights,
                 std::map<ConstantId, std::uint64_t>& constants) {
  const std::vector<Life> life = lives(function.program);
  function.placements.assign(function.program.buffers.size(), Placement{});
  for (BufferId b = 0; b < function.program.buffers.size(); ++b) {
    const Buffer& buffer = function.program.buffers[b];
    if (life[b].first == Life::kNever) continue;
    Placement& placement = function.placements[b];
    const bool on_gpu = buffer.device == Device::kGpu;
    switch (buffer.kind) {
      case BufferKind::kInput:
      case BufferKind::kOutput:
        placement.space = Space::kArgument;
        break;
      case BufferKind::kState:
        placement = {on_gpu ? Space::kDevice : Space::kWorkspace, compiled.states[buffer.index].offset};
        break;
      case BufferKind::kConstant: {
        const std::uint64_t offset = weights.place(compiled.module.constants[buffer.index].data);
        constants.emplace(buffer.index, offset);
        placement = {on_gpu ? Space::kDevice : Space::kWeights, offset};  // plan_device moves it
        break;
      }
      case BufferKind::kTemporary:
        break;
    }
  }
}

bool calls_blas(const CompiledFunction& function) {
  bool calls = false;
  for (const Kernel& kernel : function.program.kernels)
    for_each_stmt(kernel.body, [&](const Stmt& s) { calls = calls || s.text == "rt_gemm_blas"; });
  return calls;
}

// The block on the GPU, if any kernel runs there.
void plan_device(CompiledModule& compiled, const std::vector<CompiledFunction*>& functions) {
  const auto runs_there = [](const CompiledFunction* f) {
    return std::any_of(f->program.kernels.begin(), f->program.kernels.end(),
                       [](const Kernel& k) { return k.device == Device::kGpu; });
  };
  if (std::none_of(functions.begin(), functions.end(), runs_there)) return;
  const std::uint64_t begin = compiled.header_bytes + compiled.state_bytes;
  std::uint64_t end = begin;
  for (CompiledFunction* f : functions)
    end = std::max(end, begin + place_temporaries(*f, compiled.module.dims, begin, Device::kGpu));
  compiled.device_weights = aligned(end);
  compiled.device_bytes = aligned(compiled.device_weights + compiled.weights_bytes);
  if (std::any_of(functions.begin(), functions.end(), [](const auto* f) { return calls_blas(*f); })) {
    compiled.device_blas = (compiled.device_bytes + kBlasAlignment - 1) / kBlasAlignment * kBlasAlignment;
    compiled.device_bytes = compiled.device_blas + kBlasBytes;
  }
  std::set<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (CompiledFunction* f : functions) {
    for (BufferId b = 0; b < f->program.buffers.size(); ++b) {
      const Buffer& buffer = f->program.buffers[b];
      Placement& placement = f->placements[b];
      if (placement.space != Space::kDevice) continue;
      if (buffer.kind == BufferKind::kConstant) placement.offset += compiled.device_weights;
      if (buffer.kind == BufferKind::kState)
        ranges.emplace(placement.offset, placement.offset + buffer_bytes(buffer, compiled.module.dims));
    }
  }
  for (const auto& [first, last] : ranges) {
    if (compiled.device_state.empty() || compiled.device_state.back().second < first)
      compiled.device_state.emplace_back(first, last);
    else
      compiled.device_state.back().second = std::max(compiled.device_state.back().second, last);
  }
}

}  // namespace

std::uint64_t buffer_bytes(const Buffer& buffer, const Dims& dims) {
  return static_cast<std::uint64_t>(max_element_count(buffer, dims) * dtype_bytes(buffer.dtype));
}

std::vector<Life> lives(const Program& program) {
  std::vector<Life> result(program.buffers.size());
  std::vector<std::vector<BufferId>> touched;
  for (const Kernel& k : program.kernels) {
    touched.emplace_back();
    for_each_buffer(k.body, [&](BufferId b) { touched.back().push_back(b); });
  }
  std::size_t step = 0;
  const auto touch = [&](BufferId b) {
    result[b].first = std::min(result[b].first, step);
    result[b].last = step;
  };
  for (const KernelCall& call : calls_of(program)) {
    const Kernel& k = program.kernels[call.kernel];
    if (k.rows.empty()) {
      for (const BufferId b : touched[call.kernel]) touch(b);
      ++step;
      continue;
    }
    const std::set<BufferId> parameters(k.parameters.begin(), k.parameters.end());
    for (std::uint32_t r = call.first_row; r < call.first_row + call.row_count; ++r, ++step) {
      for (const BufferId b : k.rows[r].buffers) touch(b);
      for (const BufferId b : touched[call.kernel]) {
        if (!parameters.contains(b)) touch(b);
      }
    }
  }
  return result;
}

void plan_memory(CompiledModule& compiled) {
  Weights weights;
  std::map<ConstantId, std::uint64_t> constants;
  place_state(compiled, weights);
  std::vector<CompiledFunction*> functions;
  for (CompiledFunction& function : compiled.functions) functions.push_back(&function);
  for (SpecialisedFunction& copy : compiled.specialised) functions.push_back(&copy.code);
  for (CompiledFunction* function : functions) place_fixed(compiled, *function, weights, constants);
  const std::uint64_t begin = compiled.header_bytes + compiled.state_bytes;
  compiled.workspace_bytes = begin;
  for (CompiledFunction* function : functions) {
    const std::uint64_t bytes = place_temporaries(*function, compiled.module.dims, begin, Device::kCpu);
    compiled.workspace_bytes = std::max(compiled.workspace_bytes, begin + bytes);
  }
  for (const auto& [constant, offset] : constants) compiled.weights.push_back({constant, offset});
  std::stable_sort(compiled.weights.begin(), compiled.weights.end(),
                   [](const WeightEntry& a, const WeightEntry& b) { return a.offset < b.offset; });
  // Constants without elements have an address, too.
  compiled.weights_bytes = compiled.weights.empty() ? weights.bytes() : std::max(weights.bytes(), kAlignment);
  plan_device(compiled, functions);
}

}  // namespace cohort
