#include "compiler/merge/align.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

namespace cohort::merge {
namespace {

using namespace kernel;

constexpr std::uint32_t kNoRank = UINT32_MAX;
constexpr std::size_t kMostCandidates = 8;  // orders that are tried for one group

class Aligner {
 public:
  Aligner(const Program& program, Plan& plan) : program_(program), plan_(plan), done_(plan.groups.size()) {
    rank_.assign(program.buffers.size(), kNoRank);
    for (std::uint32_t g = 0; g < plan.groups.size(); ++g) {
      for (const Operand* operand : arrays_of(plan.groups[g])) {
        for (const BufferId b : operand->buffers) touching_[array(b)].push_back(g);
      }
    }
  }

  void run() {
    std::vector<std::uint32_t> by_size(plan_.groups.size());
    std::iota(by_size.begin(), by_size.end(), 0U);
    std::stable_sort(by_size.begin(), by_size.end(), [&](std::uint32_t a, std::uint32_t b) {
      return plan_.groups[a].kernels.size() > plan_.groups[b].kernels.size();
    });
    for (const std::uint32_t first : by_size) {
      reach(first);
      while (!queue_.empty()) {
        const std::uint32_t next = queue_.begin()->second;
        queue_.erase(queue_.begin());
        align(plan_.groups[next]);
      }
    }
  }

 private:
  // Operands that differ between members and lie in a storage; temporaries first.
  std::vector<const Operand*> arrays_of(const Group& group) const {
    std::vector<const Operand*> result;
    if (group.kernels.size() == 1) return result;
    for (const bool state : {false, true}) {
      for (const Operand& operand : group.operands) {
        const BufferKind kind = program_.buffers[operand.buffers.front()].kind;
        if (operand.shared || kind == BufferKind::kConstant) continue;
        if ((kind == BufferKind::kState) == state) result.push_back(&operand);
      }
    }
    return result;
  }
  BufferId array(BufferId b) const {  // the first of a list
    const auto list = plan_.lists.arrays.find(b);
    return list == plan_.lists.arrays.end() ? b : list->second.front();
  }
  std::uint32_t rank(BufferId b) const { return rank_[array(b)]; }

  void reach(std::uint32_t group) {
    if (done_[group]) return;
    done_[group] = true;
    queue_.emplace(-static_cast<std::int64_t>(plan_.groups[group].kernels.size()), group);
  }

  void align(Group& group) {
    const std::vector<const Operand*> arrays = arrays_of(group);
    if (arrays.empty()) return;
    std::vector<const Operand*> ranked;
    for (const Operand* operand : arrays) {
      const bool known = std::any_of(operand->buffers.begin(), operand->buffers.end(),
                                     [&](BufferId b) { return rank(b) != kNoRank; });
      if (known && ranked.size() < kMostCandidates) ranked.push_back(operand);
    }
    std::vector<std::uint32_t> best;
    std::size_t most = 0;
    for (const Operand* operand : ranked) {
      std::vector<std::uint32_t> order = order_by(*operand);
      const auto agree = static_cast<std::size_t>(
          std::count_if(ranked.begin(), ranked.end(), [&](const Operand* o) { return ascends(*o, order); }));
      if (agree <= most) continue;
      most = agree;
      best = std::move(order);
      if (most == ranked.size()) break;
    }
    if (ranked.empty()) best = order_by_use(arrays, group.kernels.size());
    if (!best.empty()) reorder(group, best);
    for (const Operand* operand : arrays) {
      for (std::uint32_t m = 0; m < operand->buffers.size(); ++m) {
        const BufferId b = array(operand->buffers[m]);
        if (rank_[b] != kNoRank) continue;
        rank_[b] = m;
        for (const std::uint32_t g : touching_[b]) reach(g);
      }
    }
  }
  // Members whose arrays the same groups touch side by side: a group of some of them is then a block, too.
  std::vector<std::uint32_t> order_by_use(const std::vector<const Operand*>& arrays,
                                          std::size_t count) const {
    std::map<std::vector<std::uint32_t>, std::uint32_t> kinds;
    std::vector<std::uint32_t> kind(count), order(count);
    for (std::uint32_t m = 0; m < count; ++m) {
      std::vector<std::uint32_t> groups;
      for (const Operand* operand : arrays) {
        const std::vector<std::uint32_t>& of_array = touching_.at(array(operand->buffers[m]));
        groups.insert(groups.end(), of_array.begin(), of_array.end());
      }
      kind[m] = kinds.try_emplace(std::move(groups), static_cast<std::uint32_t>(kinds.size())).first->second;
    }
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return kind[a] < kind[b]; });
    return order;
  }
  std::vector<std::uint32_t> order_by(const Operand& operand) const {
    std::vector<std::uint32_t> order(operand.buffers.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank(operand.buffers[a]) < rank(operand.buffers[b]);
    });
    return order;
  }
  bool ascends(const Operand& operand, const std::vector<std::uint32_t>& order) const {
    return std::is_sorted(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rank(operand.buffers[a]) < rank(operand.buffers[b]);
    });
  }

  const Program& program_;
  Plan& plan_;
  std::vector<bool> done_;                                             // by group
  std::vector<std::uint32_t> rank_;                                    // by array
  std::unordered_map<BufferId, std::vector<std::uint32_t>> touching_;  // groups by array
  std::set<std::pair<std::int64_t, std::uint32_t>> queue_;             // large groups first
};

template <typename T>
void permute(std::vector<T>& values, const std::vector<std::uint32_t>& order) {
  std::vector<T> result;
  result.reserve(order.size());
  for (const std::uint32_t i : order) result.push_back(std::move(values[i]));
  values = std::move(result);
}

}  // namespace

void align_members(const Program& program, Plan& plan) { Aligner(program, plan).run(); }

void reorder(Group& group, const std::vector<std::uint32_t>& order) {
  permute(group.kernels, order);
  permute(group.constants, order);
  for (Operand& operand : group.operands) permute(operand.buffers, order);
}

}  // namespace cohort::merge
