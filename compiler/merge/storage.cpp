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

// Lists of one storage as sets of positions.
struct Wishes {
  std::vector<WeightedSet> in_order;  // ascending
  std::vector<WeightedSet> others;
};

// Lists that go through the storage in another order are blocks only where they leave the others in theirs.
std::vector<std::uint32_t> order_of(const Wishes& wishes, std::uint32_t count) {
  std::vector<std::uint32_t> order = order_consecutively(count, wishes.in_order).order;
  if (wishes.others.empty()) return order;
  std::vector<WeightedSet> all = wishes.in_order;
  all.insert(all.end(), wishes.others.begin(), wishes.others.end());
  std::vector<std::uint32_t> with_others = order_consecutively(count, all).order;
  const auto ascends = [&](const std::vector<std::uint32_t>& candidate) {
    std::vector<std::uint32_t> place(count);
    for (std::uint32_t i = 0; i < count; ++i) place[candidate[i]] = i;
    return std::all_of(wishes.in_order.begin(), wishes.in_order.end(), [&](const WeightedSet& set) {
      return std::is_sorted(set.elements.begin(), set.elements.end(),
                            [&](std::uint32_t a, std::uint32_t b) { return place[a] < place[b]; });
    });
  };
  return ascends(order) && !ascends(with_others) ? order : with_others;
}

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
  std::vector<Wishes> wishes(result.members.size());
  for (const std::vector<std::uint32_t>& list : lists) {
    WeightedSet wish{{}, static_cast<double>(list.size())};
    for (const std::uint32_t e : list) wish.elements.push_back(result.position[e]);
    Wishes& of_storage = wishes[result.storage[list.front()]];
    const bool in_order = std::is_sorted(wish.elements.begin(), wish.elements.end());
    (in_order ? of_storage.in_order : of_storage.others).push_back(std::move(wish));
  }
  for (std::size_t s = 0; s < result.members.size(); ++s) {
    std::vector<std::uint32_t>& members = result.members[s];
    std::vector<std::uint32_t> ordered;
    for (const std::uint32_t i : order_of(wishes[s], static_cast<std::uint32_t>(members.size()))) {
      result.position[members[i]] = static_cast<std::uint32_t>(ordered.size());
      ordered.push_back(members[i]);
    }
    members = std::move(ordered);
  }
  return result;
}

}  // namespace cohort::merge
