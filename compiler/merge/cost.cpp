#include "compiler/merge/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "compiler/kernel_passes/loop_cost.h"
#include "compiler/kernel_passes/parallelise.h"
#include "compiler/kernel_passes/walk.h"
#include "ir/ops/product_call.h"

namespace cohort::merge {

using namespace kernel;

namespace {

// A member that fills this share of the second-level cache by itself (256 KiB by the default profile) gains
// nothing from one loop: the call it saves is nothing beside its work, and its values no longer pass to the
// next kernel in cache.
constexpr double kMostOfCache = 0.125;

// Outputs are computed in the storage and copied, each by a loop of its own, so merging saves no loop where
// all results are outputs: 30 outputs of 1,000 elements each took 1.65 times as long, 300 of 20
// elements 1.12. What the copies may cost of the members' own work:
constexpr double kMostCopied = 0.03;
// Where nests with loops inside have rows too short for lanes, members run in lanes instead: 60 ensembles of
// 20 neurons with their activities as outputs took 0.47 times as long merged, copies and all, 100 of 5
// neurons 0.46.
constexpr double kMostCopiedOfShort = 0.2;
constexpr double kShortVectors = 4;
constexpr double kCopy = 3;  // instructions for an element as loop_cost.h counts: a load, a store, the loop
// Beyond this many statements less to emit and compile, the text counts for more than the copies.
constexpr double kManyStatements = 4000;

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

// Threads share a product of matrices but no loop around calls.
bool has_work_for_threads(const Program& program, const CpuProfile& cpu, const Dims& dims, const Stmt& call) {
  constexpr double kFewRows = 8;  // are bound by memory
  if (call.kind != StmtKind::kCall || call.text != "rt_gemm") return false;
  const auto extent = [&](std::size_t k) { return greatest_extent(call.index[k], dims); };
  if (std::min(extent(gemm::kM), extent(gemm::kN)) < kFewRows) return false;
  const bool is_f32 = program.buffers[call.buffers[0]].dtype == DType::kF32;
  return product_flops(call, dims) >=
         2 * worth_a_thread_ns(cpu) * (is_f32 ? cpu.f32_product_flops_per_ns : cpu.f64_product_flops_per_ns);
}

// A loop around other calls of the runtime makes the same calls: nothing is lost, the code is shorter.
bool only_calls(const Kernel& kernel) {
  return std::all_of(kernel.body.begin(), kernel.body.end(),
                     [](const Stmt& s) { return s.kind == StmtKind::kCall; });
}

bool is_short_nest(const Kernel& kernel, const CpuProfile& cpu) {
  if (kernel.body.size() != 1 || kernel.body.front().kind != StmtKind::kFor) return false;
  const Stmt& rows = kernel.body.front();
  const bool loops_inside =
      rows.body.size() > 1 &&
      std::any_of(rows.body.begin(), rows.body.end(), [](const Stmt& s) { return s.kind == StmtKind::kFor; });
  return loops_inside && trip_count(rows) <= kShortVectors * cpu.lanes;
}

// Groups that touch the same outputs or belong to one chain, with what they do and what copying these costs.
class CopyCosts {
 public:
  CopyCosts(const Program& program, const CpuProfile& cpu, std::span<const Skeleton> skeletons,
            const Lists& lists, std::span<const std::uint32_t> chain,
            std::span<const std::vector<std::uint32_t>> groups)
      : program_(program),
        cpu_(cpu),
        skeletons_(skeletons),
        chain_(chain),
        groups_(groups),
        parent_(groups.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const auto& [list, arrays] : lists.arrays) listed_.insert(arrays.begin(), arrays.end());
  }

