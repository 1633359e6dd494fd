#include "compiler/merge/storage.h"

#include <algorithm>
#include <numeric>

#include "compiler/merge/consecutive_ones.h"

namespace cohort::merge {
namespace {

class DisjointSets {
 public:
  explicit DisjointSets(std::uint32_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t find(std::uint32_t e) {
    while (parent_[e] != e) e = parent_[e] = parent_[parent_[e]];
    return e;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

Storages join_lists(std::uint32_t count, std::span<const std::vector<std::uint32_t>> lists) {
  Storages result;
  result.storage.assign(count, Storages::kNone);
  result.position.assign(count, 0);
  DisjointSets sets(count);
  for (const std::vector<std::uint32_t>& list : lists) {
    for (const std::uint32_t e : list) sets.join(list.front(), e);
  }
  std::vector<std::uint32_t> storage_of_root(count, Storages::kNone);
  for (const std::vector<std::uint32_t>& list : lists) {
    std::uint32_t& storage = storage_of_root[sets.find(list.front())];
    if (storage == Storages::kNone) {
      storage = static_cast<std::uint32_t>(result.members.size());
      result.members.emplace_back();
    }
    for (const std::uint32_t e : list) {
      if (result.storage[e] != Storages::kNone) continue;
      result.storage[e] = storage;
      result.position[e] = static_cast<std::uint32_t>(result.members[storage].size());
      result.members[storage].push_back(e);
    }
  }
  return result;
}

Storages plan_storages(std::uint32_t count, std::span<const std::vector<std::uint32_t>> lists) {
  // Where the lists leave the order open it is that of the longest, in all storages: the members of groups of
  // any size then stand in the same order everywhere.
  std::vector<std::vector<std::uint32_t>> longest_first(lists.begin(), lists.end());
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  Storages result = join_lists(count, longest_first);
  std::vector<std::vector<WeightedSet>> wishes(result.members.size());
  for (const std::vector<std::uint32_t>& list : lists) {
    WeightedSet wish{{}, static_cast<double>(list.size())};
    for (const std::uint32_t e : list) wish.elements.push_back(result.position[e]);
    wishes[result.storage[list.front()]].push_back(std::move(wish));
  }
  for (std::size_t s = 0; s < result.members.size(); ++s) {
    std::vector<std::uint32_t>& members = result.members[s];
    const auto order = order_consecutively(static_cast<std::uint32_t>(members.size()), wishes[s]).order;
    std::vector<std::uint32_t> ordered;
    for (const std::uint32_t i : order) {
      result.position[members[i]] = static_cast<std::uint32_t>(ordered.size());
      ordered.push_back(members[i]);
    }
    members = std::move(ordered);
  }
  return result;
}

}  // namespace cohort::merge
