#include "compiler/merge/chains.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "compiler/kernel_passes/join_loops.h"
#include "compiler/kernel_passes/loop_uses.h"
#include "compiler/merge/schedule.h"

namespace cohort::merge {
namespace {

using namespace kernel;

// Fewer members for each kind are better in one loop, whatever they pass on.
constexpr std::size_t kMembersPerKind = 4;

// Kernels and the kernels their loops would be joined with are one chain.
class Chains {
 public:
  Chains(const Program& program, std::span<const std::uint32_t> bucket)
      : program_(program), bucket_(bucket), parent_(bucket.size()), uses_(bucket.size()) {
    std::iota(parent_.begin(), parent_.end(), 0U);
    std::unordered_map<BufferId, std::uint32_t> writer;
    for (std::uint32_t k = 0; k < bucket.size(); ++k) {
      if (!is_nest(k)) continue;
      uses_[k] = loop_uses(loop(k));
      for (const auto& [buffer, use] : uses_[k]) {
        const auto found = writer.find(buffer);
        if (found != writer.end() && are_joined(found->second, k)) parent_[find(k)] = find(found->second);
      }
      for (const auto& [buffer, use] : uses_[k]) {
        if (use.written) writer[buffer] = k;
      }
    }
  }

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> result;
    for (std::uint32_t k = 0; k < bucket_.size(); ++k) result.push_back(find(k));
    return result;
  }

 private:
  const Stmt& loop(std::uint32_t k) const { return program_.kernels[k].body.front(); }
  bool is_nest(std::uint32_t k) const {
    const std::vector<Stmt>& body = program_.kernels[k].body;
    return bucket_[k] != kAlone && body.size() == 1 && body.front().kind == StmtKind::kFor;
  }
  bool are_joined(std::uint32_t first, std::uint32_t second) const {
    return same_loop(loop(first), loop(second)) && share_elements(uses_[first], uses_[second]) &&
           may_fuse(uses_[first], uses_[second]);
  }
  std::uint32_t find(std::uint32_t k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }

  const Program& program_;
  std::span<const std::uint32_t> bucket_;
  std::vector<std::uint32_t> parent_;
  std::vector<LoopUses> uses_;  // by kernel; empty if it is no nest
};

// By kernel a number for the buckets of its chain, each as often as it occurs.
std::vector<std::uint32_t> kinds_of(std::span<const std::uint32_t> bucket,
                                    std::span<const std::uint32_t> chain) {
  std::vector<std::vector<std::uint32_t>> buckets(bucket.size());  // by chain
  for (std::uint32_t k = 0; k < bucket.size(); ++k) {
    if (bucket[k] != kAlone) buckets[chain[k]].push_back(bucket[k]);
  }
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::uint32_t> kind_of_chain, result;
  for (std::vector<std::uint32_t>& of_chain : buckets) {
    std::sort(of_chain.begin(), of_chain.end());
    const auto next = static_cast<std::uint32_t>(known.size());
    kind_of_chain.push_back(known.try_emplace(std::move(of_chain), next).first->second);
  }
  for (const std::uint32_t c : chain) result.push_back(kind_of_chain[c]);
  return result;
}

}  // namespace

std::vector<std::uint32_t> find_chains(const Program& program, std::span<const std::uint32_t> bucket) {
  return Chains(program, bucket).run();
}

std::vector<std::uint32_t> split_by_chains(std::span<const std::uint32_t> bucket,
                                           std::span<const std::uint32_t> chain) {
  const std::vector<std::uint32_t> kinds = kinds_of(bucket, chain);
  std::map<std::uint32_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> members;  // bucket, kind
  std::uint32_t next = 0;
  for (std::uint32_t k = 0; k < bucket.size(); ++k) {
    if (bucket[k] == kAlone) continue;
    members[bucket[k]][kinds[k]].push_back(k);
    next = std::max(next, bucket[k] + 1);
  }
  std::vector<std::uint32_t> result(bucket.begin(), bucket.end());
  for (const auto& [whole, by_kind] : members) {
    std::size_t count = 0;
    for (const auto& [kind, kernels] : by_kind) count += kernels.size();
    if (by_kind.size() * kMembersPerKind > count) continue;
    for (auto part = std::next(by_kind.begin()); part != by_kind.end(); ++part, ++next)
      for (const std::uint32_t k : part->second) result[k] = next;
  }
  return result;
}

}  // namespace cohort::merge