  std::vector<bool> run() {
    std::vector<double> allowed(groups_.size()), copies(groups_.size()), saved(groups_.size());
    std::vector<bool> mergeable(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      mergeable[g] = groups_[g].size() > 1;
      if (!mergeable[g]) continue;
      find_outputs(g);
      for (const std::uint32_t k : groups_[g]) join(first_of_chain_, chain_[k], g);
    }
    const LoopCost cost(program_, cpu_);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!mergeable[g]) continue;
      const Kernel& first = program_.kernels[groups_[g].front()];
      const double share = is_short_nest(first, cpu_) ? kMostCopiedOfShort : kMostCopied;
      for (const std::uint32_t k : groups_[g])
        allowed[find(g)] += share * cost.list(program_.kernels[k].body, nullptr);
      saved[find(g)] += static_cast<double>((groups_[g].size() - 1) * count_statements(first.body));
    }
    for (const auto& [output, g] : first_) {
      const Buffer& buffer = program_.buffers[output];
      copies[find(g)] += kCopy * element_count(buffer);
      saved[find(g)] -= static_cast<double>(1 + buffer.shape.size());
    }
    std::vector<bool> result(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::size_t all = find(g);
      result[g] = mergeable[g] && copies[all] > allowed[all] && saved[all] < kManyStatements;
    }
    return result;
  }

 private:
  // Outputs that merging would move: those that differ between members. Terms of a list have moved already.
  void find_outputs(std::size_t g) {
    const std::size_t count = skeletons_[groups_[g].front()].operands.size();
    for (std::size_t o = 0; o < count; ++o) {
      const BufferId first = skeletons_[groups_[g].front()].operands[o];
      const bool shared = std::all_of(groups_[g].begin(), groups_[g].end(),
                                      [&](std::uint32_t k) { return skeletons_[k].operands[o] == first; });
      if (shared) continue;
      for (const std::uint32_t k : groups_[g]) note_output(skeletons_[k].operands[o], g);
    }
  }
  void note_output(BufferId b, std::size_t g) {
    if (program_.buffers[b].kind != BufferKind::kOutput || listed_.contains(b)) return;
    join(first_, b, g);
  }
  void join(std::unordered_map<std::uint32_t, std::size_t>& first, std::uint32_t key, std::size_t g) {
    const auto [found, fresh] = first.try_emplace(key, g);
    if (!fresh) parent_[find(g)] = find(found->second);
  }
  std::size_t find(std::size_t g) {
    while (parent_[g] != g) g = parent_[g] = parent_[parent_[g]];
    return g;
  }

  const Program& program_;
  const CpuProfile& cpu_;
  std::span<const Skeleton> skeletons_;
  std::span<const std::uint32_t> chain_;
  std::span<const std::vector<std::uint32_t>> groups_;
  std::vector<std::size_t> parent_;  // by group
  std::unordered_map<std::uint32_t, std::size_t> first_of_chain_;
  std::unordered_map<BufferId, std::size_t> first_;  // the first group that touches an output
  std::unordered_set<BufferId> listed_;
};

}  // namespace

Times predicted_times(const Program& program, const CpuProfile& cpu, std::span<const std::uint32_t> kernels) {
  const LoopCost cost(program, cpu);
  const auto vectors = [&](double rows) { return std::ceil(rows / cpu.lanes); };
  Times times;
  double rows_of_all = 0, cost_of_row = 0;  // of the merged loops, of which members may differ in extent
  for (const std::uint32_t k : kernels) {
    times.apart_ns += cpu.kernel_ns;
    double instructions = 0, rows = 0;
    for (const Stmt& s : program.kernels[k].body) {
      const bool loop = s.kind == StmtKind::kFor;
      const double trips = loop ? trip_count(s) : 1;
      const double inside = loop ? 1 + cost.list(s.body, nullptr) : cost.statement(s, nullptr);
      times.apart_ns += cpu.instruction_ns * inside * (loop ? vectors(trips) : 1);
      instructions += inside * trips;
      rows = std::max(rows, trips);
    }
    rows_of_all += rows;
    if (rows > 0) cost_of_row = std::max(cost_of_row, instructions / rows);
  }
  times.merged_ns = cpu.kernel_ns + cpu.instruction_ns * cost_of_row * vectors(rows_of_all);
  return times;
}

Verdict merging_pays(const Program& program, const CpuProfile& cpu, const Dims& dims,
                     std::span<const std::uint32_t> kernels) {
  const Kernel& kernel = program.kernels[kernels.front()];
  const auto divides = [&](const Stmt& s) { return has_work_for_threads(program, cpu, dims, s); };
  if (std::any_of(kernel.body.begin(), kernel.body.end(), divides))
    return {false, "each is a product that threads share"};
  if (only_calls(kernel)) return {};
  const double bytes = bytes_of(program, dims, kernel);
  if (bytes <= kMostOfCache * cpu.l2_bytes) return {};
  return {false, fmt::format("each touches {:.0f} KiB: one loop would save nothing", bytes / 1024)};
}

std::vector<bool> lost_to_copies(const Program& program, const CpuProfile& cpu,
                                 std::span<const Skeleton> skeletons, const Lists& lists,
                                 std::span<const std::uint32_t> chain,
                                 std::span<const std::vector<std::uint32_t>> groups) {
  return CopyCosts(program, cpu, skeletons, lists, chain, groups).run();
}

}  // namespace cohort::merge
